"""Tensors as the judge knows them: logical values, plus where they lie in a storage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .dtypes import DTYPES, Array, DType, encode

CANARY = 0xA5  # fills the bytes of a storage that no view covers


@dataclass(frozen=True, eq=False)
class Tensor:
    """An input tensor. `strides` None means contiguous; units are elements."""

    dtype: str
    data: Array
    strides: tuple[int, ...] | None = None
    offset: int = 0
    extra: int = 0
    layout: str = "contiguous"

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.data.shape)

    @property
    def info(self) -> DType:
        return DTYPES[self.dtype]

    def element_strides(self) -> tuple[int, ...]:
        """Strides in elements, as the candidate sees them."""
        return contiguous_strides(self.shape) if self.strides is None else self.strides

    def span(self) -> int:
        """Elements from the first to one past the last."""
        if 0 in self.shape:
            return 0
        pairs = zip(self.shape, self.element_strides(), strict=True)
        return 1 + sum((size - 1) * stride for size, stride in pairs)

    def elements(self) -> int:
        """Elements of the whole storage."""
        return self.offset + self.span() + self.extra

    def storage_bytes(self) -> bytes:
        """The storage: the values at their places, canaries elsewhere."""
        info = self.info
        if self.strides is None and not self.offset and not self.extra:
            return encode(self.data, info).tobytes()
        raw = np.full(self.elements() * info.itemsize, CANARY, np.uint8)
        if self.data.size:
            view = strided(raw.view(info.stored), self.shape, self.element_strides(), self.offset)
            view[...] = encode(self.data, info)
        return raw.tobytes()

    def replaced(self, data: Array) -> Tensor:
        """The same layout with other values."""
        return replace(self, data=data)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides; a size of 0 counts as 1."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def strided(
    flat: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0
) -> Array:
    """A writable view of a flat array, strides in elements."""
    item = flat.dtype.itemsize
    return np.lib.stride_tricks.as_strided(
        flat[offset:], shape, [stride * item for stride in strides], writeable=True
    )


def shares_places(tensor: Tensor) -> bool:
    """Whether two elements lie at one place of the storage."""
    if tensor.strides is None or not tensor.data.size:
        return False
    steps = np.indices(tensor.shape).reshape(len(tensor.shape), -1)
    places = np.asarray(tensor.strides, np.int64) @ steps
    return len(np.unique(places)) < tensor.data.size


def number_or_tensor_data(value: Any) -> Array:
    """The values of an operand that may be a Python number."""
    return value.data if isinstance(value, Tensor) else np.asarray(value)


def outside_unchanged(tensor: Tensor, storage: bytes) -> bool:
    """Whether every byte of a storage beside the tensor's view is still as it was made."""
    now = np.frombuffer(storage, np.uint8).copy()
    before = np.frombuffer(tensor.storage_bytes(), np.uint8).copy()
    if len(now) != len(before):
        return False
    for raw in (now, before):
        if tensor.data.size:
            stored = raw.view(tensor.info.stored)
            strided(stored, tensor.shape, tensor.element_strides(), tensor.offset)[...] = 0
    return bool(np.array_equal(now, before))
