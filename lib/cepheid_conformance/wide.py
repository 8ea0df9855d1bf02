"""Mathematical functions in a wider type than the one under judgement.

float64 serves dtypes up to float32. For float64 results the 80-bit long double of x86 serves,
where it exists; elsewhere mpmath, element by element. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import scipy.special

from .dtypes import DTYPES, Array, DType

HAS_LONG_DOUBLE = np.finfo(np.longdouble).nmant >= 63
_MPMATH_DIGITS = 40


def widen(values: Array, dtype: str) -> Array:
    """Carrier values of a floating or complex dtype in a type with spare bits."""
    info = DTYPES[dtype]
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
        return values.astype(_wide_type(info))


def _wide_type(info: DType) -> Any:
    if info.is_complex:
        return np.clongdouble if info.name == "complex128" else np.complex128
    return np.longdouble if info.name == "float64" else np.float64


def evaluate(name: str, values: Array) -> Array:
    """A function of `_FUNCTIONS` at wide values."""
    with np.errstate(all="ignore"):
        if values.dtype == np.longdouble and (not HAS_LONG_DOUBLE or name in ONLY_DOUBLE):
            return by_mpmath(name, values)
        return _FUNCTIONS[name](values)


def by_mpmath(name: str, values: Array) -> Array:
    """The same function through mpmath: the definition."""
    function = MPMATH[name]
    with mpmath.workdps(_MPMATH_DIGITS):
        flat = [_from_mpf(function(_to_mpf(value))) for value in values.ravel()]
    result = np.array(flat, np.longdouble).reshape(values.shape)
    return np.where((result == 0) & (values == 0), values, result)  # mpmath's zero has no sign


def _to_mpf(value: Any) -> Any:
    high = float(value)
    if not np.isfinite(high):
        return mpmath.mpf(high)
    return mpmath.mpf(high) + mpmath.mpf(float(value - np.longdouble(high)))


def _from_mpf(value: Any) -> Any:
    high = float(value)
    if not np.isfinite(high):
        return np.longdouble(high)
    return np.longdouble(high) + np.longdouble(float(value - high))


def _sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)) without overflow on either side."""
    if np.iscomplexobj(x):
        rising = np.exp(np.where(x.real < 0, x, -x))
        return np.asarray(np.where(x.real < 0, rising / (1 + rising), 1 / (1 + rising)))
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def _log1p(x: Array) -> Array:
    """Of complex numbers by |1 + z|^2 = 1 + x (2 + x) + y^2, which keeps small ones."""
    if not np.iscomplexobj(x):
        return np.asarray(np.log1p(x))
    shifted = np.array(x)
    shifted.real += 1  # not the imaginary part, whose zero has a sign
    far = np.asarray(np.log(shifted))
    result = np.array(far)
    near = np.abs(x) < 2
    size = x.real * (2 + x.real) + x.imag * x.imag
    result.real = np.where(near, np.log1p(size) / 2, far.real)
    return result


def _expm1(x: Array) -> Array:
    """Of complex numbers on the real axis real, where exp overflows too."""
    result = np.asarray(np.expm1(x))
    if np.iscomplexobj(x):
        result.imag = np.where(x.imag == 0, x.imag, result.imag)
    return result


def _real(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of mpmath that has no value where the real function has none."""

    def of(x: Any) -> Any:
        value = function(x)
        return mpmath.mpf("nan") if isinstance(value, mpmath.mpc) else value

    return of


def _erfc(x: Any) -> Any:
    """mpmath's own overflows far from zero, where one of the limits is met to all digits."""
    limit = mpmath.mpf(0 if x > 0 else 2)
    return limit if abs(x) > _ERFC_REACH else mpmath.erfc(x)


_ERFC_REACH = 1000  # erfc(1000) is 10^-434298
# What NumPy and SciPy know in double only.
ONLY_DOUBLE = ("erf", "erfc")
_BY_NAME = "sin cos tan sinh cosh exp2 log2 log10".split()
_INVERSES = "asin acos atan asinh acosh atanh".split()
_FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    **{name: getattr(np, name) for name in _BY_NAME},
    **{name: getattr(np, name.replace("a", "arc", 1)) for name in _INVERSES},
    "expm1": _expm1,
    "log1p": _log1p,
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
}
_OF_MPMATH = "sin cos tan sinh cosh expm1 log10 asin acos atan asinh acosh atanh log1p erf"
MPMATH: dict[str, Callable[[Any], Any]] = {
    **{name: _real(getattr(mpmath, name)) for name in _OF_MPMATH.split()},
    "erfc": _erfc,
    "exp2": lambda x: mpmath.power(2, x),
    "log2": _real(lambda x: mpmath.log(x, 2)),
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sqrt": mpmath.sqrt,
    "tanh": mpmath.tanh,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
}
