"""Reference values of indexing, by NumPy's own indexing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, cast
from ..expected import Expected, exact, within_bound
from ..promotion import promote_types
from ..wide import widen
from .common import converted, is_integer, normal_dim, wrapping


def _key(indices: Sequence[Any]) -> tuple[Any, ...]:
    """None selects everything."""
    return tuple(slice(None) if index is None else index.data for index in indices)


def index(self: Any, indices: Sequence[Any]) -> Expected:
    """self[indices] with integer and boolean tensors."""
    return exact(self.dtype, self.data[_key(indices)])


def index_put(self: Any, indices: Sequence[Any], values: Any, accumulate: bool) -> Expected:
    """A copy of self with elements replaced or added to."""
    key = _key(indices)
    if not accumulate:
        result = self.data.copy()
        result[key] = values.data
        return exact(self.dtype, result)
    if is_integer(self.dtype):
        total = wrapping(self.data)
        np.add.at(total, key, wrapping(values.data))
        return exact(self.dtype, total)
    wide, size = widen(self.data, self.dtype), np.abs(widen(self.data, self.dtype))
    added = widen(values.data, self.dtype)
    count = np.ones(self.shape)
    np.add.at(wide, key, added)
    np.add.at(size, key, np.abs(added))
    np.add.at(count, key, 1.0)
    # Terms are added one after the other in the tensor's own dtype.
    return within_bound(self.dtype, wide, count * DTYPES[self.dtype].eps * size)


def index_select(self: Any, dim: int, index: Any) -> Expected:
    """Whole slices along a dim, in the order of the index."""
    if not self.shape:
        return exact(self.dtype, self.data)
    order = np.atleast_1d(index.data)
    return exact(self.dtype, np.take(self.data, order, axis=normal_dim(dim, len(self.shape))))


def gather(self: Any, dim: int, index: Any, sparse_grad: bool = False) -> Expected:
    """Elements along a dim, one per element of the index."""
    if not self.shape:
        return exact(self.dtype, np.broadcast_to(self.data, index.shape))
    axis = normal_dim(dim, len(self.shape))
    places: list[Array] = list(np.indices(index.shape))
    places[axis] = index.data
    return exact(self.dtype, self.data[tuple(places)])


def masked_fill(self: Any, mask: Any, value: Any) -> Expected:
    """value where the mask holds, self elsewhere, over their common shape."""
    return exact(self.dtype, np.where(mask.data, converted(value, self.dtype), self.data))


def nonzero(self: Any) -> Expected:
    """The indices of elements that aren't zero, one row each."""
    found = np.argwhere(self.data != 0)
    return exact("int64", found.reshape(len(found), len(self.shape)))


def cat(tensors: Sequence[Any], dim: int) -> Expected:
    """Tensors one after the other along a dim, in their common dtype."""
    dtype = tensors[0].dtype
    for tensor in tensors[1:]:
        dtype = promote_types(dtype, tensor.dtype)
    parts = [cast(tensor.data, tensor.info, DTYPES[dtype]) for tensor in tensors]
    return exact(dtype, np.concatenate(parts, axis=normal_dim(dim, len(tensors[0].shape))))
