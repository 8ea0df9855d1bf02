"""Reference values of convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import Array
from ..expected import Expected, within_bound
from ..tensors import Tensor
from ..wide import widen
from .matmul import magnitude, product_bound


def conv2d(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Expected:
    """Cross-correlation of each group, plus the bias of each output channel."""
    dtype = input.dtype
    batched = len(input.shape) == 4
    x = widen(input.data, dtype)
    x = x if batched else x[None]
    w = widen(weight.data, dtype)
    steps = (_pair(stride), _pair(padding), _pair(dilation), groups)
    with np.errstate(all="ignore"):
        value = _correlate(x, w, *steps)
        size = _correlate(magnitude(x), magnitude(w), *steps)
    if bias is not None:
        shift = widen(bias.data, dtype)[:, None, None]
        value, size = value + shift, size + magnitude(shift)
    bound = product_bound(size, int(np.prod(w.shape[1:])), dtype)
    return within_bound(dtype, value if batched else value[0], bound if batched else bound[0])


def conv1d(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Expected:
    """Cross-correlation of rows: of images with one row."""
    step, pad, gap = ([rest, _pair(n)[1]] for rest, n in ((1, stride), (0, padding), (1, dilation)))
    image, kernel = (Tensor(t.dtype, t.data[..., None, :]) for t in (input, weight))
    found = conv2d(image, kernel, bias, step, pad, gap, groups)
    if found.value is None:
        raise ValueError("conv1d: a convolution has a value")
    return within_bound(input.dtype, found.value[..., 0, :], np.asarray(found.bound)[..., 0, :])


def _pair(value: Sequence[int] | int) -> tuple[int, int]:
    values = [value] if isinstance(value, int) else list(value)
    return (values[0], values[-1])


def _correlate(
    x: Array,
    w: Array,
    stride: tuple[int, int],
    padding: tuple[int, int],
    dilation: tuple[int, int],
    groups: int,
) -> Array:
    """Sum over kernel positions of shifted, strided inputs times weights."""
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    kernel = w.shape[2:]
    sizes = [
        (x.shape[2 + i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(2)
    ]
    grouped = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    weights = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    total = np.zeros((x.shape[0], groups, weights.shape[1], *sizes), x.dtype)
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            window = grouped[
                ...,
                row * dilation[0] :: stride[0],
                column * dilation[1] :: stride[1],
            ][..., : sizes[0], : sizes[1]]
            # n batch, g group, c input channel, o output channel
            total += np.einsum("ngcij,goc->ngoij", window, weights[..., row, column])
    return total.reshape(x.shape[0], w.shape[0], *sizes)
