"""Shapes of pooling, and pooling in one direction as pooling in two."""

from __future__ import annotations

from .prelude import Ints, Shape, Tensor, ops, show


def check_pooled(op: str, self: Shape, directions: int) -> None:
    """[n, c, ...] or [c, ...] with as many sizes behind as directions; only n may be 0."""
    rank = len(self)
    if rank != directions + 1 and rank != directions + 2:
        raise RuntimeError(
            f"{op}: input must have {directions + 2} dimensions, or {directions + 1} without a"
            f" batch; got {show(self)}"
        )
    for size in self[rank - directions - 1 :]:
        if size == 0:
            raise RuntimeError(f"{op}: only the batch may be empty; got input {show(self)}")


def per_direction(op: str, name: str, values: Ints, directions: int, least: int) -> Ints:
    """One number for all directions, or one for each; none below `least`."""
    if len(values) != 1 and len(values) != directions:
        raise RuntimeError(f"{op}: {name} must be one number or {directions}; got {show(values)}")
    result = ()
    for i in range(directions):
        value = values[0] if len(values) == 1 else values[i]
        if value < least:
            raise RuntimeError(f"{op}: {name} must be at least {least}; got {show(values)}")
        result = (*result, value)
    return result


def pooled_size(
    op: str, size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> int:
    """The number of windows in one direction; the last must begin inside the input."""
    if padding > kernel // 2:
        raise RuntimeError(
            f"{op}: padding must be at most half the kernel size; got padding {padding}"
            f" and kernel size {kernel}"
        )
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (room + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count = count - 1
    if room < 0 or count < 1:
        raise RuntimeError(
            f"{op}: the window must fit into the padded input; got size {size}, padding {padding},"
            f" kernel size {kernel} and dilation {dilation}, which leaves no output"
        )
    return count


def pooled(
    op: str,
    self: Shape,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
    directions: int,
) -> Shape:
    """The input's shape with its last sizes replaced by the numbers of windows."""
    kernel = per_direction(op, "kernel_size", kernel_size, directions, 1)
    step = per_direction(op, "stride", stride, directions, 1) if len(stride) > 0 else kernel
    pad = per_direction(op, "padding", padding, directions, 0)
    gap = per_direction(op, "dilation", dilation, directions, 1)
    check_pooled(op, self, directions)
    result = self[: len(self) - directions]
    for i in range(directions):
        size = self[len(self) - directions + i]
        result = (*result, pooled_size(op, size, kernel[i], step[i], pad[i], gap[i], ceil_mode))
    return result


def max_pool2d(
    op: str,
    self: Shape,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
) -> Shape:
    """[..., h, w]: h and w become the numbers of windows."""
    return pooled(op, self, kernel_size, stride, padding, dilation, ceil_mode, 2)


def max_pool2d_with_indices(
    op: str,
    self: Shape,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
) -> Shape:
    """As max_pool2d, for both results."""
    return pooled(op, self, kernel_size, stride, padding, dilation, ceil_mode, 2)


def avg_pool2d(
    op: str,
    self: Shape,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    ceil_mode: bool,
    divisor_override: int | None,
) -> Shape:
    """As max_pool2d without dilation; the divisor must not be 0."""
    if divisor_override is not None and divisor_override == 0:
        raise RuntimeError(f"{op}: divisor_override must not be 0; got 0")
    step = stride if stride is not None else ()
    return pooled(op, self, kernel_size, step, padding, (1,), ceil_mode, 2)


def check_adaptive(op: str, self: Shape, output_size: Ints, directions: int) -> None:
    """Raises RuntimeError where the input or the sizes asked for make no sense."""
    if len(output_size) != directions:
        raise RuntimeError(
            f"{op}: output_size must be one number per direction; got {show(output_size)}"
        )
    for size in output_size:
        if size < 0:
            raise RuntimeError(f"{op}: output_size must not be negative; got {show(output_size)}")
    check_pooled(op, self, directions)


def adaptive_pool2d(op: str, self: Shape, output_size: Ints) -> Shape:
    """The last two sizes become those asked for."""
    size = output_size + output_size if len(output_size) == 1 else output_size
    check_adaptive(op, self, size, 2)
    return (*self[: len(self) - 2], *size)


def avg_pool1d(
    self: Tensor,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Tensor:
    """Windows of one row."""
    pooled("avg_pool1d", self.shape, kernel_size, stride, padding, (1,), ceil_mode, 1)
    step = (1, stride[0]) if len(stride) > 0 else (1, kernel_size[0])
    rows = ops.unsqueeze(self, -2)
    result = ops.avg_pool2d(
        rows, (1, kernel_size[0]), step, (0, padding[0]), ceil_mode, count_include_pad, None
    )
    return ops.squeeze(result, -2)


def adaptive_avg_pool1d(self: Tensor, output_size: Ints) -> Tensor:
    """Windows of one row."""
    check_adaptive("adaptive_avg_pool1d", self.shape, output_size, 1)
    rows = ops.unsqueeze(self, -2)
    return ops.squeeze(ops.adaptive_avg_pool2d(rows, (1, output_size[0])), -2)


def max_pool1d(
    self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
) -> Tensor:
    """Windows of one row."""
    pooled("max_pool1d", self.shape, kernel_size, stride, padding, dilation, ceil_mode, 1)
    step = (1, stride[0]) if len(stride) > 0 else (1, kernel_size[0])
    result = ops.max_pool2d(
        ops.unsqueeze(self, -2),
        (1, kernel_size[0]),
        step,
        (0, padding[0]),
        (1, dilation[0]),
        ceil_mode,
    )
    return ops.squeeze(result, -2)
