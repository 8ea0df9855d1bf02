"""Batching rules of views, joining, indexing and products of matrices."""

from __future__ import annotations

import math
from typing import Any

from cepheid import _C
from cepheid.func._batched import (
    Batched,
    Level,
    is_batched,
    refuse_shapes,
    slice_by_slice,
    spread,
    wrap,
)
from cepheid.func._rules import aligned, normal, rules

# ---- views: all operands are batched, as there is one


@rules("view")
def view(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """The batch stays; a size of -1 is worked out for a slice."""
    source, size = args[0], list(args[1])
    if -1 in size:
        known = math.prod(s for s in size if s != -1)
        if known and source.numel() % known == 0:
            size[size.index(-1)] = source.numel() // known
    if math.prod(size) != source.numel() or -1 in size:
        raise RuntimeError(
            f"view: shape {list(args[1])} is invalid for input of size {source.numel()}"
        )
    return Batched(source.inner.view(source.inner.shape[0], *size), level)


@rules("expand")
def expand(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """New dimensions go behind the batch."""
    source, size = args[0], args[1]
    inner = source.inner
    missing = [1] * (len(size) - source.dim())
    shaped = inner.view(inner.shape[0], *missing, *inner.shape[1:]) if missing else inner
    return Batched(shaped.expand(inner.shape[0], *size), level)


@rules("permute")
def permute(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """The batch stays in front."""
    rank = args[0].dim()
    return Batched(func(args[0].inner, [0, *(normal(d, rank) for d in args[1])]), level)


@rules("select.int unbind.int slice.Tensor unfold squeeze.dim")
def along(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """One dimension is named, by the argument after the tensor."""
    rank = args[0].dim()
    if rank == 0:
        if func.opname == "squeeze":
            return args[0].alias()
        return slice_by_slice(func, level, args, kwargs)
    dim = args[1] if len(args) > 1 else 0
    return wrap(func(args[0].inner, normal(dim, rank), *args[2:], **kwargs), level)


@rules("split.Tensor split_with_sizes chunk")
def parts(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """One dimension is named, after what the parts are."""
    dim = args[2] if len(args) > 2 else 0
    return wrap(func(args[0].inner, args[1], normal(dim, args[0].dim())), level)


@rules("squeeze squeeze.dims")
def squeeze(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """A batch of one stays."""
    rank = args[0].dim()
    dims = range(1, rank + 1) if len(args) == 1 else [normal(d, max(rank, 1)) for d in args[1]]
    ones = [d for d in dims if d <= rank and args[0].inner.shape[d] == 1]
    return Batched(args[0].inner.squeeze(ones), level) if ones else args[0].alias()


@rules("t")
def t(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Of a matrix; fewer dimensions stay as they are."""
    if args[0].dim() > 2:
        raise RuntimeError(f"t: expects a tensor with <= 2 dimensions; got {args[0].dim()}")
    inner = args[0].inner
    return Batched(inner.transpose(1, 2) if args[0].dim() == 2 else inner.view_as(inner), level)


@rules("transpose.int")
def transpose(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Two dimensions of the slice."""
    rank = max(args[0].dim(), 1)
    first, second = normal(args[1], rank), normal(args[2], rank)
    if args[0].dim() == 0:
        return args[0].alias()
    return Batched(args[0].inner.transpose(first, second), level)


@rules("unsqueeze")
def unsqueeze(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """The new dimension is at least behind the batch."""
    return Batched(args[0].inner.unsqueeze(normal(args[1], args[0].dim() + 1)), level)


@rules("diagonal")
def diagonal(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Of two dimensions of the slice."""
    offset, first, second = [*args[1:], *(0, 0, 1)[len(args) - 1 :]]
    rank = args[0].dim()
    return Batched(args[0].inner.diagonal(offset, normal(first, rank), normal(second, rank)), level)


@rules("as_strided")
def as_strided(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Strides are those within a slice, and the offset is that of the first one."""
    inner, size, stride = args[0].inner, args[1], args[2]
    offset = args[3] if len(args) > 3 else None
    made = inner.as_strided([inner.shape[0], *size], [inner.stride(0), *stride], offset)
    return Batched(made, level)


# ---- joining and indexing


@rules("cat")
def cat(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Tensors that all slices share are expanded."""
    tensors = [spread(value, level) for value in args[0]]
    dim = args[1] if len(args) > 1 else kwargs.get("dim", 0)
    if any(value.shape == (0,) for value in args[0]):
        return slice_by_slice(func, level, args, kwargs)
    return Batched(func(tensors, normal(dim, args[0][0].dim())), level)


@rules("index_select")
def index_select(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Where all slices share the index."""
    source, dim, index = args
    if is_batched(index, level) or source.dim() == 0:
        return slice_by_slice(func, level, args, kwargs)
    return Batched(func(source.inner, normal(dim, source.dim()), index), level)


@rules("gather scatter.src scatter.value scatter_add take_along_dim")
def by_index(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Index and tensors have the same number of dimensions; the batch is one more."""
    position = 2 if func.opname == "take_along_dim" else 1
    if position >= len(args) or args[0].dim() == 0 or args[position] is None:
        return slice_by_slice(func, level, args, kwargs)
    made = [spread(a, level) if isinstance(a, _C.Tensor) else a for a in args]
    made[position] = normal(args[position], args[0].dim())
    return Batched(func(*made, **kwargs), level)


@rules("index.Tensor")
def index(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """With integer indices that stand side by side; the batch has an index of its own if needed."""
    source, indices = args
    used = [i for i, value in enumerate(indices) if value is not None]
    if any(is_batched(indices[i], level) and indices[i].dtype is _BOOL for i in used):
        refuse_shapes(func)
    together = used == list(range(used[0], used[0] + len(used)))
    if not together or any(indices[i].dtype is _BOOL for i in used):
        return slice_by_slice(func, level, args, kwargs)
    if not any(is_batched(indices[i], level) for i in used):
        return Batched(func(source.inner, [None, *indices]), level)
    if used[0] != 0:
        return slice_by_slice(func, level, args, kwargs)
    rank = max(indices[i].dim() for i in used)
    own = aligned(indices, level)
    if not is_batched(source, level):
        return Batched(func(source, own), level)
    counter = _C.functions.arange(level.size, device=source.device).view(-1, *[1] * rank)
    return Batched(func(source.inner, [counter, *own]), level)


_BOOL = _C._dtypes()["bool"]


@rules("nonzero")
def of_any_size(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """How many there are depends on values, even where it happens to be the same."""
    return refuse_shapes(func)


@rules("embedding")
def embedding(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Where all slices share the table."""
    if is_batched(args[0], level):
        return slice_by_slice(func, level, args, kwargs)
    return Batched(func(args[0], args[1].inner, *args[2:], **kwargs), level)


# ---- products of matrices


@rules("mm bmm")
def product(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """The batch is one more dimension that matmul runs over."""
    rank = 2 if func.opname == "mm" else 3
    left, right = args
    if left.dim() != rank or right.dim() != rank or left.shape[-1] != right.shape[-2]:
        raise RuntimeError(
            f"{func.opname}: can't multiply {list(left.shape)} and {list(right.shape)}; both need"
            f" {rank} dimensions, and the inner sizes must agree"
        )
    return Batched(_C.functions.matmul(*aligned(args, level)), level)


@rules("addmm baddbmm")
def added_product(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """beta * self + alpha * product; with beta 0 nothing of `self` counts, as documented."""
    beta, alpha = kwargs.get("beta", 1), kwargs.get("alpha", 1)
    multiply = _C.functions.mm if func.opname == "addmm" else _C.functions.bmm
    made = multiply(args[1], args[2])
    made = made if alpha == 1 else made * alpha
    if beta == 0:
        return made.expand_as(args[0] + made)
    return (args[0] if beta == 1 else args[0] * beta) + made


@rules("linear")
def linear(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Rows of the input, where all slices share the weights; a product and a sum otherwise."""
    bias = args[2] if len(args) > 2 else None
    if not is_batched(args[1], level) and not is_batched(bias, level):
        return Batched(func(args[0].inner, *args[1:]), level)
    made = _C.functions.matmul(args[0], args[1].transpose(-1, -2))
    return made if bias is None else made + bias


# ---- layers: the batch is folded into the one that they have


@rules("conv2d avg_pool2d max_pool2d max_pool2d_with_indices adaptive_avg_pool2d group_norm")
def folded(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Where only the input differs by slice."""
    rest = [*args[1:], *kwargs.values()]
    source = args[0]
    full = 2 if func.opname == "group_norm" else 4
    if any(is_batched(a, level) for a in rest) or not level.size:
        return slice_by_slice(func, level, args, kwargs)
    if source.dim() < full:
        if func.opname == "group_norm":
            return slice_by_slice(func, level, args, kwargs)
        return wrap(func(source.inner, *args[1:], **kwargs), level)
    count = source.shape[0]
    made = func(source.inner.flatten(0, 1), *args[1:], **kwargs)
    several = [made] if isinstance(made, _C.Tensor) else made
    results = [Batched(r.view(level.size, count, *r.shape[1:]), level) for r in several]
    return results[0] if isinstance(made, _C.Tensor) else results


@rules("layer_norm rms_norm")
def normalized(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Where all slices share the weights."""
    if any(is_batched(a, level) for a in args[1:]):
        return slice_by_slice(func, level, args, kwargs)
    return Batched(func(args[0].inner, *args[1:], **kwargs), level)
