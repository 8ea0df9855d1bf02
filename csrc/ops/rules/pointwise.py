"""Pointwise ops made of others."""

from __future__ import annotations

from .prelude import Scalar, Tensor, ops


def div_mode(self: Tensor, other: Tensor, rounding_mode: str | None) -> Tensor:
    """The quotient as it is, towards zero or downwards."""
    if rounding_mode is None:
        return ops.div(self, other)
    if rounding_mode == "floor":
        return ops.floor_divide(self, other)
    if rounding_mode == "trunc":
        return ops.trunc_divide(self, other)
    raise RuntimeError(
        f"div: rounding_mode must be None, 'trunc' or 'floor'; got '{rounding_mode}'"
    )


def clamp(self: Tensor, min: Scalar | None, max: Scalar | None) -> Tensor:
    """Limits from below, then from above: where min exceeds max the result is max."""
    if min is None and max is None:
        raise RuntimeError("clamp: min or max must be given; got None for both")
    result = self
    if min is not None:
        result = ops.maximum(result, min)
    if max is not None:
        result = ops.minimum(result, max)
    return result
