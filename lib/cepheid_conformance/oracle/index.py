"""Reference values of indexing, by NumPy's own indexing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, cast, integer_range
from ..expected import Expected, exact, within_bound
from ..promotion import promote_types
from ..tensors import Tensor
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
    dtype, parts = _common(tensors)
    return exact(dtype, np.concatenate(parts, axis=normal_dim(dim, len(tensors[0].shape))))


def _axis(self: Any, dim: int) -> int:
    return normal_dim(dim, len(self.shape))


def _places(dim: int, index: Any) -> tuple[Array, ...]:
    """The coordinates that an index names along a dim, one per element."""
    chosen = np.atleast_1d(index.data)
    places: list[Array] = list(np.indices(chosen.shape))
    places[dim] = chosen
    return tuple(places)


def _terms(source: Any, index: Any) -> Array:
    """The part of a source that belongs to the elements of an index; a number serves all."""
    shape = np.atleast_1d(index.data).shape
    if not hasattr(source, "data"):
        return np.broadcast_to(np.asarray(source), shape)
    data = np.atleast_1d(source.data)
    return np.asarray(data[tuple(map(slice, shape))])


def scatter(self: Any, dim: int, index: Any, src: Any) -> Expected:
    """A copy of self with elements replaced; no place stands twice in the index."""
    result = np.atleast_1d(self.data).copy()
    result[_places(_axis(self, dim), index)] = _terms(src, index)
    return exact(self.dtype, result.reshape(self.shape))


def scatter_value(self: Any, dim: int, index: Any, value: Any) -> Expected:
    """A copy of self with elements replaced by one number."""
    result = np.atleast_1d(self.data).copy()
    result[_places(_axis(self, dim), index)] = converted(value, self.dtype)
    return exact(self.dtype, result.reshape(self.shape))


def _folded(
    dtype: str, data: Array, key: Any, terms: Array, reduce: str, include_self: bool = True
) -> Expected:
    """Terms joined one after the other to what is at their places, in the tensor's own dtype."""
    ufunc = {"sum": np.add, "mean": np.add, "prod": np.multiply}.get(reduce)
    if reduce in ("amax", "amin"):
        return _extreme(dtype, data, key, terms, reduce, include_self)
    assert ufunc is not None
    neutral = 1 if reduce == "prod" else 0
    whole = is_integer(dtype)
    total = wrapping(data) if whole else widen(data, dtype)
    added = wrapping(terms) if whole else widen(terms, dtype)
    count = np.full(data.shape, int(include_self))
    if not include_self:
        total[key] = neutral
    size = np.abs(total)
    ufunc.at(total, key, added)
    np.add.at(count, key, 1)
    if whole:
        total = total.astype(DTYPES[dtype].carrier)
        if reduce == "mean":
            total = np.where(count > 0, total // np.maximum(count, 1), total)
        return exact(dtype, total)
    ufunc.at(size, key, np.abs(added))
    bound = 2 * (count + 1) * DTYPES[dtype].eps * size
    if reduce == "mean":
        total, bound = total / np.maximum(count, 1), bound / np.maximum(count, 1)
    return within_bound(dtype, total, bound)


def _extreme(
    dtype: str, data: Array, key: Any, terms: Array, reduce: str, include_self: bool
) -> Expected:
    """The greatest or the least of the terms; a NaN wins."""
    info, most = DTYPES[dtype], reduce == "amax"
    total = data.copy()
    if not include_self:
        low, high = (False, True) if info.kind == "bool" else (-np.inf, np.inf)
        if info.is_integral:
            low, high = integer_range(info)
        total[key] = low if most else high
    with np.errstate(invalid="ignore"):
        (np.maximum if most else np.minimum).at(total, key, terms)
    return exact(dtype, total, any_zero_sign=True)


def _by(self: Any, dim: int, index: Any, source: Any, reduce: str, own: bool = True) -> Expected:
    data = np.atleast_1d(self.data)
    key, terms = _places(_axis(self, dim), index), _terms(source, index)
    found = _folded(self.dtype, data, key, terms, reduce, own)
    value = np.asarray(found.value).reshape(self.shape)
    bound = None if found.bound is None else np.asarray(found.bound).reshape(self.shape)
    return replace(found, value=value, bound=bound, shape=self.shape)


_NAMES = {"add": "sum", "multiply": "prod"}


def scatter_by(self: Any, dim: int, index: Any, src: Any, reduce: str) -> Expected:
    """A copy of self with terms added or multiplied."""
    return _by(self, dim, index, src, _NAMES[reduce])


def scatter_value_by(self: Any, dim: int, index: Any, value: Any, reduce: str) -> Expected:
    """The same with one number as every term."""
    number = converted(value, self.dtype)
    filled = Tensor(self.dtype, np.full(np.atleast_1d(index.data).shape, number))
    return _by(self, dim, index, filled, _NAMES[reduce])


def scatter_add(self: Any, dim: int, index: Any, src: Any) -> Expected:
    """A copy of self with terms added."""
    return _by(self, dim, index, src, "sum")


def scatter_reduce(
    self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool
) -> Expected:
    """Sum, product, mean, greatest or least of the terms, with or without self's own."""
    return _by(self, dim, index, src, reduce, include_self)


def _slices(self: Any, dim: int, index: Any) -> tuple[Array, Any]:
    """self of one dim at least, and the key of the slices that an index names."""
    data = np.atleast_1d(self.data)
    key = (slice(None),) * _axis(self, dim) + (np.atleast_1d(index.data),)
    return data, key


def index_add(self: Any, dim: int, index: Any, source: Any, alpha: Any) -> Expected:
    """A copy of self with slices added, alpha times."""
    data, key = _slices(self, dim, index)
    terms = np.atleast_1d(source.data).reshape(data[key].shape)
    number = converted(alpha, self.dtype)
    if is_integer(self.dtype):
        total = wrapping(data)
        np.add.at(total, key, wrapping(terms) * wrapping(number))
        return exact(self.dtype, total.reshape(self.shape))
    wide, size = widen(data, self.dtype), np.abs(widen(data, self.dtype))
    added = widen(terms, self.dtype) * widen(number, self.dtype)
    count = np.ones(data.shape)
    np.add.at(wide, key, added)
    np.add.at(size, key, np.abs(added))
    np.add.at(count, key, 2.0)
    bound = 2 * count * DTYPES[self.dtype].eps * size
    return within_bound(self.dtype, wide.reshape(self.shape), bound.reshape(self.shape))


def index_copy(self: Any, dim: int, index: Any, source: Any) -> Expected:
    """A copy of self with slices replaced; no place stands twice in the index."""
    data, key = _slices(self, dim, index)
    result = data.copy()
    result[key] = np.atleast_1d(source.data).reshape(result[key].shape)
    return exact(self.dtype, result.reshape(self.shape))


def index_fill(self: Any, dim: int, index: Any, value: Any) -> Expected:
    """A copy of self with slices replaced by one number."""
    data, key = _slices(self, dim, index)
    result = data.copy()
    result[key] = converted(value, self.dtype)
    return exact(self.dtype, result.reshape(self.shape))


def masked_select(self: Any, mask: Any) -> Expected:
    """The elements of self, broadcast with the mask, at which it holds, as one line."""
    data, chosen = np.broadcast_arrays(self.data, mask.data)
    return exact(self.dtype, data[chosen])


def embedding(weight: Any, indices: Any, **options: Any) -> Expected:
    """A row for each index."""
    return exact(weight.dtype, weight.data[indices.data])


def take(self: Any, index: Any) -> Expected:
    """Elements of self as one line."""
    return exact(self.dtype, self.data.reshape(-1)[index.data])


def take_along_dim(self: Any, indices: Any, dim: int | None) -> Expected:
    """One element for each index, from either end; self and indices broadcast beside the dim."""
    if dim is None:
        return exact(self.dtype, self.data.reshape(-1)[indices.data.reshape(-1)])
    axis = _axis(self, dim)
    return exact(self.dtype, np.take_along_axis(self.data, indices.data, axis))


def where_true(condition: Any) -> tuple[Expected, ...]:
    """The places of what isn't zero, one line for each dim."""
    found = np.nonzero(np.atleast_1d(condition.data) != 0)
    return tuple(exact("int64", places) for places in found)


def _common(tensors: Sequence[Any]) -> tuple[str, list[Array]]:
    dtype = tensors[0].dtype
    for tensor in tensors[1:]:
        dtype = promote_types(dtype, tensor.dtype)
    return dtype, [cast(tensor.data, tensor.info, DTYPES[dtype]) for tensor in tensors]


def stack(tensors: Sequence[Any], dim: int) -> Expected:
    """Tensors of one shape along a new dim, in their common dtype."""
    dtype, parts = _common(tensors)
    return exact(dtype, np.stack(parts, axis=dim))


def hstack(tensors: Sequence[Any]) -> Expected:
    """Tensors side by side."""
    dtype, parts = _common(tensors)
    return exact(dtype, np.hstack(parts))


def vstack(tensors: Sequence[Any]) -> Expected:
    """Tensors one below the other."""
    dtype, parts = _common(tensors)
    return exact(dtype, np.vstack(parts))


def tril(self: Any, diagonal: int) -> Expected:
    """Zeros right of a diagonal."""
    return exact(self.dtype, np.where(_offsets(self) <= diagonal, self.data, _zero(self)))


def triu(self: Any, diagonal: int) -> Expected:
    """Zeros left of a diagonal."""
    return exact(self.dtype, np.where(_offsets(self) >= diagonal, self.data, _zero(self)))


def _offsets(self: Any) -> Array:
    """How far right of the main diagonal each place of a matrix is."""
    rows, columns = self.shape[-2:]
    return np.asarray(np.subtract.outer(-np.arange(rows), -np.arange(columns)))


def _zero(self: Any) -> Any:
    return np.zeros((), self.info.carrier)


def diag(self: Any, diagonal: int) -> Expected:
    """A vector as a diagonal, a matrix's diagonal as a vector."""
    return exact(self.dtype, np.diag(self.data, diagonal))


def flip(self: Any, dims: Sequence[int]) -> Expected:
    """The order of dims reversed."""
    return exact(self.dtype, np.flip(self.data, tuple(dims)) if self.shape else self.data)


def roll(self: Any, shifts: Any, dims: Any) -> Expected:
    """Elements moved on, those beyond the end to the start."""
    moves = shifts if isinstance(shifts, list) else [shifts]
    axes = dims if isinstance(dims, list) else [dims]
    if not axes:
        return exact(self.dtype, np.roll(self.data, moves[0]))
    return exact(self.dtype, np.roll(self.data, moves, axes))


def repeat(self: Any, repeats: Sequence[int]) -> Expected:
    """Copies along each dim; further dims in front."""
    return exact(self.dtype, np.tile(self.data, tuple(repeats)))


def tile(self: Any, dims: Sequence[int]) -> Expected:
    """The same; dims without a number stay as they are."""
    return exact(self.dtype, np.tile(self.data, tuple(dims)))


def diag_embed(self: Any, offset: int, dim1: int, dim2: int) -> Expected:
    """The last dim as diagonals of zeros."""
    rank = len(self.shape) + 1
    side = self.shape[-1] + abs(offset)
    value = np.zeros((*self.shape[:-1], side, side), self.data.dtype)
    places = np.arange(self.shape[-1])
    value[..., places + max(-offset, 0), places + max(offset, 0)] = self.data
    axes = (normal_dim(dim1, rank), normal_dim(dim2, rank))
    return exact(self.dtype, np.moveaxis(value, (-2, -1), axes))


def diagflat(self: Any, offset: int) -> Expected:
    """All elements as a diagonal of zeros."""
    return exact(self.dtype, np.diagflat(self.data, offset))


def fliplr(self: Any) -> Expected:
    """The columns in reverse order."""
    return exact(self.dtype, self.data[:, ::-1])


def flipud(self: Any) -> Expected:
    """The rows in reverse order."""
    return exact(self.dtype, self.data[::-1])


def rot90(self: Any, k: int, dims: Sequence[int]) -> Expected:
    """Turned by right angles."""
    return exact(self.dtype, np.rot90(self.data, k % 4, (dims[0], dims[1])))


def repeat_interleave(
    self: Any, repeats: int, dim: int | None, output_size: int | None
) -> Expected:
    """Each place several times in a row."""
    return exact(self.dtype, np.repeat(self.data, repeats, axis=dim))
