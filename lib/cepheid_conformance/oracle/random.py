"""Reference draws: which words of MT19937 each op takes, and what it makes of them.

The generator is Matsumoto and Nishimura's, seeded by their `init_genrand`; its words come from
NumPy's raw bit generator. How PyTorch turns words into values was found by running it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, DType, round_to
from ..expected import Expected, exact, rounded, undetermined, within_bound
from ..promotion import DEFAULT_FLOAT
from ..tensors import Tensor, contiguous_strides
from .creation import layout_like

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
    return strides == sorted(set(strides), reverse=True) and 0 not in strides


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


def _new_like(
    draw: Callable[[Tensor], Expected], self: Tensor, dtype: str | None, memory_format: str | None
) -> Expected:
    """A draw in place of a new tensor that is laid out like self."""
    name = dtype or self.dtype
    strides = layout_like(self, memory_format)
    # Where the layout is open, so is the order of the draw: a repeated dim stands for that.
    shown = (0,) * len(self.shape) if strides is None else strides
    blank = np.zeros(self.shape, DTYPES[name].carrier)
    return replace(draw(Tensor(name, blank, shown)), strides=strides, offset=0, alias=None)


def uniform_like(
    self: Any,
    seed: int | Words,
    dtype: str | None = None,
    memory_format: str | None = None,
    **options: Any,
) -> Expected:
    """Uniform in [0, 1), in the shape of self."""
    return _new_like(lambda new: uniform(new, 0.0, 1.0, seed), self, dtype, memory_format)


def normal_like(
    self: Any,
    seed: int | Words,
    dtype: str | None = None,
    memory_format: str | None = None,
    **options: Any,
) -> Expected:
    """Normal with mean 0 and variance 1, in the shape of self."""
    return _new_like(lambda new: normal(new, 0.0, 1.0, seed), self, dtype, memory_format)


def integers_like(
    self: Any,
    low: int,
    high: int,
    seed: int | Words,
    dtype: str | None = None,
    memory_format: str | None = None,
    **options: Any,
) -> Expected:
    """Integers in [low, high), in the shape of self."""
    return _new_like(lambda new: integers_inplace(new, low, high, seed), self, dtype, memory_format)


def integers_high_like(self: Any, high: int, seed: int | Words, **options: Any) -> Expected:
    """Integers in [0, high), in the shape of self."""
    return integers_like(self, 0, high, seed, **options)


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


def _drawn_doubles(self: Tensor, words: Words) -> Array:
    """A draw in double precision for each element, whatever the dtype."""
    return words.uniform(int(np.prod(self.shape)), "float64").reshape(self.shape)


def bernoulli_inplace(
    self: Any, p: float, seed: int | Words, generator: int | None = None
) -> Expected:
    """self holding 1 where a draw lies below p."""
    draws = _drawn_doubles(self, _words(seed, generator))
    sure = {0.0: 0, 1.0: 1}.get(p)
    return _in_place(self, exact(self.dtype, draws < p), _zero_or_one(sure))


def bernoulli_p(self: Any, p: float, seed: int | Words, generator: int | None = None) -> Expected:
    """A new tensor of 1 where a draw lies below p."""
    draws = _drawn_doubles(self, _words(seed, generator))
    if _ordered(self):
        return exact(self.dtype, draws < p)
    return undetermined(self.dtype, self.shape, holds=_zero_or_one({0.0: 0, 1.0: 1}.get(p)))


def _zero_or_one(sure: int | None) -> Callable[[list[Array]], str | None]:
    wanted = (0, 1) if sure is None else (sure,)

    def check(results: list[Array]) -> str | None:
        return None if np.isin(results[0], wanted).all() else f"draws must be among {wanted}"

    return check


def bernoulli_each(self: Any, p: Any, seed: int | Words, generator: int | None = None) -> Expected:
    """self holding 1 where a draw of p's precision lies below the probability of its place."""
    words = _words(seed, generator)
    draws = words.uniform(int(np.prod(self.shape)), p.dtype).reshape(self.shape)
    return _in_place(self, exact(self.dtype, draws < p.data), _zero_or_one(None))


def integers_whole(self: Any, seed: int | Words, generator: int | None = None) -> Expected:
    """self holding integers from 0 to the dtype's largest, or 2^digits where it is floating."""
    info = self.info
    words = _words(seed, generator)
    signed = info.kind == "signed"
    count = 2**info.precision + 1 if info.is_floating else 2 ** (info.bits - signed)
    if info.kind == "bool":
        count = 2
    size = int(np.prod(self.shape))
    drawn = words.doubles(size) if count > 2**31 else words.singles(size)
    values = (drawn % np.uint64(count)).astype(np.int64).reshape(self.shape)
    return _in_place(self, exact(self.dtype, values), _between(0, count - 1))


def integers_to(self: Any, to: int, seed: int | Words, generator: int | None = None) -> Expected:
    """self holding integers in [0, to)."""
    return integers_inplace(self, 0, to, seed, generator)


def _law(
    self: Tensor,
    value: Array,
    low: float = -np.inf,
    relative: float | Array = 0.0,
    absolute: float | Array = 0.0,
) -> Expected:
    """self holding values that were drawn in double precision and rounded to the dtype: 16 bits,
    whose steps are coarse, by way of float32 or at once."""
    with np.errstate(all="ignore"):
        finite = np.abs(np.where(np.isfinite(value), value, 0))
        bound = DTYPES["float64"].eps * (relative * finite + absolute)
        if self.info.is_floating and self.info.itemsize == 2:
            bound = bound + DTYPES["float32"].eps * finite
    expected = within_bound(self.dtype, value, bound)
    return _in_place(self, expected, _at_least(low))


def _at_least(low: float) -> Callable[[list[Array]], str | None]:
    def check(results: list[Array]) -> str | None:
        return None if (results[0] >= low).all() else f"values must be at least {low}"

    return check


def exponential(
    self: Any, lambd: float, seed: int | Words, generator: int | None = None
) -> Expected:
    """self holding times between events of rate lambd: -log(1 - u) / lambd."""
    draws = _drawn_doubles(self, _words(seed, generator)).astype(np.longdouble)
    return _law(self, -np.log1p(-draws) / np.longdouble(lambd), low=0.0, relative=4)


def geometric(self: Any, p: float, seed: int | Words, generator: int | None = None) -> Expected:
    """self holding numbers of trials: the least k with 1 - (1 - p)^k >= u, of the words' 1 - u."""
    draws = _drawn_doubles(self, _words(seed, generator)).astype(np.longdouble)
    with np.errstate(all="ignore"):
        value = np.ceil(np.log(draws) / np.log1p(-np.longdouble(p)))
    return _law(self, value, low=1.0)


def cauchy(
    self: Any, median: float, sigma: float, seed: int | Words, generator: int | None = None
) -> Expected:
    """self holding median + sigma tan(pi (u - 1/2)), whose error grows with its slope."""
    draws = _drawn_doubles(self, _words(seed, generator)).astype(np.longdouble)
    angle = np.longdouble(np.pi) * (draws - 0.5)
    # pi in double precision moves the angle by its own rounding, and the tangent by its slope.
    steep = np.pi * sigma * (1 + np.tan(angle) ** 2) + abs(median)
    return _law(self, median + sigma * np.tan(angle), relative=4, absolute=steep)


def log_normal(
    self: Any, mean: float, std: float, seed: int | Words, generator: int | None = None
) -> Expected:
    """self holding exp of normal draws, which are made pair by pair whatever the size."""
    words = _words(seed, generator)
    values, radius = _normal_one_by_one(words, int(np.prod(self.shape)))
    exponent = (values.astype(np.longdouble) * std + mean).reshape(self.shape)
    slack = 4 * (radius.reshape(self.shape) * std + abs(mean)) + 4
    return _law(self, np.exp(exponent), low=0.0, relative=slack)


def dropout(input: Any, p: float, train: bool, seed: int | Words) -> Expected:
    """input times 1 / (1 - p), or times 0 where a draw isn't below 1 - p."""
    if not train or p == 0:
        facts = {"strides": input.element_strides(), "offset": input.offset, "alias": "input"}
        return exact(input.dtype, input.data, **facts)
    words = _words(seed, None)
    factor = np.zeros(input.shape)
    info = DTYPES[input.dtype]
    with np.errstate(all="ignore"):
        if p < 1:
            compute = np.float64 if input.dtype == "float64" else np.float32
            scale = round_to(np.asarray(compute(1) / compute(1 - p)), info)
            factor = np.where(_drawn_doubles(input, words) < 1 - p, scale, 0)
        value = input.data.astype(np.float64) * factor
    if p == 1 or _ordered(input):
        return rounded(input.dtype, value)

    def check(results: list[Array]) -> str | None:
        with np.errstate(all="ignore"):
            kept = round_to(input.data.astype(np.float64) * float(scale), info)
        dropped = (results[0] == 0) | np.isnan(results[0])
        fine = dropped | (results[0] == kept)
        return None if fine.all() else "elements must be 0 or scaled"

    return undetermined(input.dtype, input.shape, holds=check)


def nn_dropout(input: Any, p: float, training: bool, seed: int | Words) -> Expected:
    """The same, with the names of the functional module."""
    return dropout(input, p, training, seed)


def normal_sized(
    mean: float,
    std: float,
    size: Sequence[int],
    seed: int | Words,
    generator: int | None = None,
    dtype: str | None = None,
    **options: Any,
) -> Expected:
    """A new tensor of normal values."""
    name = dtype or DEFAULT_FLOAT
    expected = _normal(name, tuple(size), mean, std, _words(seed, generator), True)
    for fact, value in _new(size).items():
        object.__setattr__(expected, fact, value)
    return expected


def multinomial(
    self: Any,
    num_samples: int,
    replacement: bool,
    seed: int | Words,
    generator: int | None = None,
) -> Expected:
    """Places of each row by weight. Where rounding decides between two, either is right."""
    words = _words(seed, generator)
    weights: Array = np.atleast_2d(self.data).astype(np.float64)
    shape = (*self.shape[:-1], num_samples)
    if replacement and num_samples > 1:
        several = words.uniform(len(weights) * num_samples, "float64").reshape(-1, num_samples)
        return undetermined("int64", shape, holds=_places_of_sums(weights, several, self.dtype))
    draws = words.uniform(weights.size, "float64").reshape(weights.shape)
    info = self.info
    with np.errstate(all="ignore"):
        times = round_to(-np.log1p(-draws), info).astype(np.float64)
        keys = np.where(weights == 0, 0, weights / times)
    known = self.dtype in ("float32", "float64") and _ordered(self)
    return undetermined("int64", shape, holds=_places_of_keys(weights, keys, known))


def _places_of_sums(
    weights: Array, draws: Array, dtype: str
) -> Callable[[list[Array]], str | None]:
    """The first place up to which the row's part reaches the draw."""
    parts = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    compute = "float64" if dtype == "float64" else "float32"
    slack = 2 * weights.shape[1] * DTYPES[compute].eps

    def check(results: list[Array]) -> str | None:
        places = results[0].reshape(draws.shape)
        if ((places < 0) | (places >= weights.shape[1])).any():
            return "places must be those of weights"
        upto = np.take_along_axis(parts, places, axis=1)
        weight = np.take_along_axis(weights / weights.sum(axis=1, keepdims=True), places, axis=1)
        fine = (draws <= upto + slack) & (draws >= upto - weight - slack)
        return None if fine.all() else "places must be those that the draws fall in"

    return check


def _places_of_keys(
    weights: Array, keys: Array, known: bool
) -> Callable[[list[Array]], str | None]:
    """The places of the largest keys, in order; those of weight 0 last."""

    def check(results: list[Array]) -> str | None:
        places = results[0].reshape(len(weights), results[0].shape[-1])
        if ((places < 0) | (places >= weights.shape[1])).any():
            return "places must be those of weights"
        for row, found in enumerate(places):
            if len(set(found.tolist())) < len(found):
                return "without replacement no place comes twice"
            positive = np.count_nonzero(weights[row])
            if (weights[row, found[:positive]] == 0).any():
                return "a place of weight 0 must not come before others"
            wanted = np.argsort(-keys[row], kind="stable")[: min(len(found), positive)]
            if known and (found[: len(wanted)] != wanted).any():
                return f"places must be {wanted.tolist()}; got {found.tolist()}"
        return None

    return check
