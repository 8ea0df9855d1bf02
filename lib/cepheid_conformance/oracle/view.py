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
