"""Reduce."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tools.bench.workloads.case import (
    COLS,
    ROWS,
    SIZE,
    Case,
    Context,
    N,
    bench,
    forward_backward,
    no_grad,
    values,
)

for name, fn, result in [  # result: elements written for each element read
    ("sum", lambda t, x: x.sum(), 0),
    ("sum_dim0", lambda t, x: x.sum(0), 0),
    ("sum_dim1", lambda t, x: x.sum(1), 0),
    ("mean_dim1", lambda t, x: x.mean(1), 0),
    ("max", lambda t, x: x.max(), 0),
    ("max_dim1", lambda t, x: x.max(1), 0),
    ("argmax_dim1", lambda t, x: x.argmax(1), 0),
    ("std_dim1", lambda t, x: x.std(1), 0),
    ("norm", lambda t, x: t.linalg.vector_norm(x), 0),
    ("softmax_dim1", lambda t, x: t.softmax(x, 1), 1),
    ("softmax_dim0", lambda t, x: t.softmax(x, 0), 1),
    ("log_softmax_dim1", lambda t, x: t.log_softmax(x, 1), 1),
    ("cumsum_dim1", lambda t, x: x.cumsum(1), 1),
]:
    for dtype in ("fp32", "bf16") if name in ("sum", "sum_dim0", "softmax_dim1") else ("fp32",):

        @bench(f"reduce/{name}.{dtype}", fn=fn, result=result, dtype=dtype)
        def reduce(
            torch: Any, ctx: Context, fn: Callable[..., Any], result: int, dtype: str
        ) -> Case:
            x = values(torch, dtype, ROWS, COLS)
            cost = (1 + result) * N * SIZE[dtype]
            return Case(lambda: fn(torch, x), bytes=cost, reads=not result)


@bench("reduce/sort_1e6")
def sort(torch: Any, ctx: Context) -> Case:
    x = torch.rand(1_000_000)
    return Case(lambda: torch.sort(x), bytes=16_000_000)


@bench("reduce/sort_rows")
def sort_rows(torch: Any, ctx: Context) -> Case:
    x = torch.rand(1000, 1000)
    return Case(lambda: torch.sort(x, dim=1), bytes=16_000_000)


@bench("reduce/topk_10")
def topk(torch: Any, ctx: Context) -> Case:
    x = torch.rand(250, COLS)
    return Case(lambda: torch.topk(x, 10, dim=1), bytes=1_000_000 * 4, reads=True)


@bench("reduce/layer_norm")
def layer_norm(torch: Any, ctx: Context) -> Case:
    norm, x = torch.nn.LayerNorm(768), torch.randn(4096, 768)
    return Case(no_grad(torch, norm, x), bytes=8 * x.numel())


@bench("reduce/layer_norm_backward")
def layer_norm_backward(torch: Any, ctx: Context) -> Case:
    norm, x = torch.nn.LayerNorm(768), torch.randn(4096, 768, requires_grad=True)
    return Case(forward_backward(torch, norm, x), bytes=20 * x.numel())


@bench("reduce/batch_norm_eval", train=False)
@bench("reduce/batch_norm_train", train=True)
def batch_norm(torch: Any, ctx: Context, train: bool) -> Case:
    norm, x = torch.nn.BatchNorm2d(64).train(train), torch.randn(8, 64, 56, 56)
    return Case(no_grad(torch, norm, x), bytes=8 * x.numel())
