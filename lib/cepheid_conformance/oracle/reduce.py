"""Reference values of the reductions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, cast
from ..expected import Expected, exact, within_bound
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


def amax(self: Any, dim: Sequence[int], keepdim: bool) -> Expected:
    """The largest element; NaN if there is one."""
    axes = reduced_axes(dim, len(self.shape))
    value = np.max(self.data, axis=axes, keepdims=keepdim) if axes else self.data
    return exact(self.dtype, value, any_zero_sign=True)


def argmax(self: Any, dim: int | None, keepdim: bool) -> Expected:
    """Index of the first largest element; NaN counts as the largest."""
    if dim is None:
        shape = (1,) * len(self.shape) if keepdim else ()
        return exact("int64", np.argmax(self.data.ravel()).reshape(shape))
    if not self.shape:
        return exact("int64", np.zeros((), np.int64))
    axis = normal_dim(dim, len(self.shape))
    return exact("int64", np.argmax(self.data, axis=axis, keepdims=keepdim))


def any(self: Any, dim: int | None = None, keepdim: bool = False) -> Expected:
    """Whether an element is not zero; uint8 stays uint8."""
    result = "uint8" if self.dtype == "uint8" else "bool"
    axes = reduced_axes(dim, len(self.shape))
    return exact(result, np.any(self.data != 0, axis=axes, keepdims=keepdim))


def equal(self: Any, other: Any) -> Expected:
    """Same shape and elements; NaN equals nothing."""
    same = self.shape == other.shape and bool(np.all(self.data == other.data))
    return Expected("bool", np.asarray(same), plain=True)
