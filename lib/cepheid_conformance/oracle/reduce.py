"""Reference values of the reductions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, cast
from ..expected import Expected, exact, undetermined, within_bound
from ..wide import widen
from .common import is_integer, normal_dim, wrapping


def reduced_axes(dim: Sequence[int] | int | None, rank: int) -> tuple[int, ...]:
    """The axes to fold: none named means all."""
    if dim is None or dim == []:
        return tuple(range(rank))
    dims = [dim] if isinstance(dim, int) else dim
    return tuple(normal_dim(item, rank) for item in dims) if rank else ()


def accumulation_eps(dtype: str) -> float:
    """Unit of the type in which terms are summed: 16-bit dtypes accumulate in float32."""
    return DTYPES["float32" if DTYPES[dtype].itemsize == 2 else dtype].eps


def pairwise_bound(values: Array, axes: tuple[int, ...], keepdim: bool, dtype: str) -> Array:
    """Error of a pairwise sum: (log2 n + 8) eps sum|x|."""
    count = math.prod(values.shape[axis] for axis in axes)
    size = np.sum(np.abs(values), axis=axes, keepdims=keepdim)
    factor = (math.log2(max(count, 1)) + 8) * accumulation_eps(dtype)
    return np.asarray(np.where(np.isfinite(size), size, 0) * factor)


def sum(
    self: Any,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: str | None = None,
) -> Expected:
    """The sum over dims; integers and bool are summed in int64."""
    result = dtype or ("int64" if is_integer(self.dtype) else self.dtype)
    axes = reduced_axes(dim, len(self.shape))
    values = cast(self.data, self.info, DTYPES[result])
    with np.errstate(all="ignore"):
        if is_integer(result):
            folded = wrapping(values).sum(axis=axes, keepdims=keepdim)
            return exact(result, folded.astype(bool) if result == "bool" else folded)
        wide = widen(values, result)
        bound = pairwise_bound(wide, axes, keepdim, result)
        return within_bound(result, np.asarray(wide.sum(axis=axes, keepdims=keepdim)), bound)


def mean(
    self: Any,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: str | None = None,
) -> Expected:
    """The sum divided by the count; of nothing, NaN."""
    result = dtype or self.dtype
    axes = reduced_axes(dim, len(self.shape))
    wide = widen(cast(self.data, self.info, DTYPES[result]), result)
    count = math.prod(self.shape[axis] for axis in axes)
    with np.errstate(all="ignore"):
        total = np.asarray(wide.sum(axis=axes, keepdims=keepdim))
        value = total / wide.dtype.type(count)
        bound = pairwise_bound(wide, axes, keepdim, result) / max(count, 1)
        bound = bound + DTYPES[result].eps * np.abs(np.where(np.isfinite(value), value, 0))
    return within_bound(result, np.asarray(value), bound)


def amax(self: Any, dim: Sequence[int] | int | None = None, keepdim: bool = False) -> Expected:
    """The largest element; NaN if there is one."""
    return _extreme(np.max, self, dim, keepdim)


def amin(self: Any, dim: Sequence[int] | int | None = None, keepdim: bool = False) -> Expected:
    """The smallest element; NaN if there is one."""
    return _extreme(np.min, self, dim, keepdim)


def _extreme(fold: Any, self: Any, dim: Sequence[int] | int | None, keepdim: bool) -> Expected:
    axes = reduced_axes(dim, len(self.shape))
    value = fold(self.data, axis=axes, keepdims=keepdim) if axes else self.data
    return exact(self.dtype, value, any_zero_sign=True)


def aminmax(self: Any, dim: int | None, keepdim: bool) -> tuple[Expected, Expected]:
    """The smallest and the largest element."""
    return amin(self, dim, keepdim), amax(self, dim, keepdim)


def max_dim(self: Any, dim: int, keepdim: bool) -> tuple[Expected, Expected]:
    """The largest element of each line, and where one is: which of several is open."""
    return amax(self, dim, keepdim), _place(self, dim, keepdim)


def min_dim(self: Any, dim: int, keepdim: bool) -> tuple[Expected, Expected]:
    """The smallest element of each line, and where one is: which of several is open."""
    return amin(self, dim, keepdim), _place(self, dim, keepdim)


def _place(self: Any, dim: int, keepdim: bool) -> Expected:
    """An index at which the line has its result."""
    data = self.data if self.shape else self.data.reshape(1)
    axis = normal_dim(dim, data.ndim)
    shape = tuple(1 if i == axis else size for i, size in enumerate(data.shape))

    def check(results: list[Array]) -> str | None:
        values, places = (np.reshape(result, shape) for result in results)
        if np.any((places < 0) | (places >= data.shape[axis])):
            return "the indices must be places of the line"
        found = np.take_along_axis(data, places, axis)
        if np.array_equal(found, values, equal_nan=data.dtype.kind == "f"):
            return None
        return "self at the indices must be the values"

    kept = shape if keepdim else shape[:axis] + shape[axis + 1 :]
    return undetermined("int64", kept if self.shape else (), holds=check)


def argmax(self: Any, dim: int | None, keepdim: bool) -> Expected:
    """Index of the first largest element; NaN counts as the largest."""
    return _first(np.argmax, self, dim, keepdim)


def argmin(self: Any, dim: int | None, keepdim: bool) -> Expected:
    """Index of the first smallest element; NaN counts as the smallest."""
    return _first(np.argmin, self, dim, keepdim)


def _first(find: Any, self: Any, dim: int | None, keepdim: bool) -> Expected:
    if dim is None:
        shape = (1,) * len(self.shape) if keepdim else ()
        return exact("int64", find(self.data.ravel()).reshape(shape))
    if not self.shape:
        return exact("int64", np.zeros((), np.int64))
    axis = normal_dim(dim, len(self.shape))
    return exact("int64", find(self.data, axis=axis, keepdims=keepdim))


def any(self: Any, dim: Sequence[int] | int | None = None, keepdim: bool = False) -> Expected:
    """Whether an element is not zero; uint8 stays uint8. Of no dim ([]), of each element."""
    return _truth(np.any, self, dim, keepdim)


def all(self: Any, dim: Sequence[int] | int | None = None, keepdim: bool = False) -> Expected:
    """Whether no element is zero; uint8 stays uint8. Of no dim ([]), of each element."""
    return _truth(np.all, self, dim, keepdim)


def _truth(fold: Any, self: Any, dim: Sequence[int] | int | None, keepdim: bool) -> Expected:
    result = "uint8" if self.dtype == "uint8" else "bool"
    axes = () if dim == [] else reduced_axes(dim, len(self.shape))
    return exact(result, fold(self.data != 0, axis=axes, keepdims=keepdim))


def count_nonzero(self: Any, dim: Sequence[int] | int | None = None) -> Expected:
    """How many elements are not zero."""
    axes = reduced_axes(dim, len(self.shape))
    return exact("int64", np.sum(self.data != 0, axis=axes, dtype=np.int64))


def nansum(
    self: Any,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: str | None = None,
) -> Expected:
    """The sum of what is not NaN."""
    data = self.data
    if self.info.is_floating:
        data = np.where(np.isnan(data), np.zeros((), data.dtype), data)
    return sum(self.replaced(data), dim, keepdim, dtype)


def prod(
    self: Any, dim: int | None = None, keepdim: bool = False, dtype: str | None = None
) -> Expected:
    """The product over a dim or all; integers and bool are multiplied in int64."""
    result = dtype or ("int64" if is_integer(self.dtype) else self.dtype)
    axes = reduced_axes(dim, len(self.shape))
    values = cast(self.data, self.info, DTYPES[result])
    with np.errstate(all="ignore"):
        if is_integer(result):
            folded = wrapping(values).prod(axis=axes, keepdims=keepdim)
            return exact(result, folded.astype(bool) if result == "bool" else folded)
        value = np.asarray(widen(values, result).prod(axis=axes, keepdims=keepdim))
        count = math.prod(values.shape[axis] for axis in axes)
        # Every multiplication rounds once; one of complex numbers up to four times.
        steps = count * (4 if DTYPES[result].is_complex else 1)
        size = np.where(np.isfinite(value), np.abs(value), 0)
        bound = np.asarray(size * (steps * accumulation_eps(result)))
    return within_bound(result, value, bound + DTYPES[result].smallest)


def var(
    self: Any,
    dim: Sequence[int] | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    correction: float | None = None,
) -> Expected:
    """The squared distances from the mean, divided by the count less the correction."""
    return _spread(self, dim, _correction(unbiased, correction), keepdim, root=False)


def std(
    self: Any,
    dim: Sequence[int] | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    correction: float | None = None,
) -> Expected:
    """The root of the variance."""
    return _spread(self, dim, _correction(unbiased, correction), keepdim, root=True)


def var_mean(self: Any, dim: Any = None, **options: Any) -> tuple[Expected, Expected]:
    """The variance and the mean."""
    return var(self, dim, **options), mean(self, dim, options.get("keepdim", False))


def std_mean(self: Any, dim: Any = None, **options: Any) -> tuple[Expected, Expected]:
    """The root of the variance and the mean."""
    return std(self, dim, **options), mean(self, dim, options.get("keepdim", False))


def _correction(unbiased: bool, correction: float | None) -> float:
    return correction if correction is not None else float(unbiased)


def _spread(
    self: Any, dim: Sequence[int] | None, correction: float, keepdim: bool, root: bool
) -> Expected:
    dtype = self.info.real_name if self.info.is_complex else self.dtype
    axes = reduced_axes(dim, len(self.shape))
    x = widen(self.data, self.dtype)
    count = math.prod(self.shape[axis] for axis in axes)
    unit = accumulation_eps(dtype)
    with np.errstate(all="ignore"):
        distances = np.abs(x - x.sum(axis=axes, keepdims=True) / max(count, 1)) ** 2
        if self.info.is_complex:  # an infinite part has no distance from an infinite mean
            distances = np.where(np.isfinite(x), distances, np.nan)
        squares = distances.sum(axis=axes, keepdims=keepdim)
        value = np.asarray(squares / max(0.0, count - correction))
        relative = (math.log2(max(count, 1)) + 8) * unit
        # The rounding of the mean is a distance that all terms share.
        size = np.abs(x).max(axis=axes, keepdims=keepdim) if x.size else np.zeros(value.shape)
        bound = value * relative + (relative * size) ** 2 * count / max(0.5, count - correction)
        if root:
            value, bound = np.sqrt(value), bound / np.sqrt(value)
            bound = np.where(value == 0, relative * size, bound)
        bound = np.where(np.isfinite(value) & np.isfinite(bound), bound, 0)
    return within_bound(dtype, value, np.asarray(bound))


def vector_norm(
    self: Any,
    ord: float = 2,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: str | None = None,
) -> Expected:
    """The p-norm of the elements; the largest, the smallest or the number of them in the limits."""
    source = dtype or self.dtype
    result = DTYPES[source].real_name if DTYPES[source].is_complex else source
    axes = reduced_axes(dim, len(self.shape))
    x = np.abs(widen(cast(self.data, self.info, DTYPES[source]), source))
    count = math.prod(self.shape[axis] for axis in axes)
    with np.errstate(all="ignore"):
        if x.size == 0 or not axes:
            value = x.sum(axis=axes, keepdims=keepdim) if ord != 0 or x.size == 0 else (x != 0)
        elif math.isinf(ord):
            value = (np.max if ord > 0 else np.min)(x, axis=axes, keepdims=keepdim)
        elif ord == 0:
            value = np.where(x != 0, 1, 0).sum(axis=axes, keepdims=keepdim)
        else:
            value = _power_norm(x, ord, axes, keepdim)
        value = np.asarray(value).astype(x.dtype)
        relative = (math.log2(max(count, 1)) + 8) * accumulation_eps(result)
        bound = np.where(np.isfinite(value), value * relative, 0)
    return within_bound(result, value, bound + DTYPES[result].smallest)


def _power_norm(x: Array, p: float, axes: tuple[int, ...], keepdim: bool) -> Array:
    """Scaled by the largest magnitude (the smallest for a negative p), so nothing overflows."""
    scale = (np.max if p > 0 else np.min)(x, axis=axes, keepdims=True)
    plain = np.isfinite(scale) & (scale > 0)
    power = np.asarray(p, x.dtype)
    total = ((x / np.where(plain, scale, 1)) ** power).sum(axis=axes, keepdims=True)
    value = np.where(plain, total ** (1 / power) * scale, scale)
    value = np.where(np.isnan(x).any(axis=axes, keepdims=True), np.nan, value)
    return value if keepdim else value.reshape(np.sum(x, axis=axes).shape)


def equal(self: Any, other: Any) -> Expected:
    """Same shape and elements; NaN equals nothing."""
    same = self.shape == other.shape and bool(np.all(self.data == other.data))
    return Expected("bool", np.asarray(same), plain=True)
