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
