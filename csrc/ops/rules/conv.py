"""Shapes of convolutions."""

from __future__ import annotations

from .prelude import Ints, Shape, Tensor, ops, show


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


def check_channels(op: str, channels: int, weight: Shape, groups: int) -> None:
    """Raises RuntimeError where input channels, weight and groups don't belong together."""
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
    if weight[2] < 1 or weight[-1] < 1:
        raise RuntimeError(f"{op}: the kernel must not be empty; got weight {show(weight)}")


def check_bias(op: str, bias: Shape, weight: Shape) -> None:
    """Raises RuntimeError unless there is a number for each output channel."""
    if bias != (weight[0],):
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
    check_channels(op, input[rank - 3], weight, groups)
    if bias is not None:
        check_bias(op, bias, weight)
    step = pair(op, "stride", stride, 1)
    pad = pair(op, "padding", padding, 0)
    gap = pair(op, "dilation", dilation, 1)
    height = places(op, input[rank - 2], weight[2], step[0], pad[0], gap[0])
    width = places(op, input[rank - 1], weight[3], step[1], pad[1], gap[1])
    return (*input[: rank - 3], weight[0], height, width)


def check_gradient(
    op: str,
    input: Shape,
    weight: Shape,
    grad_output: Shape,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> None:
    """Raises RuntimeError unless `grad_output` has the shape of the convolution of the others."""
    if len(input) != 4:
        raise RuntimeError(f"{op}: the input must have 4 dimensions; got input {show(input)}")
    made = conv2d(op, input, weight, None, stride, padding, dilation, groups)
    if grad_output != made:
        raise RuntimeError(
            f"{op}: grad_output must have the convolution's shape {show(made)};"
            f" got {show(grad_output)}"
        )


def conv2d_input(
    op: str,
    input_size: Ints,
    weight: Shape,
    grad_output: Shape,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> Shape:
    """As told, where the convolution of such an input has the gradient's shape."""
    check_gradient(op, input_size, weight, grad_output, stride, padding, dilation, groups)
    return input_size


def conv2d_weight(
    op: str,
    input: Shape,
    weight_size: Ints,
    grad_output: Shape,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> Shape:
    """As told, where the convolution with such a weight has the gradient's shape."""
    check_gradient(op, input, weight_size, grad_output, stride, padding, dilation, groups)
    return weight_size


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> Tensor:
    """[n, c, w] or [c, w]: a convolution of images with one row."""
    rank = input.dim()
    if rank != 2 and rank != 3:
        raise RuntimeError(
            f"conv1d: input must have 3 dimensions, or 2 without a batch;"
            f" got input {show(input.shape)}"
        )
    if weight.dim() != 3:
        raise RuntimeError(
            f"conv1d: weight must have 3 dimensions; got weight {show(weight.shape)}"
        )
    check_channels("conv1d", input.shape[rank - 2], weight.shape, groups)
    if bias is not None:
        check_bias("conv1d", bias.shape, weight.shape)
    step = one("conv1d", "stride", stride, 1)
    pad = one("conv1d", "padding", padding, 0)
    gap = one("conv1d", "dilation", dilation, 1)
    places("conv1d", input.shape[rank - 1], weight.shape[2], step, pad, gap)
    rows = ops.conv2d(
        ops.unsqueeze(input, -2),
        ops.unsqueeze(weight, -2),
        bias,
        (1, step),
        (0, pad),
        (1, gap),
        groups,
    )
    return ops.squeeze(rows, -2)


def one(op: str, name: str, values: Ints, least: int) -> int:
    """A number for the one direction, not below `least`."""
    if len(values) != 1 or values[0] < least:
        raise RuntimeError(
            f"{op}: {name} must be one number of at least {least}; got {show(values)}"
        )
    return values[0]
