"""Reference values of the scans."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, cast
from ..expected import Expected, exact, undetermined, within_bound
from ..wide import widen
from .common import is_integer, normal_dim, wrapping
from .reduce import accumulation_eps


def cumsum(self: Any, dim: int, dtype: str | None) -> Expected:
    """Prefix sums along a dim; integers and bool are summed in int64."""
    result = dtype or ("int64" if is_integer(self.dtype) else self.dtype)
    values = cast(self.data, self.info, DTYPES[result])
    axis = normal_dim(dim, len(self.shape))
    if not self.shape:
        return exact(result, values, any_zero_sign=True)  # a sum may begin with +0
    if is_integer(result):
        return exact(result, np.cumsum(wrapping(values), axis=axis))
    wide = widen(values, result)
    with np.errstate(all="ignore"):
        size = np.cumsum(np.abs(wide), axis=axis)
        count = np.arange(1, self.shape[axis] + 1).reshape((-1,) + (1,) * (wide.ndim - axis - 1))
        # Terms are added one after the other: errors grow like a random walk.
        factor = (2 * np.sqrt(count) + 8) * accumulation_eps(result)
        bound = np.where(np.isfinite(size), size, 0) * factor
        return within_bound(result, np.cumsum(wide, axis=axis), bound)


def cumprod(self: Any, dim: int, dtype: str | None) -> Expected:
    """Prefix products along a dim; integers and bool are multiplied in int64."""
    result = dtype or ("int64" if is_integer(self.dtype) else self.dtype)
    values = cast(self.data, self.info, DTYPES[result])
    axis = normal_dim(dim, len(self.shape))
    if not self.shape:
        return exact(result, values, any_zero_sign=True)
    if is_integer(result):
        return exact(result, np.cumprod(wrapping(values), axis=axis))
    wide = widen(values, result)
    with np.errstate(all="ignore"):
        value = np.cumprod(wide, axis=axis)
        count = np.arange(1, self.shape[axis] + 1).reshape((-1,) + (1,) * (wide.ndim - axis - 1))
        steps = count * (4 if DTYPES[result].is_complex else 1)
        size = np.where(np.isfinite(value), np.abs(value), 0)
        return within_bound(result, value, size * steps * accumulation_eps(result))


def logcumsumexp(self: Any, dim: int) -> Expected:
    """The logarithm of prefix sums of exponentials."""
    x = widen(self.data, self.dtype).astype(np.longdouble)  # the judge's own sum drifts as well
    if not self.shape or x.size == 0:
        return within_bound(self.dtype, x, 4 * accumulation_eps(self.dtype))
    axis = normal_dim(dim, len(self.shape))
    with np.errstate(all="ignore"):
        value = np.logaddexp.accumulate(x, axis=axis)
        value = np.where(np.maximum.accumulate(x, axis=axis) == np.inf, np.inf, value)
        value = np.where(np.isnan(np.maximum.accumulate(x, axis=axis)), np.nan, value)
        count = np.arange(1, self.shape[axis] + 1).reshape((-1,) + (1,) * (x.ndim - axis - 1))
        # Every dtype adds its exponentials in double: twice the walk that is seen in 100,000 terms.
        bound = DTYPES["float64"].eps * (4 * np.sqrt(count) + 8)
        if self.dtype != "float64":
            halves = accumulation_eps(self.dtype) if self.info.itemsize == 2 else 0.0
            bound = bound + (DTYPES["float64"].eps + halves) * np.abs(value)
        bound = np.where(np.isfinite(value) & np.isfinite(bound), bound, 0)
    return within_bound(self.dtype, value, bound)


def cummax(self: Any, dim: int) -> tuple[Expected, Expected]:
    """The largest so far, NaN from the first on, and where one is."""
    return _extreme(np.maximum, self, dim)


def cummin(self: Any, dim: int) -> tuple[Expected, Expected]:
    """The smallest so far, NaN from the first on, and where one is."""
    return _extreme(np.minimum, self, dim)


def _extreme(of_two: Any, self: Any, dim: int) -> tuple[Expected, Expected]:
    if not self.shape:
        return exact(self.dtype, self.data), exact("int64", np.zeros((), np.int64))
    axis = normal_dim(dim, len(self.shape))
    values = of_two.accumulate(self.data, axis=axis)
    line = np.arange(self.shape[axis]).reshape((-1,) + (1,) * (self.data.ndim - axis - 1))

    def check(results: list[Array]) -> str | None:
        found, places = results
        if np.any((places < 0) | (places > line)):
            return "an index must be a place so far"
        taken = np.take_along_axis(self.data, places, axis)
        same = np.array_equal(taken, found, equal_nan=taken.dtype.kind == "f")
        return None if same else "self at the indices must be the values"

    return (
        exact(self.dtype, values, any_zero_sign=True),
        undetermined("int64", values.shape, holds=check),
    )
