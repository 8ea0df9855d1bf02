"""Reference values of the sorts: NaN is the largest, -0 equals +0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import Array
from ..expected import Expected, exact, undetermined
from .common import normal_dim


def stable_order(values: Array, axis: int, descending: bool) -> Array:
    """Indices of a stable sort; equal elements keep their order in both directions."""
    if not descending:
        return np.argsort(values, axis=axis, kind="stable")
    order = np.argsort(np.flip(values, axis), axis=axis, kind="stable")
    return np.flip(values.shape[axis] - 1 - order, axis)


def sort(
    self: Any, dim: int, descending: bool, stable: bool | None = None
) -> tuple[Expected, Expected]:
    """Sorted values and where each came from; without `stable` the order of ties is open."""
    values, order = _sorted(self, dim, descending)
    if stable:
        return exact(self.dtype, values), exact("int64", order)
    holds = _sorts(self.data, values, dim, lambda results: results[1])
    return (
        exact(self.dtype, values, any_zero_sign=True),
        undetermined("int64", order.shape, holds=holds),
    )


def argsort(self: Any, dim: int, descending: bool) -> Expected:
    """Indices that sort; the order of ties is open."""
    values, order = _sorted(self, dim, descending)
    holds = _sorts(self.data, values, dim, lambda results: results[0])
    return undetermined("int64", order.shape, holds=holds)


def msort(self: Any) -> Expected:
    """Sorted along the first dim."""
    return exact(self.dtype, _sorted(self, 0, False)[0], any_zero_sign=True)


def topk(self: Any, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Expected, Expected]:
    """The first k of a sort; not `sorted`, in any order. Which of equal elements is open."""
    values, _ = _sorted(self, dim, largest)
    if not self.shape:
        return exact(self.dtype, values), exact("int64", np.zeros((), np.int64))
    axis = normal_dim(dim, len(self.shape))
    first = values.take(range(k), axis=axis)

    def check(results: list[Array]) -> str | None:
        found, places = results
        if np.any((places < 0) | (places >= self.shape[axis])):
            return "the indices must be places of the line"
        line = np.sort(places, axis=axis)
        if np.any(np.diff(line, axis=axis) == 0):
            return "no index may be twice among those of a line"
        taken = np.take_along_axis(self.data, places, axis)
        same = np.array_equal(taken, found, equal_nan=taken.dtype.kind == "f")
        return None if same else "self at the indices must be the values"

    if sorted:
        return (
            exact(self.dtype, first, any_zero_sign=True),
            undetermined("int64", first.shape, holds=check),
        )

    def same_values(results: list[Array]) -> str | None:
        ordered = np.sort(results[0], axis=axis)
        same = np.array_equal(ordered, np.sort(first, axis=axis), equal_nan=first.dtype.kind == "f")
        return None if same else "the values must be the k first of a sort"

    return (
        undetermined(self.dtype, first.shape, holds=same_values),
        undetermined("int64", first.shape, holds=check),
    )


def kthvalue(self: Any, k: int, dim: int, keepdim: bool) -> tuple[Expected, Expected]:
    """The k-th smallest element, and where one is."""
    values, _ = _sorted(self, dim, False)
    if not self.shape:
        return exact(self.dtype, values), exact("int64", np.zeros((), np.int64))
    axis = normal_dim(dim, len(self.shape))
    return _element(self, values.take([k - 1], axis=axis), axis, keepdim)


def _element(self: Any, value: Array, axis: int, keepdim: bool) -> tuple[Expected, Expected]:
    shape = value.shape

    def check(results: list[Array]) -> str | None:
        found, places = (np.reshape(result, shape) for result in results)
        if np.any((places < 0) | (places >= self.shape[axis])):
            return "the indices must be places of the line"
        taken = np.take_along_axis(self.data, places, axis)
        same = np.array_equal(taken, found, equal_nan=taken.dtype.kind == "f")
        return None if same else "self at the indices must be the values"

    value = value if keepdim else value.squeeze(axis)
    return (
        exact(self.dtype, value, any_zero_sign=True),
        undetermined("int64", value.shape, holds=check),
    )


def median(self: Any) -> Expected:
    """The lower of the middle elements; NaN if there is one, or nothing."""
    return _median_all(self, ignore=False)


def nanmedian(self: Any) -> Expected:
    """The same of what isn't NaN."""
    return _median_all(self, ignore=True)


def _median_all(self: Any, ignore: bool) -> Expected:
    if self.data.size == 0:
        return exact(self.dtype, np.asarray(np.nan))
    value = _median_line(self.data.reshape(-1), ignore)
    return exact(self.dtype, value, any_zero_sign=True)


def median_dim(self: Any, dim: int, keepdim: bool) -> tuple[Expected, Expected]:
    """The lower of the middle elements of each line, and where one is."""
    return _median_dim(self, dim, keepdim, ignore=False)


def nanmedian_dim(self: Any, dim: int, keepdim: bool) -> tuple[Expected, Expected]:
    """The same of what isn't NaN."""
    return _median_dim(self, dim, keepdim, ignore=True)


def _median_dim(self: Any, dim: int, keepdim: bool, ignore: bool) -> tuple[Expected, Expected]:
    if not self.shape:
        return exact(self.dtype, self.data), exact("int64", np.zeros((), np.int64))
    axis = normal_dim(dim, len(self.shape))
    if self.data.size == 0:
        shape = tuple(1 if i == axis else size for i, size in enumerate(self.shape))
        value = np.zeros(shape, self.data.dtype)
    else:
        value = np.apply_along_axis(_median_line, axis, self.data, ignore)
        value = np.expand_dims(value, axis)
    return _element(self, value, axis, keepdim)


def _median_line(line: Array, ignore: bool) -> Array:
    numbers = line[~np.isnan(line)] if line.dtype.kind == "f" else line
    if len(numbers) == 0 or (len(numbers) < len(line) and not ignore):
        return np.asarray(np.nan, line.dtype)
    return np.asarray(np.sort(numbers)[(len(numbers) - 1) // 2])


def _sorted(self: Any, dim: int, descending: bool) -> tuple[Array, Array]:
    if not self.shape:
        return self.data, np.zeros((), np.int64)
    axis = normal_dim(dim, len(self.shape))
    order = stable_order(self.data, axis, descending)
    return np.take_along_axis(self.data, order, axis), order


def _sorts(
    data: Array, values: Array, dim: int, pick: Callable[[list[Array]], Array]
) -> Callable[[list[Array]], str | None]:
    """The property of an order: a permutation that puts the values in place."""

    def check(results: list[Array]) -> str | None:
        order = pick(results)
        if not data.shape:
            return None if order == 0 else f"the index of a single value must be 0; got {order}"
        axis = normal_dim(dim, data.ndim)
        line = np.arange(data.shape[axis]).reshape((-1,) + (1,) * (data.ndim - axis - 1))
        if not np.array_equal(np.sort(order, axis=axis), np.broadcast_to(line, data.shape)):
            return "the indices must be a permutation"
        if not np.array_equal(
            np.take_along_axis(data, order, axis), values, equal_nan=data.dtype.kind == "f"
        ):
            return "self gathered by the indices must be sorted"
        return None

    return check
