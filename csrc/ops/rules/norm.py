"""Shapes of normalisations."""

from __future__ import annotations

from .prelude import Ints, Shape, show


def layer_norm(
    op: str, input: Shape, normalized_shape: Ints, weight: Shape | None, bias: Shape | None
) -> Shape:
    """The input's shape, which must end in normalized_shape; so must weight's and bias's."""
    rank = len(normalized_shape)
    if rank == 0:
        raise RuntimeError(f"{op}: normalized_shape must name at least one dimension; got []")
    if len(input) < rank or input[len(input) - rank :] != normalized_shape:
        raise RuntimeError(
            f"{op}: input must end in normalized_shape; got input {show(input)}"
            f" and normalized_shape {show(normalized_shape)}"
        )
    if weight is not None and weight != normalized_shape:
        raise RuntimeError(
            f"{op}: weight must have the shape normalized_shape; got weight {show(weight)}"
            f" and normalized_shape {show(normalized_shape)}"
        )
    if bias is not None and bias != normalized_shape:
        raise RuntimeError(
            f"{op}: bias must have the shape normalized_shape; got bias {show(bias)}"
            f" and normalized_shape {show(normalized_shape)}"
        )
    return input
