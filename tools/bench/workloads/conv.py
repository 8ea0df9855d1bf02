"""Conv: batch 4."""

from __future__ import annotations

from typing import Any

from tools.bench.workloads.case import Case, Context, bench, forward_backward, no_grad

for name, cin, cout, size, stride, side, groups in [
    ("7x7_stem_224", 3, 64, 7, 2, 224, 1),
    ("3x3_64_56", 64, 64, 3, 1, 56, 1),
    ("3x3_128_28", 128, 128, 3, 1, 28, 1),
    ("3x3_256_14", 256, 256, 3, 1, 14, 1),
    ("3x3_512_7", 512, 512, 3, 1, 7, 1),
    ("1x1_64_256_56", 64, 256, 1, 1, 56, 1),
    ("1x1_512_256_s2_28", 512, 256, 1, 2, 28, 1),
    ("depthwise_3x3_96_112", 96, 96, 3, 1, 112, 96),
]:
    for mode in ("forward", "forward_backward", "channels_last"):
        if mode == "channels_last" and name != "3x3_64_56":
            continue

        @bench(
            f"conv/{name}.{mode}",
            cin=cin,
            cout=cout,
            size=size,
            stride=stride,
            side=side,
            groups=groups,
            mode=mode,
        )
        def conv(
            torch: Any,
            ctx: Context,
            cin: int,
            cout: int,
            size: int,
            stride: int,
            side: int,
            groups: int,
            mode: str,
        ) -> Case:
            layer = torch.nn.Conv2d(cin, cout, size, stride, size // 2, groups=groups, bias=False)
            x = torch.randn(4, cin, side, side)
            out = (side // stride) ** 2 * 4 * cout
            flops = 2 * out * size * size * cin // groups
            if mode == "forward_backward":
                x.requires_grad_()
                return Case(
                    forward_backward(torch, layer, x),
                    flops=3 * flops,
                    bytes=4 * (3 * x.numel() + 3 * out),
                )
            if mode == "channels_last":
                layer = layer.to(memory_format=torch.channels_last)
                x = x.to(memory_format=torch.channels_last)
            return Case(no_grad(torch, layer, x), flops=flops, bytes=4 * (x.numel() + out))


@bench("conv/conv1d_64_k5_4096.forward")
def conv1d(torch: Any, ctx: Context) -> Case:
    layer, x = torch.nn.Conv1d(64, 64, 5, padding=2), torch.randn(8, 64, 4096)
    return Case(no_grad(torch, layer, x), flops=2 * 64 * 5 * x.numel(), bytes=8 * x.numel())


@bench("conv/max_pool2d.forward")
def max_pool2d(torch: Any, ctx: Context) -> Case:
    x = torch.randn(8, 64, 112, 112)
    return Case(lambda: torch.nn.functional.max_pool2d(x, 3, 2, 1), bytes=5 * x.numel())


@bench("conv/max_pool2d.forward_backward")
def max_pool2d_backward(torch: Any, ctx: Context) -> Case:
    x = torch.randn(8, 64, 112, 112, requires_grad=True)
    pool = torch.nn.MaxPool2d(3, 2, 1)
    return Case(forward_backward(torch, pool, x), bytes=(5 + 1 + 12) * x.numel())
