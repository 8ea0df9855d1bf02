"""Reference values of the pointwise ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array
from ..expected import Expected, exact, rounded, within_bound, within_ulp
from ..promotion import int_to_float
from .activation import (
    celu as celu,
)
from .activation import (
    elu as elu,
)
from .activation import (
    gelu as gelu,
)
from .activation import (
    gelu_erf as gelu_erf,
)
from .activation import (
    gelu_tanh as gelu_tanh,
)
from .activation import (
    hardshrink as hardshrink,
)
from .activation import (
    hardsigmoid as hardsigmoid,
)
from .activation import (
    hardswish as hardswish,
)
from .activation import (
    hardtanh as hardtanh,
)
from .activation import (
    leaky_relu as leaky_relu,
)
from .activation import (
    logaddexp as logaddexp,
)
from .activation import (
    logsigmoid as logsigmoid,
)
from .activation import (
    mish as mish,
)
from .activation import (
    relu6 as relu6,
)
from .activation import (
    selu as selu,
)
from .activation import (
    silu as silu,
)
from .activation import (
    softplus as softplus,
)
from .activation import (
    softshrink as softshrink,
)
from .activation import (
    threshold as threshold,
)
from .activation import (
    xlogy as xlogy,
)
from .common import common, converted, is_integer, native, operand, wide, wrapping
from .elementary import (
    acos as acos,
)
from .elementary import (
    acosh as acosh,
)
from .elementary import (
    asin as asin,
)
from .elementary import (
    asinh as asinh,
)
from .elementary import (
    atan as atan,
)
from .elementary import (
    atan2 as atan2,
)
from .elementary import (
    atanh as atanh,
)
from .elementary import (
    cos as cos,
)
from .elementary import (
    cosh as cosh,
)
from .elementary import (
    deg2rad as deg2rad,
)
from .elementary import (
    erf as erf,
)
from .elementary import (
    erfc as erfc,
)
from .elementary import (
    exp2 as exp2,
)
from .elementary import (
    expm1 as expm1,
)
from .elementary import (
    float_function,
)
from .elementary import (
    log1p as log1p,
)
from .elementary import (
    log2 as log2,
)
from .elementary import (
    log10 as log10,
)
from .elementary import (
    logit as logit,
)
from .elementary import (
    logit_of as logit_of,
)
from .elementary import (
    rad2deg as rad2deg,
)
from .elementary import (
    sin as sin,
)
from .elementary import (
    sinh as sinh,
)
from .elementary import (
    tan as tan,
)
from .rounding import (
    bitwise_left_shift as bitwise_left_shift,
)
from .rounding import (
    bitwise_not as bitwise_not,
)
from .rounding import (
    bitwise_or as bitwise_or,
)
from .rounding import (
    bitwise_right_shift as bitwise_right_shift,
)
from .rounding import (
    bitwise_xor as bitwise_xor,
)
from .rounding import (
    ceil as ceil,
)
from .rounding import (
    conj_physical as conj_physical,
)
from .rounding import (
    copysign as copysign,
)
from .rounding import (
    floor as floor,
)
from .rounding import (
    fmax as fmax,
)
from .rounding import (
    fmin as fmin,
)
from .rounding import (
    fmod as fmod,
)
from .rounding import (
    frac as frac,
)
from .rounding import (
    gcd as gcd,
)
from .rounding import (
    isfinite as isfinite,
)
from .rounding import (
    isinf as isinf,
)
from .rounding import (
    isneginf as isneginf,
)
from .rounding import (
    isposinf as isposinf,
)
from .rounding import (
    lcm as lcm,
)
from .rounding import (
    logical_and as logical_and,
)
from .rounding import (
    logical_or as logical_or,
)
from .rounding import (
    logical_xor as logical_xor,
)
from .rounding import (
    remainder as remainder,
)
from .rounding import (
    round as round,
)
from .rounding import (
    sgn as sgn,
)
from .rounding import (
    sign as sign,
)
from .rounding import (
    signbit as signbit,
)
from .rounding import (
    square as square,
)
from .rounding import (
    trunc as trunc,
)


def add(self: Any, other: Any, alpha: Any) -> Expected:
    """self + alpha * other."""
    return _scaled_sum(self, other, alpha, 1)


def sub(self: Any, other: Any, alpha: Any) -> Expected:
    """self - alpha * other."""
    return _scaled_sum(self, other, alpha, -1)


def _scaled_sum(self: Any, other: Any, alpha: Any, sign: int) -> Expected:
    dtype = common(self, other)
    info = DTYPES[dtype]
    plain = native if alpha == 1 else wide
    a, b = plain(self, dtype), plain(other, dtype)
    if info.kind == "bool":
        return exact(dtype, a | (b & bool(alpha)))
    with np.errstate(all="ignore"):
        if is_integer(dtype):
            factor = np.asarray(sign * alpha, np.int64)
            return exact(dtype, wrapping(a) + factor * wrapping(b))
        # Whether a complex factor of one is multiplied is open, and with it the signs of zeros.
        if alpha == 1:
            value = a + b if sign > 0 else a - b
            return rounded(dtype, value, any_zero_sign=info.is_complex)
        product = a.dtype.type(alpha) * b
        value = a + product if sign > 0 else a - product
        # Product and sum may round one after the other.
        bound = info.eps * np.abs(product)
        return within_ulp(dtype, value, bound=bound, any_zero_sign=True)


def mul(self: Any, other: Any) -> Expected:
    """self * other."""
    dtype = common(self, other)
    read = wide if DTYPES[dtype].is_complex else native
    a, b = read(self, dtype), read(other, dtype)
    with np.errstate(all="ignore"):
        if DTYPES[dtype].kind == "bool":
            return exact(dtype, a & b)
        if is_integer(dtype):
            return exact(dtype, wrapping(a) * wrapping(b))
        if DTYPES[dtype].is_complex:
            return within_ulp(dtype, a * b)
        return rounded(dtype, a * b)


def true_divide(self: Any, other: Any) -> Expected:
    """self / other in a floating dtype."""
    dtype = int_to_float(common(self, other))
    read = wide if DTYPES[dtype].is_complex else native
    a, b = read(self, dtype), read(other, dtype)
    with np.errstate(all="ignore"):
        if DTYPES[dtype].is_complex:
            return within_ulp(dtype, a / b)
        return rounded(dtype, a / b)


def divide_mode(self: Any, other: Any, rounding_mode: str | None) -> Expected:
    """Division rounded towards zero, down, or not at all."""
    if rounding_mode == "floor":
        return floor_divide(self, other)
    if rounding_mode == "trunc":
        return trunc_divide(self, other)
    return true_divide(self, other)


def floor_divide(self: Any, other: Any) -> Expected:
    """Python's //: the floor of the exact quotient."""
    return _rounded_quotient(self, other, np.floor_divide, math.floor)


def trunc_divide(self: Any, other: Any) -> Expected:
    """C's integer division: the quotient towards zero."""
    return _rounded_quotient(self, other, lambda a, b: np.trunc(a / b), math.trunc)


def _rounded_quotient(
    self: Any,
    other: Any,
    whole: Callable[[Array, Array], Array],
    of_fraction: Callable[[Fraction], int],
) -> Expected:
    dtype = common(self, other)
    a, b = np.broadcast_arrays(native(self, dtype), native(other, dtype))
    if is_integer(dtype):
        pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        values = [of_fraction(Fraction(x, y)) for x, y in pairs]
        wrapped = [value - 2**64 if value >= 2**63 else value for value in values]
        return exact(dtype, np.array(wrapped, np.int64).reshape(a.shape))
    with np.errstate(all="ignore"):
        quotient = a / b
        value = whole(a, b)
        # A quotient that rounds to a whole number may be taken before or after that rounding.
        nearest = np.rint(quotient)
        close = np.abs(quotient - nearest) <= DTYPES[dtype].eps * np.abs(quotient)
        slack = np.where(close & (quotient != nearest), 1.0, 0.0)
        # Beyond the precision the quotient itself is rounded.
        slack = np.where(np.abs(quotient) * DTYPES[dtype].eps >= 0.5, np.abs(quotient), slack)
        slack = np.where(np.isfinite(slack), slack, 0.0)
    return within_bound(dtype, value, slack)


def neg(self: Any) -> Expected:
    """-self."""
    if is_integer(self.dtype):
        return exact(self.dtype, -wrapping(self.data))
    return exact(self.dtype, -self.data)


def abs(self: Any) -> Expected:
    """|self|; of the most negative integer, itself."""
    if self.info.is_complex:
        parts = wide(self, self.dtype)
        with np.errstate(all="ignore"):
            return within_ulp(self.info.real_name, np.hypot(parts.real, parts.imag))
    if self.info.kind == "bool":
        return exact(self.dtype, self.data)
    return exact(self.dtype, np.abs(self.data))


def exp(self: Any) -> Expected:
    """e ** self."""
    return float_function("exp", self)


def log(self: Any) -> Expected:
    """Natural logarithm."""
    return float_function("log", self)


def sqrt(self: Any) -> Expected:
    """Square root, correctly rounded for real dtypes."""
    return float_function("sqrt", self, correctly_rounded=True)


def tanh(self: Any) -> Expected:
    """Hyperbolic tangent."""
    return float_function("tanh", self)


def sigmoid(self: Any) -> Expected:
    """1 / (1 + exp(-self))."""
    expected = float_function("sigmoid", self)
    if not DTYPES[expected.dtype].is_complex:
        return expected
    # Conditioned by the denominator 1 + exp(-z), which may cancel.
    parts = wide(self, expected.dtype)
    with np.errstate(all="ignore"):
        tail = np.exp(-parts)
        value = np.asarray(expected.value)
        size = (1 + np.abs(tail)) / np.abs(1 + tail) * np.abs(value)
    bound = 4 * DTYPES[expected.dtype].eps * size
    return within_ulp(expected.dtype, value, bound=bound)


def relu(self: Any) -> Expected:
    """max(0, self); NaN stays."""
    value = np.where(self.data <= 0, np.zeros((), self.data.dtype), self.data)
    return exact(self.dtype, value, any_zero_sign=True)


def pow(self: Any, exponent: Any) -> Expected:
    """self ** exponent."""
    dtype = common(self, exponent)
    a, b = wide(self, dtype), wide(exponent, dtype)
    if is_integer(dtype):
        a, b = np.broadcast_arrays(a, b)
        pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        values = [_wrap(x**y) for x, y in pairs]
        return exact(dtype, np.array(values, np.int64).reshape(a.shape))
    with np.errstate(all="ignore"):
        # NumPy takes one exponent of 0.5 for all as a square root, which is no power of -infinity.
        value = np.power(a, np.broadcast_to(b, np.broadcast_shapes(a.shape, b.shape)).copy())
        if not DTYPES[dtype].is_complex:
            return within_ulp(dtype, value)
        # exp(b log a): an error of log a is multiplied by |b| and then by the result.
        size = (2 + 4 * np.abs(b * np.log(a))) * np.abs(value)
    return within_ulp(dtype, value, bound=DTYPES[dtype].eps * size)


def _wrap(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def maximum(self: Any, other: Any) -> Expected:
    """The larger, NaN if either is NaN."""
    return _extremum(np.maximum, self, other)


def minimum(self: Any, other: Any) -> Expected:
    """The smaller, NaN if either is NaN."""
    return _extremum(np.minimum, self, other)


def _extremum(function: Callable[..., Array], self: Any, other: Any) -> Expected:
    dtype = common(self, other)
    return exact(
        dtype, function(converted(self, dtype), converted(other, dtype)), any_zero_sign=True
    )


def clamp(self: Any, min: Any, max: Any) -> Expected:
    """min(max(self, min), max): the upper bound wins over the lower; NaN stays."""
    bounds = [bound for bound in (min, max) if bound is not None]
    dtype = common(self, *bounds)
    value = converted(self, dtype)
    if min is not None:
        value = np.maximum(value, converted(min, dtype))
    if max is not None:
        value = np.minimum(value, converted(max, dtype))
    return exact(dtype, value, any_zero_sign=True)


def _compare(function: Callable[..., Array], self: Any, other: Any) -> Expected:
    """Compares the mathematical values: an integer tensor and a number it can't hold differ."""
    a, b = operand(self), operand(other)
    if is_integer(a.dtype) and is_integer(b.dtype):
        return exact("bool", _compare_exactly(function, a.data, b.data))
    dtype = common(self, other)
    return exact("bool", function(converted(self, dtype), converted(other, dtype)))


def _compare_exactly(function: Callable[..., Array], a: Array, b: Array) -> Array:
    return np.asarray(function(a.astype(object), b.astype(object))).astype(bool)


def eq(self: Any, other: Any) -> Expected:
    """self == other."""
    return _compare(np.equal, self, other)


def ne(self: Any, other: Any) -> Expected:
    """self != other."""
    return _compare(np.not_equal, self, other)


def lt(self: Any, other: Any) -> Expected:
    """self < other."""
    return _compare(np.less, self, other)


def le(self: Any, other: Any) -> Expected:
    """self <= other."""
    return _compare(np.less_equal, self, other)


def gt(self: Any, other: Any) -> Expected:
    """self > other."""
    return _compare(np.greater, self, other)


def ge(self: Any, other: Any) -> Expected:
    """self >= other."""
    return _compare(np.greater_equal, self, other)


def where(condition: Any, self: Any, other: Any) -> Expected:
    """self where condition holds, other elsewhere."""
    dtype = common(self, other)
    return exact(dtype, np.where(condition.data, converted(self, dtype), converted(other, dtype)))


def bitwise_and(self: Any, other: Any) -> Expected:
    """Bits set in both."""
    dtype = common(self, other)
    return exact(dtype, converted(self, dtype) & converted(other, dtype))


def logical_not(self: Any) -> Expected:
    """True where self is zero."""
    return exact("bool", self.data == 0)


def isnan(self: Any) -> Expected:
    """True where self, or a part of it, is NaN."""
    if is_integer(self.dtype):
        return exact("bool", np.zeros(self.shape, bool))
    return exact("bool", np.isnan(self.data))


def reciprocal(self: Any) -> Expected:
    """1 / self."""
    return true_divide(1, self)


def rsqrt(self: Any) -> Expected:
    """1 / sqrt(self)."""
    dtype = int_to_float(self.dtype)
    with np.errstate(all="ignore"):
        return within_ulp(dtype, 1 / np.sqrt(wide(self, dtype)))


def hypot(self: Any, other: Any) -> Expected:
    """The length of the vector (self, other), without overflow of the squares."""
    dtype = common(self, other)
    with np.errstate(all="ignore"):
        return within_ulp(dtype, np.hypot(wide(self, dtype), wide(other, dtype)))


def rsub(self: Any, other: Any, alpha: Any) -> Expected:
    """other - alpha * self."""
    return _scaled_sum(other, self, alpha, -1)


def addcmul(self: Any, tensor1: Any, tensor2: Any, value: Any) -> Expected:
    """self + value * tensor1 * tensor2."""
    return _with_product(self, tensor1, tensor2, value, np.multiply)


def addcdiv(self: Any, tensor1: Any, tensor2: Any, value: Any) -> Expected:
    """self + value * tensor1 / tensor2."""
    return _with_product(self, tensor1, tensor2, value, np.divide)


def _with_product(
    self: Any, tensor1: Any, tensor2: Any, value: Any, combine: Callable[..., Array]
) -> Expected:
    dtype = common(self, tensor1, tensor2)
    a, b, c = (wide(x, dtype) for x in (self, tensor1, tensor2))
    if is_integer(dtype):
        factor = np.asarray(value, np.int64)
        return exact(dtype, wrapping(a) + factor * wrapping(b) * wrapping(c))
    with np.errstate(all="ignore"):
        product = a.dtype.type(value) * combine(b, c)
        total = a + product
        # Each of the three operations may round.
        bound = DTYPES[dtype].eps * (4 * np.abs(product) + np.abs(total))
    return within_bound(dtype, total, bound)


def lerp(self: Any, end: Any, weight: Any) -> Expected:
    """self + weight * (end - self); exact at the ends."""
    dtype = self.dtype
    a, b, w = (wide(x, dtype) for x in (self, end, weight))
    with np.errstate(all="ignore"):
        value = np.where(w == 1, b, a + w * (b - a))
        size = np.abs(a) + np.abs(b) + (1 + np.abs(w)) * np.abs(b - a)
        bound = 2 * DTYPES[dtype].eps * size
        if not DTYPES[dtype].is_complex:
            bound = np.where((w == 0) | (w == 1), 0.0, bound)
    return within_bound(dtype, value, bound)


def clamp_min(self: Any, min: Any) -> Expected:
    """Nothing below min; NaN stays."""
    return clamp(self, min, None)


def clamp_max(self: Any, max: Any) -> Expected:
    """Nothing above max; NaN stays."""
    return clamp(self, None, max)
