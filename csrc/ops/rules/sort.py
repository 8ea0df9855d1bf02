"""Shapes of sorts, and sorts that give only one of the results."""

from __future__ import annotations

from .prelude import Shape, Tensor, ops, show, wrap_dim


def sort(op: str, self: Shape, dim: int) -> Shape:
    """The operand's shape, for values and indices; IndexError where it has no dimension `dim`."""
    wrap_dim(op, dim, len(self))
    return self


def argsort(self: Tensor, dim: int, descending: bool) -> Tensor:
    """The indices that sort `self` along `dim`."""
    return ops.sort(self, dim, descending)[1]


def msort(self: Tensor) -> Tensor:
    """`self` sorted along its first dimension."""
    return ops.sort(self, 0, False)[0]


def topk(op: str, self: Shape, k: int, dim: int) -> Shape:
    """The operand's shape with k places along `dim`, which has as many."""
    i = wrap_dim(op, dim, len(self))
    if k < 0 or k > (self[i] if len(self) > 0 else 1):
        raise RuntimeError(
            f"{op}: k must be from 0 to the size of dim {i}; got k {k} and shape {show(self)}"
        )
    if len(self) == 0:
        return self
    return (*self[:i], k, *self[i + 1 :])


def kthvalue(op: str, self: Shape, k: int, dim: int, keepdim: bool) -> Shape:
    """`dim` folded, which has at least k places; k counts from 1."""
    i = wrap_dim(op, dim, len(self))
    if k < 1 or k > (self[i] if len(self) > 0 else 1):
        raise RuntimeError(
            f"{op}: k must be from 1 to the size of dim {i}; got k {k} and shape {show(self)}"
        )
    if len(self) == 0:
        return self
    if keepdim:
        return (*self[:i], 1, *self[i + 1 :])
    return (*self[:i], *self[i + 1 :])
