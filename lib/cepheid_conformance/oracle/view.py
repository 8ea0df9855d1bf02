"""Reference results of the views: which elements, at which strides and offset."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import decode
from ..expected import Expected, exact
from ..tensors import Tensor, contiguous_strides
from .common import normal_dim


def _view(
    self: Tensor, shape: Sequence[int], strides: Sequence[int], offset: int | None = None
) -> Expected:
    """A view of self's storage: the values follow from the addresses alone."""
    start = self.offset if offset is None else offset
    flat = _flat(self)
    value = _gather(flat, tuple(shape), tuple(strides), start)
    return exact(self.dtype, value, strides=tuple(strides), offset=start, alias="self")


def _flat(self: Tensor) -> Any:
    """The storage as carrier values."""
    from_bytes = self.storage_bytes()
    return decode(np.frombuffer(from_bytes, self.info.stored), self.info)


def _gather(flat: Any, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Any:
    if 0 in shape:
        return np.empty(shape, flat.dtype)
    index = np.full((), offset, np.int64)
    for dim, (size, stride) in enumerate(zip(shape, strides, strict=True)):
        steps = (np.arange(size) * stride).reshape((-1,) + (1,) * (len(shape) - dim - 1))
        index = index + steps
    return flat[index]


def view(self: Any, size: Sequence[int]) -> Expected:
    """The same elements under another shape, where strides allow it."""
    shape = known_shape(size, math.prod(self.shape))
    strides = view_strides(self.shape, self.element_strides(), shape)
    if strides is None:
        raise ValueError(f"view: the sample must be viewable; got {self.shape} as {shape}")
    return _view(self, shape, strides)


def reshape(self: Any, shape: Sequence[int]) -> Expected:
    """A view where strides allow it, else a contiguous copy."""
    sizes = known_shape(shape, math.prod(self.shape))
    return reshaped(self, sizes)


def reshaped(self: Tensor, shape: tuple[int, ...]) -> Expected:
    """`reshape` with no unknown size."""
    strides = view_strides(self.shape, self.element_strides(), shape)
    if strides is None:
        value = self.data.reshape(shape)
        return exact(self.dtype, value, strides=contiguous_strides(shape), offset=0)
    return _view(self, shape, strides)


def known_shape(size: Sequence[int], count: int) -> tuple[int, ...]:
    """A shape with its -1 filled in."""
    rest = math.prod(item for item in size if item != -1)
    return tuple(count // rest if item == -1 else item for item in size)


def view_strides(
    shape: Sequence[int], strides: Sequence[int], new_shape: Sequence[int]
) -> tuple[int, ...] | None:
    """Strides of the view, or None where it needs a copy.

    The old dims fall into runs that are contiguous in themselves (outer stride = inner size times
    inner stride); each new dim must divide one run.
    """
    if math.prod(shape) == 0:
        return contiguous_strides(tuple(new_shape))
    runs: list[list[int]] = []  # [elements, innermost stride], from the innermost on
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 1:
            continue
        if runs and stride == runs[-1][0] * runs[-1][1]:
            runs[-1][0] *= size
        else:
            runs.append([size, stride])
    if not runs:
        return (1,) * len(new_shape)
    result = [0] * len(new_shape)
    run, used = 0, 1
    for dim in reversed(range(len(new_shape))):
        if new_shape[dim] == 1:
            result[dim] = 1  # addresses nothing
            continue
        if used == runs[run][0]:
            run, used = run + 1, 1
        result[dim] = runs[run][1] * used
        used *= new_shape[dim]
        if runs[run][0] % used:
            return None
    return tuple(result)


def transpose(self: Any, dim0: int, dim1: int) -> Expected:
    """Two dims swapped."""
    rank = len(self.shape)
    order = list(range(rank))
    if rank:
        first, second = normal_dim(dim0, rank), normal_dim(dim1, rank)
        order[first], order[second] = order[second], order[first]
    return _permuted(self, order)


def t(self: Any) -> Expected:
    """The two dims of a matrix swapped; rank 0 and 1 as they are."""
    return _permuted(self, list(reversed(range(len(self.shape)))))


def permute(self: Any, dims: Sequence[int]) -> Expected:
    """Dims in another order."""
    return _permuted(self, [normal_dim(dim, len(self.shape)) for dim in dims])


def _permuted(self: Tensor, order: Sequence[int]) -> Expected:
    strides = self.element_strides()
    return _view(self, [self.shape[dim] for dim in order], [strides[dim] for dim in order])


def expand(self: Any, size: Sequence[int], implicit: bool) -> Expected:
    """Dims of size 1 repeated with stride 0; -1 keeps a size; new dims in front."""
    added = len(size) - len(self.shape)
    old_shape = (1,) * added + self.shape
    old_strides = (0,) * added + self.element_strides()
    shape, strides = [], []
    for wanted, have, stride in zip(size, old_shape, old_strides, strict=True):
        shape.append(have if wanted == -1 else wanted)
        strides.append(stride if shape[-1] == have else 0)
    return _view(self, shape, strides)


def select(self: Any, dim: int, index: int) -> Expected:
    """One index of a dim, which goes away."""
    axis = normal_dim(dim, len(self.shape))
    place = index + self.shape[axis] if index < 0 else index
    strides = list(self.element_strides())
    offset = self.offset + place * strides.pop(axis)
    shape = self.shape[:axis] + self.shape[axis + 1 :]
    return _view(self, shape, strides, offset)


def slice(self: Any, dim: int, start: int | None, end: int | None, step: int) -> Expected:
    """A range of a dim, clipped as Python clips slices."""
    axis = normal_dim(dim, len(self.shape))
    chosen = range(self.shape[axis])[start:end:step]
    strides = list(self.element_strides())
    first = min(_first_index(start, self.shape[axis]), self.shape[axis])
    offset = self.offset + first * strides[axis]
    strides[axis] *= step
    shape = (*self.shape[:axis], len(chosen), *self.shape[axis + 1 :])
    return _view(self, shape, strides, offset)


def _first_index(start: int | None, size: int) -> int:
    begin = 0 if start is None else start
    return max(begin + size, 0) if begin < 0 else begin


def squeeze(self: Any, dim: int) -> Expected:
    """A dim of size 1 goes away; any other stays."""
    strides, shape = list(self.element_strides()), list(self.shape)
    if shape:
        axis = normal_dim(dim, len(shape))
        if shape[axis] == 1:
            del strides[axis], shape[axis]
    return _view(self, shape, strides)


def unsqueeze(self: Any, dim: int) -> Expected:
    """A new dim of size 1."""
    axis = dim + len(self.shape) + 1 if dim < 0 else dim
    strides, shape = list(self.element_strides()), list(self.shape)
    shape.insert(axis, 1)
    strides.insert(axis, 1)  # addresses nothing
    return _view(self, shape, strides)


def flatten(self: Any, start_dim: int, end_dim: int) -> Expected:
    """A range of dims folded into one; a 0-dim tensor becomes a line of one."""
    rank = len(self.shape)
    if not rank:
        return _view(self, (1,), (1,))
    first, last = normal_dim(start_dim, rank), normal_dim(end_dim, rank)
    if first == last:
        return _view(self, self.shape, self.element_strides())
    folded = math.prod(self.shape[first : last + 1])
    return reshaped(self, (*self.shape[:first], folded, *self.shape[last + 1 :]))


def as_strided(
    self: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> Expected:
    """Any shape and strides over the storage."""
    return _view(self, size, stride, self.offset if storage_offset is None else storage_offset)


def identity(self: Any, **arguments: Any) -> Expected:
    """The same elements, sharing the storage."""
    return _view(self, self.shape, self.element_strides())


def squeeze_all(self: Any) -> Expected:
    """Every dim of size 1 goes away."""
    return squeeze_dims(self, list(range(len(self.shape))))


def squeeze_dims(self: Any, dim: Sequence[int]) -> Expected:
    """Those of the named dims go away that have size 1."""
    named = {normal_dim(one, max(len(self.shape), 1)) for one in dim}
    pairs = list(zip(self.shape, self.element_strides(), strict=True))
    kept = [pair for at, pair in enumerate(pairs) if at not in named or pair[0] != 1]
    return _view(self, [size for size, _ in kept], [stride for _, stride in kept])


def _part(self: Tensor, dim: int, first: int, length: int) -> Expected:
    """A range of a dim."""
    shape, strides = list(self.shape), self.element_strides()
    shape[dim] = length
    return _view(self, shape, strides, self.offset + first * strides[dim])


def narrow(self: Any, dim: int, start: int, length: int) -> Expected:
    """A range of a dim by its start and length."""
    axis = normal_dim(dim, len(self.shape))
    return _part(self, axis, start + self.shape[axis] if start < 0 else start, length)


def unflatten(self: Any, dim: int, sizes: Sequence[int]) -> Expected:
    """One dim as several: its stride is that of the innermost."""
    axis = normal_dim(dim, len(self.shape))
    strides = self.element_strides()
    inner = known_shape(sizes, self.shape[axis])
    steps = [step * strides[axis] for step in contiguous_strides(inner)]
    shape = (*self.shape[:axis], *inner, *self.shape[axis + 1 :])
    return _view(self, shape, (*strides[:axis], *steps, *strides[axis + 1 :]))


def ravel(self: Any) -> Expected:
    """One dim, contiguous: a view where self is contiguous, else a copy."""
    count = math.prod(self.shape)
    pairs = zip(self.shape, self.element_strides(), contiguous_strides(self.shape), strict=True)
    if count == 0 or all(size == 1 or have == packed for size, have, packed in pairs):
        return _view(self, (count,), (1,))
    return exact(self.dtype, self.data.reshape(-1), strides=(1,), offset=0)


def movedim(self: Any, source: Any, destination: Any) -> Expected:
    """Dims at other places, the rest in their order."""
    rank = len(self.shape)
    first, second = (
        [normal_dim(dim, max(rank, 1)) for dim in (dims if isinstance(dims, list) else [dims])]
        for dims in (source, destination)
    )
    order: list[int] = [dim for dim in range(rank) if dim not in first]
    for place, dim in sorted(zip(second, first, strict=True)) if rank else ():
        order.insert(place, dim)
    return _permuted(self, order)


def swapaxes(self: Any, axis0: int, axis1: int) -> Expected:
    """transpose."""
    return transpose(self, axis0, axis1)


def expand_as(self: Any, other: Any) -> Expected:
    """expand to the shape of other."""
    return expand(self, other.shape, False)


def broadcast_to(self: Any, size: Sequence[int]) -> Expected:
    """expand."""
    return expand(self, size, False)


def view_as(self: Any, other: Any) -> Expected:
    """view in the shape of other."""
    return view(self, other.shape)


def reshape_as(self: Any, other: Any) -> Expected:
    """reshape to the shape of other."""
    return reshaped(self, other.shape)


def diagonal(self: Any, offset: int, dim1: int, dim2: int) -> Expected:
    """The elements whose place in dim2 is that in dim1 plus offset, as a last dim."""
    strides = self.element_strides()
    row, column = (normal_dim(dim, len(self.shape)) for dim in (dim1, dim2))
    places = [i for i in range(self.shape[row]) if 0 <= i + offset < self.shape[column]]
    rest = [dim for dim in range(len(self.shape)) if dim not in (row, column)]
    first = places[0] * strides[row] + (places[0] + offset) * strides[column] if places else 0
    shape = [*(self.shape[dim] for dim in rest), len(places)]
    steps = [*(strides[dim] for dim in rest), strides[row] + strides[column]]
    return _view(self, shape, steps, self.offset + first)


def unfold(self: Any, dimension: int, size: int, step: int) -> Expected:
    """Every window of a dim, as a last dim."""
    if not self.shape:
        return _view(self, (size,), (1,))
    axis = normal_dim(dimension, len(self.shape))
    shape, strides = list(self.shape), list(self.element_strides())
    starts = range(0, shape[axis] - size + 1, step)
    shape[axis], inner = len(starts), strides[axis]
    strides[axis] = inner * step
    return _view(self, [*shape, size], [*strides, inner])


Parts = tuple[Expected, ...]


def split(self: Any, split_size: int, dim: int) -> Parts:
    """Parts of one length, the last one what is left; of nothing one part."""
    axis = normal_dim(dim, len(self.shape))
    size = self.shape[axis]
    firsts = range(0, size, split_size) if size else (0,)
    return tuple(_part(self, axis, at, min(split_size, size - at)) for at in firsts)


def split_sizes(self: Any, split_size: Sequence[int], dim: int) -> Parts:
    """Parts of the sizes that are given."""
    return split_with_sizes(self, split_size, dim)


def split_with_sizes(self: Any, split_sizes: Sequence[int], dim: int) -> Parts:
    """Parts of the sizes that are given."""
    axis = normal_dim(dim, len(self.shape))
    firsts = [sum(split_sizes[:number]) for number in range(len(split_sizes))]
    pairs = zip(firsts, split_sizes, strict=True)
    return tuple(_part(self, axis, first, length) for first, length in pairs)


def chunk(self: Any, chunks: int, dim: int) -> Parts:
    """At most so many parts, all of the least length that suffices but the last."""
    size = self.shape[normal_dim(dim, len(self.shape))]
    if size == 0:
        return split_with_sizes(self, [0] * chunks, dim)
    return split(self, -(-size // chunks), dim)


def unbind(self: Any, dim: int) -> Parts:
    """One part for each index of a dim, which goes away."""
    size = self.shape[normal_dim(dim, len(self.shape))]
    return tuple(select(self, dim, index) for index in range(size))
