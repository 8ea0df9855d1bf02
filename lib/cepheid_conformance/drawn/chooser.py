"""Draws the parts of a call: numbers, shapes, layouts, tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..dtypes import DTYPES, DType
from ..layouts import LAYOUTS, WRITABLE
from ..op_spec import OpSpec
from ..tensors import Tensor
from .values import fill, modes, scale_limit

Item = TypeVar("Item")
Shape = tuple[int, ...]
# The simplest choices first, edges of vectors and tiles among the rest.
_RANKS = (1, 2, 0, 3, 1, 2, 1, 2, 3, 4, 5, 6)
_SIZES = (
    1, 2, 3, 0, 4, 5, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 255, 256, 257,
    511, 513, 1023, 1024, 1025, 2047, 2049,
)  # fmt: skip
MAX_ELEMENTS = 2100
_SEEDS = 2**20


class Reject(Exception):
    """What was drawn lies outside the domain of the op."""


@lru_cache(maxsize=4096)
def _integers(low: int, high: int) -> SearchStrategy[int]:
    return st.integers(low, high)


class Chooser:
    """One draw: the op, the dtype and the source of choices."""

    def __init__(
        self, spec: OpSpec, dtype: str, source: Callable[[SearchStrategy[int]], int]
    ) -> None:
        self.spec = spec
        self.dtype = dtype
        self._source = source

    @property
    def info(self) -> DType:
        return DTYPES[self.dtype]

    def integer(self, low: int, high: int) -> int:
        """An integer of [low, high], smaller where simpler."""
        return self._source(_integers(low, high)) if low < high else low

    def one_of(self, items: Sequence[Item]) -> Item:
        """One item, the first ones simpler."""
        return items[self.integer(0, len(items) - 1)]

    def flag(self) -> bool:
        """False or True."""
        return self.integer(0, 1) == 1

    def rarely(self, one_in: int = 4) -> bool:
        """True once in so many draws."""
        return self.integer(0, one_in - 1) == one_in - 1

    def seed(self) -> int:
        """A seed for many values at once."""
        return self.integer(0, _SEEDS)

    def shape(self, ranks: Sequence[int] = _RANKS, most: int = MAX_ELEMENTS) -> Shape:
        """A shape of at most so many elements."""
        sizes: list[int] = []
        room = most
        for _ in range(self.one_of(ranks)):
            fitting = _fitting(room)
            sizes.append(self.one_of(fitting))
            room //= max(sizes[-1], 1)
        return tuple(sizes)

    def nonempty(self, ranks: Sequence[int] = _RANKS, most: int = MAX_ELEMENTS) -> Shape:
        """The same without sizes of zero."""
        return tuple(max(size, 1) for size in self.shape(ranks, most))

    def dim(self, rank: int) -> int:
        """A dim of this rank, counted from either end."""
        top = max(rank, 1)
        place = self.integer(0, 2 * top - 1)
        return place if place < top else place - 2 * top

    def tensor(
        self,
        shape: Shape,
        domain: str = "full",
        dtype: str | None = None,
        writable: bool = False,
        modes_of: Sequence[str] | None = None,
    ) -> Tensor:
        """A tensor of a domain (`values`) in a drawn layout."""
        name = dtype or self.dtype
        info = DTYPES[name]
        mode = self.one_of(modes_of or modes(info, domain))
        scale = 0
        if mode == "scaled":
            limit = scale_limit(info, domain)
            scale = self.integer(-limit, limit)
        seed = self.seed() if mode != "plain" else 0
        data = fill(info, shape, domain, mode, scale, seed)
        return self.laid_out(Tensor(name, data), writable)

    def laid_out(self, tensor: Tensor, writable: bool = False) -> Tensor:
        """The tensor in a layout: half of the time contiguous."""
        known = WRITABLE if writable else LAYOUTS
        choice = self.integer(0, 2 * len(known) + 3)
        if choice < len(known) + 1:
            return tensor
        choice -= len(known) + 1
        if choice < len(known):
            return known[choice](tensor)
        return self._general(tensor, writable)

    def _general(self, tensor: Tensor, writable: bool) -> Tensor:
        """Any order of dims in memory, gaps between them, an offset, repeated dims."""
        shape = tensor.shape
        order = self.permutation(len(shape))
        strides = [0] * len(shape)
        step = 1
        for dim in reversed(order):
            repeat = not writable and shape[dim] > 1 and self.rarely(6)
            strides[dim] = 0 if repeat else step * self.one_of((1, 1, 1, 2, 3))
            step = max(step, strides[dim] * max(shape[dim], 1))
        data = tensor.data
        for dim, stride in enumerate(strides):
            if stride == 0 and shape[dim] > 1:
                data = np.broadcast_to(data.take([0], axis=dim), shape)
        offset, extra = self.one_of((0, 1, 4, 7)), self.one_of((0, 1, 3))
        note = "general"
        changed = replace(
            tensor, data=data, strides=tuple(strides), offset=offset, extra=extra, layout=note
        )
        return changed if changed.elements() < 40 * MAX_ELEMENTS else tensor

    def permutation(self, count: int) -> list[int]:
        """The numbers below `count` in some order."""
        rest = list(range(count))
        return [rest.pop(self.integer(0, len(rest) - 1)) for _ in range(count)]

    def subset(self, count: int) -> list[int]:
        """Some of the numbers below `count`, in order."""
        return [item for item in range(count) if self.flag()]

    def broadcastable(self, shape: Shape) -> Shape:
        """A shape that broadcasts to this one."""
        kept = shape[self.integer(0, len(shape)) if self.rarely(3) else 0 :]
        return tuple(1 if self.rarely() else size for size in kept)

    def places(self, size: int, shape: Shape, negative: bool = False) -> Tensor:
        """Indices into `size` elements, which must not be none where the shape has any."""
        empty = 0 in shape
        if size == 0 and not empty:
            raise Reject
        rng = np.random.default_rng(self.seed())
        low = -size if negative and self.flag() else 0
        data = np.zeros(shape, np.int64) if empty else rng.integers(low, size, shape)
        return self.laid_out(Tensor("int64", np.asarray(data, np.int64)))

    def mask(self, shape: Shape) -> Tensor:
        """A tensor of bools; not laid out with repeats, which would change what it selects."""
        rng = np.random.default_rng(self.seed())
        return self.laid_out(Tensor("bool", np.asarray(rng.random(shape) < 0.4)), writable=True)


@lru_cache(maxsize=512)
def _fitting(room: int) -> tuple[int, ...]:
    return tuple(size for size in _SIZES if size <= room)
