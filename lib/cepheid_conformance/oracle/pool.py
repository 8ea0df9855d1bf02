"""Reference values of pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import Array, integer_range
from ..expected import Expected, exact, within_bound
from ..wide import widen
from .matmul import magnitude
from .reduce import accumulation_eps

# Where the windows of one direction lie: their elements inside, and how many they have in all.
_Windows = list[tuple[list[int], int]]


def _numbers(value: Sequence[int] | int, directions: int) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    return values if len(values) == directions else values * directions


def _windows(
    size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> _Windows:
    """Each window's elements of [0, size), and its size with the padding on both sides."""
    extent = dilation * (kernel - 1) + 1
    room = size + 2 * padding - extent
    count = (math.ceil if ceil_mode else math.floor)(room / stride) + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    found = []
    for i in range(count):
        places = [i * stride - padding + k * dilation for k in range(kernel)]
        inside = [place for place in places if 0 <= place < size]
        found.append((inside, sum(place < size + padding for place in places)))
    return found


def _directions(self: Any, directions: int, *numbers: Any, ceil_mode: bool) -> list[_Windows]:
    """The windows of each direction, for kernel size, stride, padding and dilation."""
    kernel, stride, padding, dilation = numbers
    rows = [_numbers(kernel, directions)]
    rows.append(_numbers(stride, directions) if stride not in (None, [], ()) else rows[0])
    rows += [_numbers(padding, directions), _numbers(dilation, directions)]
    sizes = self.shape[len(self.shape) - directions :]
    return [
        _windows(sizes[d], rows[0][d], rows[1][d], rows[2][d], rows[3][d], ceil_mode)
        for d in range(directions)
    ]


def _maxima(self: Any, rows: _Windows, columns: _Windows) -> tuple[Array, Array]:
    """Largest elements and their places in the plane: of equal ones the first, of NaN the last.
    A window that lies wholly in the padding holds nothing but minus infinity."""
    data, width = self.data, self.shape[-1]
    lead = data.shape[:-2]
    values = np.full((*lead, len(rows), len(columns)), _lowest(self), data.dtype)
    places = np.zeros(values.shape, np.int64)
    for i, (ys, _) in enumerate(rows):
        for j, (xs, _) in enumerate(columns):
            flat = np.array([y * width + x for y in ys for x in xs])
            if not len(flat):
                continue
            window = data[..., ys, :][..., xs].reshape(*lead, len(flat))
            nan = window != window
            last_nan = window.shape[-1] - 1 - np.argmax(nan[..., ::-1], axis=-1)
            first = np.argmax(np.where(nan, -np.inf, window) if nan.any() else window, axis=-1)
            chosen = np.where(nan.any(axis=-1), last_nan, first)
            values[..., i, j] = np.take_along_axis(window, chosen[..., None], -1)[..., 0]
            places[..., i, j] = flat[chosen]
    return values, places


def _lowest(self: Any) -> Any:
    return -np.inf if self.info.is_inexact else integer_range(self.info)[0]


def _averages(self: Any, windows: list[_Windows], divisors: Array) -> Expected:
    data = widen(self.data, self.dtype)
    data = data if len(windows) == 2 else data[..., None, :]
    rows, columns = windows if len(windows) == 2 else ([([0], 1)], windows[0])
    sums = np.zeros((*data.shape[:-2], len(rows), len(columns)), data.dtype)
    sizes = np.zeros_like(sums)
    terms = 1
    with np.errstate(all="ignore"):
        for i, (ys, _) in enumerate(rows):
            for j, (xs, _) in enumerate(columns):
                window = data[..., ys, :][..., xs]
                sums[..., i, j] = window.sum(axis=(-2, -1))
                sizes[..., i, j] = magnitude(window).sum(axis=(-2, -1))
                terms = max(terms, len(ys) * len(xs))
        value = sums / divisors
        bound = sizes / np.abs(divisors) * (2 * math.sqrt(terms) + 4) * accumulation_eps(self.dtype)
    if len(windows) == 1:
        value, bound = value[..., 0, :], bound[..., 0, :]
    return within_bound(self.dtype, value, bound)


def _divisors(windows: list[_Windows], with_padding: bool) -> Array:
    rows, columns = windows if len(windows) == 2 else ([([0], 1)], windows[0])
    sizes = [[full if with_padding else len(inside) for inside, full in w] for w in (rows, columns)]
    return np.outer(np.array(sizes[0]), np.array(sizes[1])).astype(np.float64)


def max_pool2d(
    self: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Expected:
    """The largest element of each window."""
    windows = _directions(self, 2, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode)
    return exact(self.dtype, _maxima(self, *windows)[0])


def max_pool1d(
    self: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Expected:
    """The largest element of each window of a row."""
    (row,) = _directions(self, 1, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode)
    plane = self.replaced(self.data[..., None, :])
    return exact(self.dtype, _maxima(plane, [([0], 1)], row)[0][..., 0, :])


def max_pool2d_with_indices(
    self: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[Expected, Expected]:
    """The largest element of each window and its place in the plane."""
    windows = _directions(self, 2, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode)
    values, places = _maxima(self, *windows)
    return exact(self.dtype, values), exact("int64", places)


def avg_pool2d(
    self: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Expected:
    """The sum of each window by its size, with or without the padding, or by a given number."""
    windows = _directions(self, 2, kernel_size, stride, padding, 1, ceil_mode=ceil_mode)
    divisors = _divisors(windows, count_include_pad)
    if divisor_override is not None:
        divisors = np.full_like(divisors, divisor_override)
    return _averages(self, windows, divisors)


def avg_pool1d(
    self: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Expected:
    """The mean of each window of a row."""
    windows = _directions(self, 1, kernel_size, stride, padding, 1, ceil_mode=ceil_mode)
    return _averages(self, windows, _divisors(windows, count_include_pad))


def _adaptive(self: Any, output_size: Sequence[int]) -> Expected:
    """Means of windows that cover everything, from floor(i n / k) to ceil((i + 1) n / k)."""
    windows: list[_Windows] = []
    for size, count in zip(self.shape[-len(output_size) :], output_size, strict=True):
        ends = [(i * size // count, -((-(i + 1) * size) // count)) for i in range(count)]
        windows.append([(list(range(a, b)), b - a) for a, b in ends])
    return _averages(self, windows, _divisors(windows, False))


def adaptive_avg_pool2d(self: Any, output_size: Any) -> Expected:
    """As many windows as asked for in each direction."""
    return _adaptive(self, _numbers(output_size, 2))


def adaptive_avg_pool1d(self: Any, output_size: Any) -> Expected:
    """As many windows of a row as asked for."""
    return _adaptive(self, _numbers(output_size, 1))
