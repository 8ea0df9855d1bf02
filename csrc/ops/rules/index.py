"""Shapes of ops that pick elements by index, and of concatenation."""

from __future__ import annotations

from .prelude import Shape, Shapes, numel, show, wrap_dim


def index_select(op: str, self: Shape, dim: int, index: Shape) -> Shape:
    """`self` with dimension `dim` as long as the vector `index`."""
    if len(index) > 1:
        raise IndexError(f"{op}: index must be a vector; got index {show(index)}, flatten it")
    i = wrap_dim(op, dim, len(self))
    count = numel(op, index)
    if len(self) == 0:
        if count != 1:
            raise RuntimeError(
                f"{op}: a tensor without dimensions takes one index; got index {show(index)}"
            )
        return ()
    return (*self[:i], count, *self[i + 1 :])


def gather(op: str, self: Shape, dim: int, index: Shape) -> Shape:
    """The index's shape, which must fit inside `self` in every dimension but `dim`."""
    i = wrap_dim(op, dim, len(self))
    if numel(op, index) == 0:
        return index
    if max(len(self), 1) != max(len(index), 1):
        raise RuntimeError(
            f"{op}: self and index must have equally many dimensions; got self {show(self)}"
            f" and index {show(index)}"
        )
    for d in range(min(len(self), len(index))):
        if d != i and index[d] > self[d]:
            raise RuntimeError(
                f"{op}: index must not be larger than self except in dim {i}; got self {show(self)}"
                f" and index {show(index)}"
            )
    return index


def is_nothing(shape: Shape) -> bool:
    """An empty vector, which cat passes over whatever the others' rank."""
    return len(shape) == 1 and shape[0] == 0


def cat(op: str, tensors: Shapes, dim: int) -> Shape:
    """Sizes agree outside `dim`, where they add up."""
    if len(tensors) == 0:
        raise ValueError(f"{op}: at least one tensor is needed; got an empty list")
    like = tensors[0]
    for shape in tensors:
        if len(shape) == 0:
            raise RuntimeError(
                f"{op}: tensors need at least one dimension; got a tensor without, unsqueeze it"
            )
        if is_nothing(like):
            like = shape
    if is_nothing(like):
        return like
    i = wrap_dim(op, dim, len(like))
    total = 0
    for shape in tensors:
        if not is_nothing(shape):
            if len(shape) != len(like):
                raise RuntimeError(
                    f"{op}: tensors must have equally many dimensions; got {show(like)}"
                    f" and {show(shape)}"
                )
            for d in range(len(like)):
                if d != i and shape[d] != like[d]:
                    raise RuntimeError(
                        f"{op}: sizes must agree except in dim {i}; got {show(like)}"
                        f" and {show(shape)}"
                    )
            total = total + shape[i]
    return (*like[:i], total, *like[i + 1 :])
