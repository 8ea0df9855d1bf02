"""Shapes of sorts, and sorts that give only one of the results."""

from __future__ import annotations

from .prelude import Shape, Tensor, ops, wrap_dim


def sort(op: str, self: Shape, dim: int) -> Shape:
    """The operand's shape, for values and indices; IndexError where it has no dimension `dim`."""
    wrap_dim(op, dim, len(self))
    return self


def argsort(self: Tensor, dim: int, descending: bool) -> Tensor:
    """The indices that sort `self` along `dim`."""
    return ops.sort(self, dim, descending)[1]
