"""Shapes of normalisations."""

from __future__ import annotations

from .prelude import Ints, Shape, Tensor, numel, ops, show


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


def rms_norm(op: str, input: Shape, normalized_shape: Ints, weight: Shape | None) -> Shape:
    """As layer_norm, without a bias."""
    return layer_norm(op, input, normalized_shape, weight, None)


def check_channels_of(op: str, input: Shape, name: str, given: Shape | None) -> None:
    """Raises RuntimeError unless there is one number for each channel."""
    if given is not None and given != (input[1],):
        raise RuntimeError(
            f"{op}: {name} must have one element per channel; got {name} {show(given)}"
            f" and input {show(input)}"
        )


def group_norm(
    op: str, input: Shape, num_groups: int, weight: Shape | None, bias: Shape | None
) -> Shape:
    """The input's shape; groups of channels, of more than one value."""
    if len(input) < 2:
        raise RuntimeError(f"{op}: input must have at least 2 dimensions; got {show(input)}")
    if num_groups < 1 or input[1] % num_groups != 0:
        raise RuntimeError(
            f"{op}: channels must be a multiple of num_groups; got input {show(input)}"
            f" and num_groups {num_groups}"
        )
    check_channels_of(op, input, "weight", weight)
    check_channels_of(op, input, "bias", bias)
    if input[0] * (input[1] // num_groups) * numel(op, input[2:]) == 1:
        raise ValueError(
            f"{op}: each group must have more than one value; got input {show(input)}"
            f" and num_groups {num_groups}"
        )
    return input


def batch_norm(
    op: str,
    input: Shape,
    running_mean: Shape | None,
    running_var: Shape | None,
    weight: Shape | None,
    bias: Shape | None,
    training: bool,
    eps: float,
) -> Shape:
    """The input's shape; statistics are given, or those of more than one value per channel."""
    if len(input) < 2:
        raise RuntimeError(f"{op}: input must have at least 2 dimensions; got {show(input)}")
    if not eps >= 0.0:
        raise ValueError(f"{op}: eps must not be negative; got {eps}")
    if not training and (running_mean is None or running_var is None):
        raise RuntimeError(
            f"{op}: running_mean and running_var must be given where training is False; got None"
        )
    if (running_mean is None) != (running_var is None):
        raise ValueError(f"{op}: running_mean and running_var must be given both or not at all")
    if training and input[0] * numel(op, input[2:]) == 1:
        raise ValueError(
            f"{op}: each channel must have more than one value in training; got input {show(input)}"
        )
    check_channels_of(op, input, "running_mean", running_mean)
    check_channels_of(op, input, "running_var", running_var)
    check_channels_of(op, input, "weight", weight)
    check_channels_of(op, input, "bias", bias)
    return input


def normalize(input: Tensor, p: float, dim: int, eps: float) -> Tensor:
    """Divided by the norm along a dimension, or by eps where that is more."""
    size = ops.linalg_vector_norm(input, p, (dim,), True)
    return ops.div(input, ops.maximum(size, eps))
