"""Reference values of convolutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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


def conv2d_input(
    input_size: Sequence[int],
    weight: Any,
    grad_output: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Expected:
    """Each element of the gradient, times the weight, at the places that it was made of."""
    terms = weight.shape[0] // groups * int(np.prod(weight.shape[2:]))
    steps = (_pair(stride), _pair(padding), _pair(dilation), groups)
    return _adjoint(_scattered, tuple(input_size), grad_output, weight, steps, terms)


def conv2d_weight(
    input: Any,
    weight_size: Sequence[int],
    grad_output: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Expected:
    """Each element of the kernel: the gradient times the input that it met."""
    terms = grad_output.shape[0] * int(np.prod(grad_output.shape[2:]))
    steps = (_pair(stride), _pair(padding), _pair(dilation), groups)
    return _adjoint(_met, tuple(weight_size), grad_output, input, steps, terms)


def _adjoint(
    function: Callable[..., Array],
    shape: tuple[int, ...],
    grad: Any,
    other: Any,
    steps: tuple[Any, ...],
    terms: int,
) -> Expected:
    """Its value for the gradient and the other operand, each element a sum of so many terms."""
    g, x = widen(grad.data, grad.dtype), widen(other.data, grad.dtype)
    with np.errstate(all="ignore"):
        value = function(shape, g, x, *steps)
        size = function(shape, magnitude(g), magnitude(x), *steps)
    return within_bound(grad.dtype, value, product_bound(size, terms, grad.dtype))


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


def _windows(
    kernel: tuple[int, ...],
    sizes: tuple[int, ...],
    stride: tuple[int, int],
    dilation: tuple[int, int],
) -> Iterator[tuple[int, int, tuple[slice, slice]]]:
    """For each element of the kernel, the places of a padded image that it lies over."""
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            first = row * dilation[0], column * dilation[1]
            rows, columns = (
                slice(first[i], first[i] + (sizes[i] - 1) * stride[i] + 1, stride[i])
                for i in range(2)
            )
            yield row, column, (rows, columns)


def _scattered(
    image: tuple[int, ...],
    g: Array,
    w: Array,
    stride: tuple[int, int],
    padding: tuple[int, int],
    dilation: tuple[int, int],
    groups: int,
) -> Array:
    """The adjoint of _correlate in the image."""
    padded = tuple(image[2 + i] + 2 * padding[i] for i in range(2))
    total = np.zeros((image[0], groups, image[1] // groups, *padded), np.result_type(g, w))
    grads = g.reshape(g.shape[0], groups, g.shape[1] // groups, *g.shape[2:])
    weights = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    places = _windows(w.shape[2:], g.shape[2:], stride, dilation)
    for row, column, (rows, columns) in places:
        part = np.einsum("ngoij,goc->ngcij", grads, weights[..., row, column])
        total[..., rows, columns] += part
    inner = (slice(padding[0], padding[0] + image[2]), slice(padding[1], padding[1] + image[3]))
    return total[..., inner[0], inner[1]].reshape(image)


def _met(
    weight: tuple[int, ...],
    g: Array,
    x: Array,
    stride: tuple[int, int],
    padding: tuple[int, int],
    dilation: tuple[int, int],
    groups: int,
) -> Array:
    """The adjoint of _correlate in the weight."""
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    grouped = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    grads = g.reshape(g.shape[0], groups, g.shape[1] // groups, *g.shape[2:])
    total = np.zeros((groups, weight[0] // groups, *weight[1:]), np.result_type(g, x))
    places = _windows(weight[2:], g.shape[2:], stride, dilation)
    for row, column, (rows, columns) in places:
        window = grouped[..., rows, columns]
        total[..., row, column] = np.einsum("ngoij,ngcij->goc", grads, window)
    return total.reshape(weight)
