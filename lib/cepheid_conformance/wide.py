"""Mathematical functions in a wider type than the one under judgement.

float64 serves dtypes up to float32. For float64 results the 80-bit long double of x86 serves,
where it exists; elsewhere mpmath, element by element. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

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
        if values.dtype == np.longdouble and not HAS_LONG_DOUBLE:
            return by_mpmath(name, values)
        return _FUNCTIONS[name](values)


def by_mpmath(name: str, values: Array) -> Array:
    """The same function through mpmath: the definition."""
    function = MPMATH[name]
    with mpmath.workdps(_MPMATH_DIGITS):
        flat = [_from_mpf(function(_to_mpf(value))) for value in values.ravel()]
    return np.array(flat, np.longdouble).reshape(values.shape)


def _to_mpf(value: Any) -> Any:
    high = float(value)
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


_FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
}
MPMATH: dict[str, Callable[[Any], Any]] = {
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sqrt": mpmath.sqrt,
    "tanh": mpmath.tanh,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
}
