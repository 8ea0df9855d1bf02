"""Ops that are views where the layout allows it and copies elsewhere."""

from __future__ import annotations

from .prelude import (
    Ints,
    Shape,
    Tensor,
    Tensors,
    infer_size,
    numel,
    ops,
    show,
    view_strides,
    wrap_dim,
)


def reshape(self: Tensor, shape: Ints) -> Tensor:
    """The same elements in another shape: a view if strides exist for it, else a copy."""
    size = infer_size("reshape", shape, self.numel())
    if view_strides(self.shape, self.stride(), size) is not None:
        return ops.view(self, size)
    return ops.view(ops.contiguous(self), size)


def flatten(self: Tensor, start_dim: int, end_dim: int) -> Tensor:
    """The dimensions from start_dim to end_dim, both included, made one."""
    start = wrap_dim("flatten", start_dim, self.dim())
    end = wrap_dim("flatten", end_dim, self.dim())
    if start > end:
        raise RuntimeError(
            f"flatten: start_dim must not come after end_dim; got {start_dim} and {end_dim}"
            f" for shape {show(self.shape)}"
        )
    if self.dim() == 0:
        return ops.reshape(self, (1,))
    if start == end:
        return self
    length = numel("flatten", self.shape[start : end + 1])
    return ops.reshape(self, (*self.shape[:start], length, *self.shape[end + 1 :]))


def narrow_bounds(op: str, shape: Shape, dim: int, start: int, length: int) -> Ints:
    """First and last place (not included) of a range of a dimension, which must lie inside."""
    if len(shape) == 0:
        raise RuntimeError(f"{op}: a tensor without dimensions has no range; unsqueeze it first")
    i = wrap_dim(op, dim, len(shape))
    size = shape[i]
    if length < 0:
        raise RuntimeError(f"{op}: length must not be negative; got {length}")
    if start < 0 - size or start > size:
        raise IndexError(
            f"{op}: start must be in [{0 - size}, {size}] for dimension {i}; got {start}"
        )
    first = start + size if start < 0 else start
    if length > size - first:
        raise RuntimeError(
            f"{op}: the range must end inside dimension {i} of size {size}; got start {start} and"
            f" length {length}"
        )
    return (first, first + length)


def narrow(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` places of a dimension from `start` on, which counts from the end if negative."""
    bounds = narrow_bounds("narrow", self.shape, dim, start, length)
    return ops.slice(self, dim, bounds[0], bounds[1], 1)


def split_sizes(self: Tensor, split_size: Ints, dim: int) -> Tensors:
    """Parts of the given sizes."""
    return ops.split_with_sizes(self, split_size, dim)


def unflattened(op: str, shape: Shape, dim: int, sizes: Ints) -> Shape:
    """The shape with dimension `dim` replaced by `sizes`, which must have its product."""
    if len(shape) == 0:
        raise RuntimeError(f"{op}: a tensor without dimensions has nothing to unflatten")
    if len(sizes) == 0:
        raise RuntimeError(f"{op}: sizes must not be empty; got {show(sizes)}")
    i = wrap_dim(op, dim, len(shape))
    return (*shape[:i], *infer_size(op, sizes, shape[i]), *shape[i + 1 :])


def unflatten(self: Tensor, dim: int, sizes: Ints) -> Tensor:
    """One dimension made several, which lie in it one inside the other."""
    return ops.view(self, unflattened("unflatten", self.shape, dim, sizes))


def ravel(self: Tensor) -> Tensor:
    """All elements in one contiguous dimension: a view of what is contiguous, else a copy."""
    return ops.view(ops.contiguous(self), (self.numel(),))


def unmoved(op: str, rank: int, source: Ints) -> Ints:
    """The dimensions that `source` doesn't name, in their order."""
    rest = ()
    for d in range(rank):
        named = False
        for dim in source:
            named = named or wrap_dim(op, dim, rank) == d
        if not named:
            rest = (*rest, d)
    return rest


def moved_order(op: str, rank: int, source: Ints, destination: Ints) -> Ints:
    """The order of dimensions in which each of `source` stands at its place of `destination`."""
    if len(source) != len(destination):
        raise RuntimeError(
            f"{op}: source and destination must be equally long; got {show(source)}"
            f" and {show(destination)}"
        )
    rest = unmoved(op, rank, source)
    free = unmoved(op, rank, destination)
    span = max(rank, 1)
    if len(source) + len(rest) > span or len(destination) + len(free) > span:
        raise RuntimeError(
            f"{op}: a dimension may be named once; got source {show(source)}"
            f" and destination {show(destination)} for {rank} dimensions"
        )
    order = ()
    used = 0
    for d in range(rank):
        found = -1
        for i in range(len(source)):
            if wrap_dim(op, destination[i], rank) == d:
                found = wrap_dim(op, source[i], rank)
        if found < 0:
            order = (*order, rest[used])
            used = used + 1
        else:
            order = (*order, found)
    return order


def movedim(self: Tensor, source: Ints, destination: Ints) -> Tensor:
    """Dimensions at other places; the others keep their order."""
    return ops.permute(self, moved_order("movedim", self.dim(), source, destination))


def movedim_int(self: Tensor, source: int, destination: int) -> Tensor:
    """One dimension at another place."""
    return ops.permute(self, moved_order("movedim", self.dim(), (source,), (destination,)))


def swapaxes(self: Tensor, axis0: int, axis1: int) -> Tensor:
    """transpose by NumPy's name."""
    return ops.transpose(self, axis0, axis1)


def swapdims(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """transpose by another name."""
    return ops.transpose(self, dim0, dim1)


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expanded to the shape of another tensor."""
    return ops.expand(self, other.shape)


def broadcast_to(self: Tensor, size: Ints) -> Tensor:
    """expand by NumPy's name."""
    return ops.expand(self, size)


def view_as(self: Tensor, other: Tensor) -> Tensor:
    """A view in the shape of another tensor."""
    return ops.view(self, other.shape)


def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Reshaped to the shape of another tensor."""
    return ops.reshape(self, other.shape)
