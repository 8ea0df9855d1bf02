"""Gemm."""

from __future__ import annotations

from typing import Any

from tools.bench.workloads.case import SIZE, Case, Context, bench, dtype_of, no_grad

for dtype in ("fp32", "bf16", "fp64"):
    for n in (64, 256, 1024, 2048):

        @bench(f"gemm/matmul_{n}.{dtype}", n=n, dtype=dtype)
        def matmul(torch: Any, ctx: Context, n: int, dtype: str) -> Case:
            a, b = (torch.randn(n, n).to(dtype_of(torch, dtype)) for _ in range(2))
            return Case(("a @ b", {"a": a, "b": b}), flops=2 * n**3, peak=dtype)

    @bench(f"gemm/bmm_64x128.{dtype}", dtype=dtype)
    def bmm(torch: Any, ctx: Context, dtype: str) -> Case:
        a, b = (torch.randn(64, 128, 128).to(dtype_of(torch, dtype)) for _ in range(2))
        return Case(lambda: torch.bmm(a, b), flops=64 * 2 * 128**3, peak=dtype)


for name, rows, cin, cout in [
    ("qkv", 512, 768, 2304),
    ("up", 512, 768, 3072),
    ("down", 512, 3072, 768),
    ("head", 64, 768, 50257),
    ("up_one_row", 1, 768, 3072),
]:
    for dtype in ("fp32", "bf16"):

        @bench(f"gemm/linear_{name}.{dtype}", rows=rows, cin=cin, cout=cout, dtype=dtype)
        def linear(torch: Any, ctx: Context, rows: int, cin: int, cout: int, dtype: str) -> Case:
            layer = torch.nn.Linear(cin, cout).to(dtype_of(torch, dtype))
            x = torch.randn(rows, cin).to(dtype_of(torch, dtype))
            moved = (rows * (cin + cout) + cin * cout) * SIZE[dtype]
            return Case(
                no_grad(torch, layer, x),
                flops=2 * rows * cin * cout,
                peak=dtype,
                bytes=moved if moved > 100e6 else 0,
            )  # less than that may sit in cache
