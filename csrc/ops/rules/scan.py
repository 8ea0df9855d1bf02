"""Shapes of ops along one dimension that keep the shape."""

from __future__ import annotations

from .prelude import Shape, wrap_dim


def same_shape_dim(op: str, self: Shape, dim: int) -> Shape:
    """The operand's shape; IndexError where it has no dimension `dim`."""
    wrap_dim(op, dim, len(self))
    return self
