"""Reference values of the elementary functions: mathematics in a wider type."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DTYPES
from ..expected import Expected, rounded, within_ulp
from ..promotion import int_to_float
from ..wide import evaluate
from .common import common, native, wide


def float_function(name: str, self: Any, correctly_rounded: bool = False) -> Expected:
    """A function of `wide` in the floating dtype that self becomes."""
    dtype = int_to_float(self.dtype)
    if correctly_rounded and not DTYPES[dtype].is_complex:
        return rounded(dtype, evaluate(name, native(self, dtype)))
    return within_ulp(dtype, evaluate(name, wide(self, dtype)))


def atan2(self: Any, other: Any) -> Expected:
    """The angle of the vector (other, self)."""
    dtype = int_to_float(common(self, other))
    with np.errstate(all="ignore"):
        return within_ulp(dtype, np.arctan2(wide(self, dtype), wide(other, dtype)))


def sin(self: Any) -> Expected:
    """Sine."""
    return float_function("sin", self)


def cos(self: Any) -> Expected:
    """Cosine."""
    return float_function("cos", self)


def tan(self: Any) -> Expected:
    """Tangent."""
    return float_function("tan", self)


def asin(self: Any) -> Expected:
    """Arc sine."""
    return float_function("asin", self)


def acos(self: Any) -> Expected:
    """Arc cosine."""
    return float_function("acos", self)


def atan(self: Any) -> Expected:
    """Arc tangent."""
    return float_function("atan", self)


def sinh(self: Any) -> Expected:
    """Hyperbolic sine."""
    return float_function("sinh", self)


def cosh(self: Any) -> Expected:
    """Hyperbolic cosine."""
    return float_function("cosh", self)


def asinh(self: Any) -> Expected:
    """The inverse of the hyperbolic sine."""
    return float_function("asinh", self)


def acosh(self: Any) -> Expected:
    """The inverse of the hyperbolic cosine."""
    return float_function("acosh", self)


def atanh(self: Any) -> Expected:
    """The inverse of the hyperbolic tangent."""
    return float_function("atanh", self)


def exp2(self: Any) -> Expected:
    """2 ** self."""
    return float_function("exp2", self)


def expm1(self: Any) -> Expected:
    """e ** self - 1."""
    return float_function("expm1", self)


def log1p(self: Any) -> Expected:
    """log(1 + self)."""
    return float_function("log1p", self)


def log2(self: Any) -> Expected:
    """Logarithm to base 2."""
    return float_function("log2", self)


def log10(self: Any) -> Expected:
    """Logarithm to base 10."""
    return float_function("log10", self)


def erf(self: Any) -> Expected:
    """The error function."""
    return float_function("erf", self)


def erfc(self: Any) -> Expected:
    """1 - erf(self), small as it may be."""
    return float_function("erfc", self)


def deg2rad(self: Any) -> Expected:
    """self * pi / 180."""
    dtype = int_to_float(self.dtype)
    with np.errstate(all="ignore"):
        return within_ulp(dtype, wide(self, dtype) * _pi(dtype) / 180)


def rad2deg(self: Any) -> Expected:
    """self * 180 / pi."""
    dtype = int_to_float(self.dtype)
    with np.errstate(all="ignore"):
        return within_ulp(dtype, wide(self, dtype) * (180 / _pi(dtype)))


def _pi(dtype: str) -> Any:
    """As wide as the values of the dtype are judged."""
    return 4 * evaluate("atan", wide(1.0, dtype))


def logit(self: Any, eps: Any) -> Expected:
    """log(x / (1 - x)), of x kept eps away from 0 and 1; a negative eps is none."""
    dtype = int_to_float(self.dtype)
    x = wide(self, dtype)
    if eps is not None and eps >= 0:
        carrier = np.float64 if dtype == "float64" else np.float32
        low = carrier(eps)
        high = carrier(1) - low
        x = np.where(x < low, low, np.where(x > high, high, x)).astype(x.dtype)
    with np.errstate(all="ignore"):
        near = evaluate("log1p", (2 * x - 1) / (1 - x))
        value = np.where(np.abs(x - 0.5) < 0.25, near, np.log(x / (1 - x)))
    # The quotient is rounded, which is all of the logarithm next to 1/2.
    return within_ulp(dtype, value, bound=_rounding(dtype))


def logit_of(self: Any) -> Expected:
    """Without an eps."""
    return logit(self, None)


def _rounding(dtype: str) -> float:
    """Of the type that values of a dtype are computed in, near 1."""
    return DTYPES["float64" if dtype == "float64" else "float32"].eps
