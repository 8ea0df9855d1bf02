"""Reference draws: which words of MT19937 each op takes, and what it makes of them.

The generator is Matsumoto and Nishimura's, seeded by their `init_genrand`; its words come from
NumPy's raw bit generator. How PyTorch turns words into values was found by running it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, DType, round_to
from ..expected import Expected, exact, undetermined, within_bound
from ..promotion import DEFAULT_FLOAT
from ..tensors import Tensor, contiguous_strides

_WIDE_RANGE = 2**28  # from here on an integer takes two words
_BLOCK = 16  # normal values come in blocks, of eight pairs each


class Words:
    """The words that a seeded generator gives, in order. One of these may stand for the seed of an
    oracle: then the call takes the words that come next."""

    def __init__(self, seed: int) -> None:
        # The bit generator itself: RandomState's methods would consume words their own way.
        self._raw = np.random.RandomState(seed % 2**32)._bit_generator.random_raw

    def singles(self, count: int) -> Array:
        """32-bit words."""
        return np.asarray(self._raw(count), np.uint64)

    def doubles(self, count: int) -> Array:
        """64-bit words, the first word high."""
        pairs = self.singles(2 * count).reshape(count, 2)
        return (pairs[:, 0] << np.uint64(32)) | pairs[:, 1]

    def uniform(self, count: int, dtype: str) -> Array:
        """Values in [0, 1): 53 bits for float64, 24 for everything narrower."""
        if dtype == "float64":
            return (self.doubles(count) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53
        return (self.singles(count) & np.uint64(2**24 - 1)).astype(np.float64) * 2.0**-24

    def integers(self, count: int, low: int, span: int) -> Array:
        """Integers in [low, low + span)."""
        words = self.doubles(count) if span >= _WIDE_RANGE else self.singles(count)
        return (words % np.uint64(span)).astype(np.int64) + low


def _words(seed: int | Words, generator: int | None) -> Words:
    if generator is not None:
        return Words(generator)
    return seed if isinstance(seed, Words) else Words(seed)


def _new(size: Sequence[int]) -> dict[str, Any]:
    return {"strides": contiguous_strides(tuple(size)), "offset": 0}


def uniform01(
    size: Sequence[int],
    seed: int | Words,
    generator: int | None = None,
    dtype: str | None = None,
    **options: Any,
) -> Expected:
    """Uniform in [0, 1)."""
    name = dtype or DEFAULT_FLOAT
    values = _words(seed, generator).uniform(int(np.prod(size)), name).reshape(size)
    return exact(name, _half_open(values, 0.0, 1.0, name), **_new(size))


def _half_open(values: Array, low: float, high: float, dtype: str) -> Array:
    """Rounded to the dtype; what rounds up to the excluded end becomes the start."""
    narrow = round_to(values, DTYPES[dtype])
    return np.where(narrow == high, np.asarray(low, narrow.dtype), narrow)


def uniform(
    self: Any, from_: float, to: float, seed: int | Words, generator: int | None = None
) -> Expected:
    """Uniform in [from, to), scaled in the compute type."""
    unit = _words(seed, generator).uniform(self.data.size, self.dtype)
    # Scaled and shifted with one rounding, in float32 or float64.
    wide = unit.astype(np.longdouble) * (to - from_) + from_
    compute = wide.astype(np.float64 if self.dtype == "float64" else np.float32)
    values = _half_open(compute, from_, to, self.dtype).reshape(self.shape)
    return _in_place(self, exact(self.dtype, values), _between(from_, to))


def _between(low: float, high: float) -> Callable[[list[Array]], str | None]:
    def check(results: list[Array]) -> str | None:
        inside = (results[0] >= low) & (results[0] <= high)
        return None if inside.all() else f"values must lie in [{low}, {high}]"

    return check


def _in_place(
    self: Tensor, expected: Expected, holds: Callable[[list[Array]], str | None] | None
) -> Expected:
    """self holding the draw. In which order a permuted tensor takes its words is open."""
    facts: dict[str, Any] = {
        "strides": self.element_strides(),
        "offset": self.offset,
        "alias": "self",
    }
    if _ordered(self):
        for name, value in facts.items():
            object.__setattr__(expected, name, value)
        return expected
    return undetermined(self.dtype, self.shape, holds=holds, **facts)


def _ordered(self: Tensor) -> bool:
    """Whether memory order is logical order."""
    strides = [
        step for size, step in zip(self.shape, self.element_strides(), strict=True) if size > 1
    ]
    return strides == sorted(strides, reverse=True) and 0 not in strides


def _contiguous(self: Tensor) -> bool:
    """Whether the elements lie in order without gaps; a dim of size 1 has no stride to speak of."""
    pairs = zip(self.shape, self.element_strides(), contiguous_strides(self.shape), strict=True)
    return all(size == 1 or one == two for size, one, two in pairs)


def _pairs(uniform: Array) -> tuple[Array, Array]:
    """Box and Muller's transform of a block: cosines in the first half, sines in the second.
    Also the radius, to which rounding errors are relative."""
    half = _BLOCK // 2
    radius = np.sqrt(-2 * np.log(1 - uniform[:half]))
    angle = 2 * np.pi * uniform[half:]
    values = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])
    return values, np.concatenate([radius, radius])


def _normal_blocks(words: Words, count: int, dtype: str) -> tuple[Array, Array]:
    """`count` >= 16 values. The last block ends at the last value and is drawn anew."""
    starts = list(range(0, count - _BLOCK + 1, _BLOCK))
    whole = DTYPES[dtype].itemsize > 2
    # Wide dtypes draw all their uniform values first; 16-bit ones draw block by block.
    drawn = words.uniform(count, dtype) if whole else np.empty(0)
    values, radius = np.empty(count), np.empty(count)
    for start in starts:
        block = drawn[start : start + _BLOCK] if whole else words.uniform(_BLOCK, dtype)
        values[start : start + _BLOCK], radius[start : start + _BLOCK] = _pairs(block)
    if count % _BLOCK:
        values[-_BLOCK:], radius[-_BLOCK:] = _pairs(words.uniform(_BLOCK, dtype))
    return values, radius


def _normal_one_by_one(words: Words, count: int) -> tuple[Array, Array]:
    """In double precision, cosine and sine of a pair after each other."""
    pairs = words.uniform(2 * (-(-count // 2)), "float64").reshape(-1, 2)
    radius = np.sqrt(-2 * np.log1p(-pairs[:, 1]))
    angle = 2 * np.pi * pairs[:, 0]
    values = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()
    return values[:count], np.repeat(radius, 2)[:count]


def _normal_values(words: Words, count: int, dtype: str, contiguous: bool) -> tuple[Array, Array]:
    """Standard normal values with the bound of their error."""
    blocks = count >= _BLOCK and contiguous
    values, radius = (
        _normal_blocks(words, count, dtype) if blocks else _normal_one_by_one(words, count)
    )
    eps = DTYPES["float64" if dtype == "float64" or not blocks else "float32"].eps
    return values, 4 * eps * radius


def normal(
    self: Any, mean: float, std: float, seed: int | Words, generator: int | None = None
) -> Expected:
    """Normal values; a complex one has both parts, each with std / sqrt 2. Whether a real mean
    moves the imaginary parts too is open."""
    expected = _normal(
        self.dtype, self.shape, mean, std, _words(seed, generator), _contiguous(self)
    )
    if self.info.is_complex and mean:
        expected = undetermined(self.dtype, self.shape, holds=_real_parts(expected))
        return _in_place(self, expected, expected.holds if _ordered(self) else _finite)
    return _in_place(self, expected, _finite)


def _real_parts(expected: Expected) -> Callable[[list[Array]], str | None]:
    assert expected.value is not None
    wanted = expected.value.real
    bound = np.asarray(expected.bound) + DTYPES[expected.dtype].eps * np.abs(wanted)

    def check(results: list[Array]) -> str | None:
        close = np.abs(results[0].real - wanted) <= bound
        return None if close.all() else "real parts must be the draws plus the mean"

    return check


def _finite(results: list[Array]) -> str | None:
    return None if np.isfinite(results[0]).all() else "values must be finite"


def _normal(
    dtype: str, shape: Sequence[int], mean: float, std: float, words: Words, contiguous: bool
) -> Expected:
    info = DTYPES[dtype]
    count = int(np.prod(shape)) * (2 if info.is_complex else 1)
    values, bound = _normal_values(words, count, info.real_name, contiguous)
    if info.is_complex:
        scale = std / np.sqrt(2)
        parts = (values * scale).reshape(-1, 2)
        result = (parts[:, 0] + mean) + 1j * parts[:, 1]
        largest = (bound * scale).reshape(-1, 2).max(axis=1) + info.eps * np.abs(result)
        return within_bound(dtype, result.reshape(shape), largest.reshape(shape))
    result = values * std + mean
    # Scaling and shifting round once each, in the compute type.
    compute = DTYPES["float32" if info.itemsize == 2 else dtype].eps
    slack = bound * std + compute * (np.abs(values) * std + abs(mean))
    return within_bound(dtype, result.reshape(shape), slack.reshape(shape))


def standard_normal(
    size: Sequence[int],
    seed: int | Words,
    generator: int | None = None,
    dtype: str | None = None,
    **options: Any,
) -> Expected:
    """Normal with mean 0 and variance 1."""
    name = dtype or DEFAULT_FLOAT
    expected = _normal(name, tuple(size), 0.0, 1.0, _words(seed, generator), True)
    for fact, value in _new(size).items():
        object.__setattr__(expected, fact, value)
    return expected


def integers(
    low: int,
    high: int,
    size: Sequence[int],
    seed: int | Words,
    generator: int | None = None,
    dtype: str | None = None,
    **options: Any,
) -> Expected:
    """Integers in [low, high), in any dtype."""
    words = _words(seed, generator)
    values = words.integers(int(np.prod(size)), low, high - low).reshape(size)
    return exact(dtype or "int64", values, **_new(size))


def integers_high(
    high: int,
    size: Sequence[int],
    seed: int | Words,
    generator: int | None = None,
    dtype: str | None = None,
    **options: Any,
) -> Expected:
    """Integers in [0, high)."""
    return integers(0, high, size, seed, generator, dtype)


def integers_inplace(
    self: Any, from_: int, to: int | None, seed: int | Words, generator: int | None = None
) -> Expected:
    """self holding integers in [from, to); without `to` up to the largest exact one. Those beyond
    it are rounded: so that none rounds to an end, that lies one step lower where it has to."""
    info = self.info
    if to is None:
        top = (
            2**info.precision
            if info.is_floating
            else 2 ** (info.bits - (info.kind == "signed")) - 1
        )
        to = top + 1
    end = _exclusive_end(to, info) if info.is_floating else to
    values = _words(seed, generator).integers(self.data.size, from_, end - from_)
    if info.is_floating:
        values = round_to(values.astype(np.float64), info)
    expected = exact(self.dtype, values.reshape(self.shape))
    return _in_place(self, expected, _between(from_, to))


def _exclusive_end(to: int, info: DType) -> int:
    """`to`, or what lies one step before the value to which `to - 1` rounds."""
    nearest = int(round_to(np.array([to - 1], np.float64), info)[0])
    exponent = abs(to - 1).bit_length() - 1
    return to if nearest < to else nearest - 2 ** (exponent - info.precision + 1)


def permutation(
    n: int,
    seed: int | Words,
    generator: int | None = None,
    dtype: str | None = None,
    **options: Any,
) -> Expected:
    """Fisher and Yates's shuffle from the front."""
    words = _words(seed, generator)
    values = np.arange(n)
    for place, word in enumerate(words.singles(max(n - 1, 0)).tolist()):
        other = place + word % (n - place)
        values[place], values[other] = values[other], values[place]
    return exact(dtype or "int64", values, **_new([n]))


def bernoulli(self: Any, seed: int | Words, generator: int | None = None) -> Expected:
    """1 where a uniform draw lies below the probability."""
    words = _words(seed, generator)
    draws = words.uniform(self.data.size, self.dtype).reshape(self.shape)
    if _ordered(self) or _contiguous(self):
        return exact(self.dtype, draws < self.data)

    def check(results: list[Array]) -> str | None:
        sure = ((self.data == 0) & (results[0] != 0)) | ((self.data == 1) & (results[0] != 1))
        whole = (results[0] == 0) | (results[0] == 1)
        return (
            None if whole.all() and not sure.any() else "draws must be 0 or 1, and sure at p 0, 1"
        )

    return undetermined(self.dtype, self.shape, holds=check)
