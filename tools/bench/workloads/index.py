"""Index."""

from __future__ import annotations

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


@bench("index/gather")
def gather(torch: Any, ctx: Context) -> Case:
    x, i = torch.randn(1000, 4000), torch.randint(0, 4000, (1000, 4000))
    return Case(lambda: torch.gather(x, 1, i), bytes=16 * x.numel())


@bench("index/scatter_add")
def scatter_add(torch: Any, ctx: Context) -> Case:
    x, i = torch.randn(1000, 4000), torch.randint(0, 4000, (1000, 4000))
    out = torch.zeros(1000, 4000)
    return Case(lambda: out.scatter_add_(1, i, x), bytes=20 * x.numel())


@bench("index/index_select")
def index_select(torch: Any, ctx: Context) -> Case:
    x, i = torch.randn(50257, 256), torch.randint(0, 50257, (20000,))
    return Case(lambda: torch.index_select(x, 0, i), bytes=8 * 20000 * 256)


@bench("index/index_add")
def index_add(torch: Any, ctx: Context) -> Case:
    x, i = torch.randn(20000, 256), torch.randint(0, 50257, (20000,))
    out = torch.zeros(50257, 256)
    return Case(lambda: out.index_add_(0, i, x), bytes=12 * 20000 * 256)


@bench("index/advanced_get")
def advanced_get(torch: Any, ctx: Context) -> Case:
    x = torch.randn(2000, 2000)
    i, j = (torch.randint(0, 2000, (1_000_000,)) for _ in range(2))
    return Case(lambda: x[i, j], bytes=24 * 1_000_000)


@bench("index/embedding.forward")
def embedding(torch: Any, ctx: Context) -> Case:
    layer, ids = torch.nn.Embedding(50257, 256), torch.randint(0, 50257, (8, 1024))
    return Case(no_grad(torch, layer, ids), bytes=8 * 256 * ids.numel())


@bench("index/embedding.forward_backward")
def embedding_backward(torch: Any, ctx: Context) -> Case:
    layer, ids = torch.nn.Embedding(50257, 256), torch.randint(0, 50257, (8, 1024))
    # forward moves the rows once; backward adds them into an existing dense gradient
    return Case(forward_backward(torch, layer, ids), bytes=20 * 256 * ids.numel())


@bench("index/boolean_mask")
def boolean_mask(torch: Any, ctx: Context) -> Case:
    x = torch.randn(4_000_000)
    mask = x > 0
    return Case(lambda: x[mask], bytes=7 * x.numel())


@bench("index/cat_dim0", dim=0)
@bench("index/cat_dim1", dim=1)
def cat(torch: Any, ctx: Context, dim: int) -> Case:
    parts = [torch.randn(1000, 1000) for _ in range(4)]
    return Case(lambda: torch.cat(parts, dim), bytes=8 * 4_000_000)


@bench("index/transpose_contiguous.fp32", dtype="fp32")
@bench("index/transpose_contiguous.bf16", dtype="bf16")
def transpose(torch: Any, ctx: Context, dtype: str) -> Case:
    x = values(torch, dtype, ROWS, COLS)
    return Case(lambda: x.t().contiguous(), bytes=2 * SIZE[dtype] * N)


@bench("index/permute_nchw_nhwc")
def permute(torch: Any, ctx: Context) -> Case:
    x = torch.randn(8, 64, 112, 112)
    return Case(lambda: x.permute(0, 2, 3, 1).contiguous(), bytes=8 * x.numel())
