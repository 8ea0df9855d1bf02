"""Derivatives of the oracle: points where an op is smooth, and its slopes there by differences.

A *point* is a sample in double precision with a cotangent for each result that takes part in
differentiation. The op and its cotangents are one real number `<cotangents, op(leaves)>`, whose
slope along a direction of one leaf is what the gradient of that leaf has to give. A kink, a tie or
a branch cut is seen in the differences themselves; then the sample's values are moved, until there
is none. What can't be moved is no point.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .dtypes import DTYPES, Array
from .expected import Expected
from .families import expected_of, samples_of
from .not_differentiable import POINT_PIECES, leaves_of, undefined
from .op_spec import OpSpec
from .sample import Sample
from .tensors import Tensor, shares_places

# Far less than the distance of two values of a moved sample. The error of the extrapolated slope
# is of its fourth power, that of rounding the unit of the oracle's type by it: 4e-12 in float64.
STEP = 2.0**-14
_MAX_ELEMENTS = 96
_CLASSES = (("small", 3), ("broadcast", 2), ("arguments", 4), ("shapes", 3), ("ties", 1))


Line = Callable[[float], tuple[Any, Any]]  # a number along a line, and the size of its summands


@dataclass(frozen=True, eq=False)
class Slope:
    """What the gradient of a leaf gives along a direction, and the size of what was summed."""

    leaf: int
    direction: Array
    value: float
    size: float


@dataclass(frozen=True, eq=False)
class Point:
    """A sample with what its gradients must be."""

    sample: Sample
    leaves: tuple[Tensor, ...]
    cotangents: tuple[Array | None, ...]  # None: the result takes no part
    slopes: tuple[Slope, ...]


@cache
def points_of(spec: OpSpec, dtype: str) -> tuple[Point, ...]:
    """The points of an op in float64 or complex128: a few of each class of inputs."""
    return tuple(_points(spec, dtype))


def _points(spec: OpSpec, dtype: str) -> Iterator[Point]:
    for kind, count in _CLASSES:
        found = 0
        for sample in _spread(samples_of(spec, dtype, kind), 2 * count):
            point = point_at(spec, sample, dtype) if found < count else None
            if point is not None:
                found += 1
                yield point


def _spread(samples: Sequence[Sample], count: int) -> Sequence[Sample]:
    return samples if len(samples) <= count else samples[:: -(-len(samples) // count)]


def point_at(spec: OpSpec, sample: Sample, dtype: str) -> Point | None:
    """The sample, or one with moved values, where the op is smooth in all leaves."""
    leaves = leaves_of(spec, sample)
    elements = sum(leaf.data.size for leaf in leaves)
    if not leaves or sample.or_error or elements > _MAX_ELEMENTS:
        return None
    if undefined(spec, sample):
        return None
    if any(leaf.dtype != dtype or shares_places(leaf) for leaf in leaves):
        return None
    for move in _MOVES[spec.key in POINT_PIECES :]:
        moved, places = _moved(sample, leaves, move)
        cotangents = _cotangents(spec, moved, dtype)
        if cotangents is None:
            continue
        slopes = _slopes(spec, moved, places, cotangents)
        if slopes is not None:
            return Point(moved, places, cotangents, slopes)
    return None


def random_like(array: Array, seed: int) -> Array:
    """Numbers between 1/2 and 1 of either sign: none is small beside another."""
    rng = np.random.default_rng(seed)

    def real() -> Array:
        return np.asarray(rng.uniform(0.5, 1, array.shape) * rng.choice([-1.0, 1.0], array.shape))

    return np.asarray(real() + 1j * real() if array.dtype.kind == "c" else real())


def _cotangents(spec: OpSpec, sample: Sample, dtype: str) -> tuple[Array | None, ...] | None:
    """One for each result of the dtype's precision; None if no result has finite values."""
    found: list[Array | None] = []
    with np.errstate(all="ignore"):
        for number, expected in enumerate(expected_of(spec, sample)):
            if not _takes_part(expected, dtype):
                found.append(None)
                continue
            assert expected.value is not None
            if not np.all(np.isfinite(expected.value)):
                return None
            carrier = np.empty(expected.shape, DTYPES[expected.dtype].carrier)
            found.append(random_like(carrier, 17 + number))
    return tuple(found) if any(v is not None for v in found) else None


def _takes_part(expected: Expected, dtype: str) -> bool:
    info = DTYPES[expected.dtype]
    same = info.is_inexact and info.precision == DTYPES[dtype].precision
    return same and expected.value is not None and not expected.plain


# How values are moved, in order: by leaf, its place among the leaves, and its values.


def _kept(place: int, values: Array) -> Array:
    return values


def _spaced(place: int, values: Array) -> Array:
    """Beside the quarters, where the kinks of activations, of rounding and of losses lie, and no
    two alike; operands keep to stripes of their own, so that none of one meets one of another."""
    order = np.arange(values.size).reshape(values.shape)
    stripe = 0.03 + 0.085 * (place % 3) + 0.05 * order / max(values.size, 1)
    return np.asarray(np.floor(4 * values) / 4 + stripe)


def _positive(place: int, values: Array) -> Array:
    return np.abs(_spaced(place, values)) + 0.25


def _above_one(place: int, values: Array) -> Array:
    return np.abs(_spaced(place, values)) + 1.25


def _inside_unit(place: int, values: Array) -> Array:
    """Between 0.05 and 0.95, no two alike."""
    return np.asarray(0.5 + 0.45 * np.tanh(_spaced(place, values) / 2))


_MOVES: tuple[Callable[[int, Array], Array], ...] = (
    _kept,
    _spaced,
    _positive,
    _inside_unit,
    _above_one,
)


def _moved(
    sample: Sample, leaves: tuple[Tensor, ...], move: Callable[[int, Array], Array]
) -> tuple[Sample, tuple[Tensor, ...]]:
    if move is _kept:
        return sample, leaves
    new = {id(leaf): leaf.replaced(_by_part(move, n, leaf.data)) for n, leaf in enumerate(leaves)}
    moved = sample.mapped(lambda tensor: new.get(id(tensor), tensor), move.__name__.strip("_"))
    return moved, tuple(new[id(leaf)] for leaf in leaves)


def _by_part(move: Callable[[int, Array], Array], place: int, values: Array) -> Array:
    moved = np.empty_like(values)
    if values.dtype.kind != "c":
        moved[...] = move(place, values)
    else:
        moved.real, moved.imag = move(place, values.real), move(place + 1, values.imag)
    return moved


def _slopes(
    spec: OpSpec,
    sample: Sample,
    leaves: tuple[Tensor, ...],
    cotangents: tuple[Array | None, ...],
) -> tuple[Slope, ...] | None:
    """The slopes of all leaves, or None where one of them isn't there."""
    found = []
    for place, leaf in enumerate(leaves):
        if not leaf.data.size:
            continue
        direction = random_like(leaf.data, zlib.crc32(f"{spec.key}/{place}".encode()))
        slope = smooth_slope(_line(spec, sample, leaf, direction, cotangents))
        if slope is None:
            return None
        found.append(Slope(place, direction, *slope))
    return tuple(found)


def _line(
    spec: OpSpec,
    sample: Sample,
    leaf: Tensor,
    direction: Array,
    cotangents: tuple[Array | None, ...],
) -> Line:
    """The number that an op and its cotangents make, along a line through a leaf."""

    def at(step: float) -> tuple[Any, Any]:
        new = leaf.replaced(np.asarray(leaf.data + step * direction, leaf.data.dtype))
        there = sample.mapped(lambda tensor: new if tensor is leaf else tensor, "")
        return _paired(expected_of(spec, there), cotangents)

    return at


def _paired(
    wanted: Sequence[Expected], cotangents: tuple[Array | None, ...]
) -> tuple[np.longdouble, np.longdouble]:
    """The real product of cotangents and results, and that of their magnitudes."""
    total = size = np.longdouble(0)
    for expected, cotangent in zip(wanted, cotangents, strict=True):
        if cotangent is not None:
            assert expected.value is not None
            product = np.conj(cotangent) * expected.value
            total += np.sum(product.real, dtype=np.longdouble)
            size += np.sum(np.abs(product), dtype=np.longdouble)
    return total, size


def smooth_slope(line: Line) -> tuple[float, float] | None:
    """The slope at 0 by two central differences, extrapolated, with the size of the summands there;
    None where they don't converge, or what is even in the step doesn't vanish with it: a kink."""
    with np.errstate(all="ignore"):
        (middle, size), *around = [line(s * STEP) for s in (0, 1, -1, 0.5, -0.5)]
        up, down, half_up, half_down = (value for value, _ in around)
        wide, narrow = (up - down) / (2 * STEP), (half_up - half_down) / STEP
        slope = (4 * narrow - wide) / 3
        bend, half_bend = up - 2 * middle + down, 2 * (half_up - 2 * middle + half_down)
        scale = abs(slope) + size
        converged = abs(slope - narrow) <= 2e-8 * scale
        even = abs(half_bend) <= 0.75 * abs(bend) + 1e-9 * STEP * scale
    return (float(slope), float(size)) if converged and even else None
