"""Points of float64 where transcendental functions are hard, and their values by mpmath: a
reference that shares nothing with the oracle, which evaluates in long double."""

from __future__ import annotations

import math
import zlib
from typing import Any

import mpmath
import numpy as np

from .dtypes import DTYPES, Array, spacing
from .expected import ROUNDED, Expected, rounded, within_ulp
from .wide import MPMATH, ONLY_DOUBLE, evaluate

BITS = 160  # of the reference: three times those of float64
_INFO = DTYPES["float64"]
_POSITIVE = ("log", "sqrt", "log2", "log10")  # NaN below zero
_REACH = 20_000  # binary exponents beyond which long double itself is zero or infinite
_SCANNED, _STRIDE = 1 << 22, 1 << 19
_MIDDLE = 2.0**-12  # ULP from the middle between two doubles
# Where the function is neither constant nor the identity.
_RANGES = {
    "exp": (-746.0, 710.0),
    "tanh": (-22.0, 22.0),
    "sigmoid": (-746.0, 40.0),
    "exp2": (-1075.0, 1024.0),
    "expm1": (-40.0, 710.0),
    "sinh": (-711.0, 711.0),
    "cosh": (-711.0, 711.0),
    "asin": (-1.0, 1.0),
    "acos": (-1.0, 1.0),
    "atanh": (-1.0, 1.0),
    "acosh": (1.0, 100.0),
    "log1p": (-1.0, 100.0),
    "erf": (-6.0, 6.0),
    "erfc": (-6.0, 28.0),
}


_ANGLES = (-1e6, 1e6)


def points(name: str) -> Array:
    """At least 100,000 finite points other than zero, the same ones on every call."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    parts = [
        _any_exponent(rng, 40_000),
        _over_range(name, rng, 30_000),
        rng.choice([-1.0, 1.0], 15_000) * 2.0 ** rng.uniform(-60, 10, 15_000),
        _around(np.arange(1, 2200) * (math.log(2) / 2), 2),
        _around(2.0 ** (np.arange(-2148, 2048) / 2), 1),  # powers of the root of two
        1 + np.arange(-2000, 2001) * _INFO.eps / 2,
        1 + rng.choice([-1.0, 1.0], 4000) * 2.0 ** rng.uniform(-53, -1, 4000),
        _around(_edges(), 200),
        np.arange(1, 500) * _INFO.smallest,
        rng.integers(1, 2**52, 5000).view(np.float64),  # subnormals
    ]
    values = np.concatenate(parts)
    values = np.concatenate([values, -values[::2], -np.abs(values[1::2])])
    if name in _POSITIVE:
        below = -np.abs(values[:1000])
        values = np.concatenate([np.abs(values), below])
    values = np.concatenate([values, middles(name)])
    return np.unique(values[np.isfinite(values) & (values != 0)])


def _any_exponent(rng: np.random.Generator, count: int) -> Array:
    """Uniform bit patterns: every exponent and both signs alike."""
    return rng.integers(0, 2**64, count, dtype=np.uint64).view(np.float64)


def _over_range(name: str, rng: np.random.Generator, count: int) -> Array:
    if name in _POSITIVE:
        return rng.uniform(1, 2, count) * 2.0 ** rng.integers(-1022, 1024, count)
    return rng.uniform(*_RANGES.get(name, _ANGLES), count)


def _around(centres: Array, steps: int) -> Array:
    """Each value with its neighbours to both sides."""
    bits = centres.astype(np.float64).view(np.int64)
    near = np.add.outer(bits, np.arange(-steps, steps + 1)).ravel()
    return near[near > 0].view(np.float64)


def _edges() -> Array:
    """Magnitudes where exponentials leave the range, or results stop to change."""
    ends = [math.log(_INFO.max_value), -math.log(_INFO.tiny), -math.log(_INFO.smallest)]
    ends += [math.log(2) - math.log(_INFO.smallest), 53 * math.log(2), 27 * math.log(2)]
    return np.array([*ends, _INFO.eps, _INFO.eps / 2, _INFO.tiny, 1.0])


def middles(name: str) -> Array:
    """Points whose result lies within 2**-12 ULP of the middle between two doubles. Long double
    proposes them, with an ULP of its own of 2**-11 of these; mpmath decides."""
    if name in ONLY_DOUBLE:
        return np.empty(0)
    rng = np.random.default_rng(zlib.crc32(name.encode()) + 1)
    proposed = []
    for _ in range(_SCANNED // _STRIDE):
        values = _over_range(name, rng, _STRIDE)
        result = evaluate(name, values.astype(np.longdouble))
        with np.errstate(all="ignore"):
            near = result.astype(np.float64)
            gap = np.abs(result - near) / spacing(near, _INFO)
        normal = np.isfinite(near) & (np.abs(near) > _INFO.tiny)
        proposed.append(values[normal & (gap >= 0.5 - 2 * _MIDDLE)])
    found = np.concatenate(proposed)
    return found[[from_middle(reference(name, value)) <= _MIDDLE for value in found.tolist()]]


def from_middle(value: Any) -> float:
    """How far an mpf lies from the middle between its neighbours, in ULP of float64."""
    near = nearest(value)
    with mpmath.workprec(BITS):
        gap = abs(value - mpmath.mpf(near)) / mpmath.mpf(math.ulp(near))
        return float(abs(gap - mpmath.mpf(0.5)))


def reference(name: str, value: float) -> Any:
    """The value by mpmath, or None where it is NaN."""
    if value < 0 and name in _POSITIVE:
        return None
    with mpmath.workprec(BITS):
        found = MPMATH[name](mpmath.mpf(value))
        return None if mpmath.isnan(found) else found


def expected_at(name: str, values: Array, rung: str) -> Expected:
    """What an op must give at float64 values, on a rung of the ladder."""
    found = [reference(name, value) for value in values.tolist()]
    if rung == ROUNDED:
        return rounded("float64", np.array([*map(nearest, found)], np.float64))
    return within_ulp("float64", _long_doubles(found))


def nearest(value: Any) -> float:
    """The double next to an mpf, subnormals too: Python's division of integers rounds once."""
    if value is None:
        return math.nan
    sign, mantissa, exponent, bits = value._mpf_
    if exponent + bits < -1100:
        return -0.0 if sign else 0.0
    size: float
    try:
        scaled = int(mantissa) << max(exponent, 0) if exponent < _REACH else 1 << _REACH
        size = scaled / (1 << max(-exponent, 0))
    except OverflowError:
        size = math.inf
    return -size if sign else size


def _long_doubles(found: list[Any]) -> Array:
    """The first 64 bits of each: 2**-11 ULP of float64, subnormal or not."""
    high, low, power, sign = np.zeros((4, len(found)))
    for place, value in enumerate(found):
        if value is None:
            high[place] = math.nan
            continue
        negative, mantissa, exponent, bits = value._mpf_
        cut = max(bits - 64, 0)
        mantissa = int(mantissa) >> cut
        high[place], low[place] = mantissa >> 32, mantissa & 0xFFFFFFFF
        power[place] = min(max(exponent + cut, -_REACH), _REACH)
        sign[place] = -1 if negative else 1
    whole = high.astype(np.longdouble) * 2.0**32 + low.astype(np.longdouble)
    with np.errstate(all="ignore"):
        return np.asarray(np.copysign(np.ldexp(whole, power.astype(np.int64)), sign))
