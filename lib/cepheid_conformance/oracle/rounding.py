"""Reference values of pointwise ops: whole numbers, remainders, bits, signs, choices."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, integer_range
from ..expected import Expected, exact, rounded, within_bound
from ..promotion import int_to_float
from .common import common, converted, is_integer, native, wide


def _whole(function: Callable[[Array], Array], self: Any) -> Expected:
    if is_integer(self.dtype):
        return exact(self.dtype, self.data)
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
        return exact(self.dtype, function(native(self, self.dtype)))


def floor(self: Any) -> Expected:
    """The largest whole number that isn't larger."""
    return _whole(np.floor, self)


def ceil(self: Any) -> Expected:
    """The smallest whole number that isn't smaller."""
    return _whole(np.ceil, self)


def round(self: Any) -> Expected:
    """The nearest whole number, of two the even one."""
    return _whole(np.rint, self)


def trunc(self: Any) -> Expected:
    """The whole part."""
    return _whole(np.trunc, self)


def frac(self: Any) -> Expected:
    """What the whole part leaves, with the sign of self."""
    values = native(self, self.dtype)
    with np.errstate(all="ignore"):
        return exact(self.dtype, values - np.trunc(values), any_zero_sign=True)


def remainder(self: Any, other: Any) -> Expected:
    """Python's %: self - other * floor(self / other)."""
    return _remainder(self, other, math.floor)


def fmod(self: Any, other: Any) -> Expected:
    """C's remainder: self - other * trunc(self / other)."""
    return _remainder(self, other, math.trunc)


def _remainder(self: Any, other: Any, quotient: Callable[[Fraction], int]) -> Expected:
    dtype = common(self, other)
    a, b = np.broadcast_arrays(native(self, dtype), native(other, dtype))
    if is_integer(dtype):
        pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        values = [x - y * quotient(Fraction(x, y)) for x, y in pairs]
        return exact(dtype, np.array(values, np.int64).reshape(a.shape))
    with np.errstate(all="ignore"):
        value = np.fmod(a, b)
        if quotient is math.floor:
            value = np.where((value != 0) & ((value < 0) != (b < 0)), value + b, value)
        # Where the quotient has more digits than the dtype, the remainder is what is left of it.
        lost = np.isfinite(value) & (np.abs(a / b) * DTYPES[dtype].eps >= 0.5)
        bound = np.where(lost & np.isfinite(b), np.abs(b), 0.0)
    return within_bound(dtype, value, bound)


def bitwise_not(self: Any) -> Expected:
    """Every bit turned; of bool, the other truth value."""
    return exact(self.dtype, ~self.data)


def bitwise_or(self: Any, other: Any) -> Expected:
    """Bits set in either."""
    dtype = common(self, other)
    return exact(dtype, converted(self, dtype) | converted(other, dtype))


def bitwise_xor(self: Any, other: Any) -> Expected:
    """Bits set in one of both."""
    dtype = common(self, other)
    return exact(dtype, converted(self, dtype) ^ converted(other, dtype))


def bitwise_left_shift(self: Any, other: Any) -> Expected:
    """self * 2 ** other modulo the range; 0 where all bits are shifted out."""
    return _shifted(self, other, lambda x, count: x << count, lambda x: 0)


def bitwise_right_shift(self: Any, other: Any) -> Expected:
    """floor(self / 2 ** other); 0 or -1 where all bits are shifted out."""
    return _shifted(self, other, lambda x, count: x >> count, lambda x: -1 if x < 0 else 0)


def _shifted(
    self: Any, other: Any, inside: Callable[[int, int], int], beyond: Callable[[int], int]
) -> Expected:
    dtype = common(self, other)
    bits = DTYPES[dtype].bits
    low, high = integer_range(DTYPES[dtype])
    a, b = np.broadcast_arrays(converted(self, dtype), converted(other, dtype))
    values = []
    for x, count in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True):
        value = inside(x, count) if 0 <= count < bits else beyond(x)
        values.append((value - low) % (high - low + 1) + low)
    return exact(dtype, np.array(values, DTYPES[dtype].carrier).reshape(a.shape))


def logical_and(self: Any, other: Any) -> Expected:
    """Both differ from zero."""
    return exact("bool", _truth(self) & _truth(other))


def logical_or(self: Any, other: Any) -> Expected:
    """One differs from zero."""
    return exact("bool", _truth(self) | _truth(other))


def logical_xor(self: Any, other: Any) -> Expected:
    """Exactly one differs from zero."""
    return exact("bool", _truth(self) ^ _truth(other))


def _truth(value: Any) -> Array:
    return np.asarray(value.data != 0)


def isinf(self: Any) -> Expected:
    """Infinite, or with an infinite part."""
    return _property(np.isinf, self, otherwise=False)


def isfinite(self: Any) -> Expected:
    """Neither infinite nor NaN, in both parts."""
    return _property(np.isfinite, self, otherwise=True)


def isposinf(self: Any) -> Expected:
    """Plus infinity."""
    return _property(lambda x: x == np.inf, self, otherwise=False)


def isneginf(self: Any) -> Expected:
    """Minus infinity."""
    return _property(lambda x: x == -np.inf, self, otherwise=False)


def _property(holds: Callable[[Array], Array], self: Any, otherwise: bool) -> Expected:
    if is_integer(self.dtype):
        return exact("bool", np.full(self.shape, otherwise))
    return exact("bool", holds(self.data))


def signbit(self: Any) -> Expected:
    """The sign's bit: of minus zero too."""
    if is_integer(self.dtype):
        return exact("bool", self.data < 0)
    return exact("bool", np.signbit(self.data))


def sign(self: Any) -> Expected:
    """-1, 0 or 1; 0 for NaN, which has none."""
    if self.info.kind == "bool":
        return exact(self.dtype, self.data)
    value = (self.data > 0).astype(np.int64) - (self.data < 0)
    return exact(self.dtype, value, any_zero_sign=True)


def sgn(self: Any) -> Expected:
    """The sign; of a complex number, self / |self|."""
    if not self.info.is_complex:
        return sign(self)
    values = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        size = np.hypot(values.real, values.imag)
        value = np.where(size == 0, 0, values / size)
    bound = 2 * DTYPES[self.dtype].eps
    return within_bound(self.dtype, value, bound)


def conj_physical(self: Any) -> Expected:
    """The conjugate of complex numbers."""
    return exact(self.dtype, np.conj(self.data))


def fmax(self: Any, other: Any) -> Expected:
    """The larger; where one is NaN, the other."""
    return _choice(np.fmax, self, other)


def fmin(self: Any, other: Any) -> Expected:
    """The smaller; where one is NaN, the other."""
    return _choice(np.fmin, self, other)


def _choice(function: Callable[..., Array], self: Any, other: Any) -> Expected:
    dtype = common(self, other)
    value = function(converted(self, dtype), converted(other, dtype))
    return exact(dtype, value, any_zero_sign=True)


def copysign(self: Any, other: Any) -> Expected:
    """The size of self with the sign of other."""
    dtype = int_to_float(common(self, other))
    return exact(dtype, np.copysign(native(self, dtype), native(other, dtype)))


def square(self: Any) -> Expected:
    """self * self; of bool, as integers."""
    dtype = "int64" if self.info.kind == "bool" else self.dtype
    if is_integer(dtype):
        values = self.data.astype(np.int64)
        return exact(dtype, values * values)
    values = wide(self, dtype) if self.info.is_complex else native(self, dtype)
    with np.errstate(all="ignore"):
        if self.info.is_complex:
            return within_bound(dtype, values * values, 4 * self.info.eps * np.abs(values) ** 2)
        return rounded(dtype, values * values)


def gcd(self: Any, other: Any) -> Expected:
    """The greatest common divisor of the magnitudes; of zeros, zero."""
    return _of_integers(math.gcd, self, other)


def lcm(self: Any, other: Any) -> Expected:
    """The least common multiple of the magnitudes, which the dtype must hold."""
    return _of_integers(math.lcm, self, other)


def _of_integers(function: Callable[[int, int], int], self: Any, other: Any) -> Expected:
    dtype = common(self, other)
    a, b = np.broadcast_arrays(converted(self, dtype), converted(other, dtype))
    pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
    # What the dtype doesn't hold is asked for by overlapping operands only; it wraps.
    values = np.array([function(x, y) % 2**64 for x, y in pairs], np.uint64).view(np.int64)
    return exact(dtype, values.reshape(a.shape))
