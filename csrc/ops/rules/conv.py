"""Shapes of convolutions."""

from __future__ import annotations

from .prelude import Ints, Shape, show


def pair(op: str, name: str, values: Ints, least: int) -> Ints:
    """One number for both directions, or one for each; none below `least`."""
    both = values + values if len(values) == 1 else values
    if len(both) != 2:
        raise RuntimeError(f"{op}: {name} must be one number or two; got {show(values)}")
    if both[0] < least or both[1] < least:
        raise RuntimeError(f"{op}: {name} must be at least {least}; got {show(values)}")
    return both


def places(op: str, size: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    """In how many places the kernel fits in one direction."""
    padded = size + 2 * padding
    extent = dilation * (kernel - 1) + 1
    if padded < extent:
        raise RuntimeError(
            f"{op}: the kernel must fit into the padded input; got kernel extent {extent}"
            f" and padded size {padded}, add padding or take a smaller kernel"
        )
    return (padded - extent) // stride + 1


def check_channels(op: str, channels: int, weight: Shape, bias: Shape | None, groups: int) -> None:
    """Raises RuntimeError where input channels, weight, bias and groups don't belong together."""
    if groups < 1:
        raise RuntimeError(f"{op}: groups must be at least 1; got {groups}")
    if weight[0] < 1 or weight[0] % groups != 0:
        raise RuntimeError(
            f"{op}: output channels must be a multiple of groups; got weight {show(weight)}"
            f" and groups {groups}"
        )
    if channels != weight[1] * groups:
        raise RuntimeError(
            f"{op}: input channels must be weight's size 1 times groups; got {channels} channels,"
            f" weight {show(weight)} and groups {groups}"
        )
    if weight[2] < 1 or weight[3] < 1:
        raise RuntimeError(f"{op}: the kernel must not be empty; got weight {show(weight)}")
    if bias is not None and bias != (weight[0],):
        raise RuntimeError(
            f"{op}: bias must have one element per output channel; got bias {show(bias)}"
            f" and weight {show(weight)}"
        )


def conv2d(
    op: str,
    input: Shape,
    weight: Shape,
    bias: Shape | None,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> Shape:
    """[n, c, h, w] or [c, h, w]: channels become the weight's, h and w the places of the kernel."""
    rank = len(input)
    if rank != 3 and rank != 4:
        raise RuntimeError(
            f"{op}: input must have 4 dimensions, or 3 without a batch; got input {show(input)}"
        )
    if len(weight) != 4:
        raise RuntimeError(f"{op}: weight must have 4 dimensions; got weight {show(weight)}")
    check_channels(op, input[rank - 3], weight, bias, groups)
    step = pair(op, "stride", stride, 1)
    pad = pair(op, "padding", padding, 0)
    gap = pair(op, "dilation", dilation, 1)
    height = places(op, input[rank - 2], weight[2], step[0], pad[0], gap[0])
    width = places(op, input[rank - 1], weight[3], step[1], pad[1], gap[1])
    return (*input[: rank - 3], weight[0], height, width)
