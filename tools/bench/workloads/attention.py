"""Attention: batch 4, 12 heads of 64."""

from __future__ import annotations

from functools import partial
from typing import Any

from tools.bench.workloads.case import Case, Context, bench, dtype_of, forward_backward

for causal in (False, True):
    for dtype in ("fp32", "bf16"):
        for backward in (False, True):
            name = ".".join(
                [
                    "causal" if causal else "full",
                    dtype,
                    "forward_backward" if backward else "forward",
                ]
            )

            @bench(f"attention/{name}", causal=causal, dtype=dtype, backward=backward)
            def attention(
                torch: Any, ctx: Context, causal: bool, dtype: str, backward: bool
            ) -> Case:
                q, k, v = (torch.randn(4, 12, 512, 64).to(dtype_of(torch, dtype)) for _ in range(3))
                flops = 4 * 4 * 12 * 512 * 512 * 64 // (2 if causal else 1)
                fn = partial(torch.nn.functional.scaled_dot_product_attention, is_causal=causal)
                if not backward:
                    return Case(lambda: fn(q, k, v), flops=flops, peak=dtype)
                for x in (q, k, v):
                    x.requires_grad_()
                return Case(forward_backward(torch, fn, q, k, v), flops=3.5 * flops, peak=dtype)


@bench("attention/one_query.fp32.forward")
def one_query(torch: Any, ctx: Context) -> Case:
    q, k, v = torch.randn(4, 12, 1, 64), torch.randn(4, 12, 512, 64), torch.randn(4, 12, 512, 64)
    fn = torch.nn.functional.scaled_dot_product_attention
    return Case(lambda: fn(q, k, v), flops=4 * 4 * 12 * 512 * 64)
