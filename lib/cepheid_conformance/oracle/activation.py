"""Reference values of activations, and of logarithms of sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from ..dtypes import DTYPES, Array
from ..expected import Expected, exact, within_bound
from ..promotion import int_to_float
from .common import common, wide

# What exp loses at the ends of its range, times the argument there, in smallest normal numbers.
_VANISHED = 2000


def _near(self: Any, value: Array, size: Array | float = 0.0) -> Expected:
    """Within some roundings of the value, of what it is a difference of, and of nothing."""
    info = self.info
    computed = DTYPES["float32"] if info.itemsize == 2 else info
    with np.errstate(invalid="ignore"):
        bound = 4 * info.eps * (np.abs(value) + size) + _VANISHED * computed.tiny
    return within_bound(self.dtype, value, bound)


def _sigmoid(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, small, 1) / (1 + small))


def _softplus(x: Array) -> Array:
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def silu(self: Any) -> Expected:
    """self * sigmoid(self)."""
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        return _near(self, x * _sigmoid(x))


def gelu(self: Any, approximate: str) -> Expected:
    """self times the share of a normal distribution below it, or a formula with tanh."""
    return gelu_erf(self) if approximate == "none" else gelu_tanh(self)


def gelu_erf(self: Any) -> Expected:
    """self / 2 * (1 + erf(self / sqrt(2)))."""
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        share = scipy.special.ndtr(x.astype(np.float64))
        # The share below is a difference from one for most; so is its error.
        return _near(self, x * share, np.where(np.isfinite(x), np.abs(x), 0.0))


def gelu_tanh(self: Any) -> Expected:
    """self / 2 * (1 + tanh(sqrt(2 / pi) * (self + 0.044715 self ** 3)))."""
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        share = _sigmoid(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
        return _near(self, x * share, np.where(np.isfinite(x), np.abs(x), 0.0))


def softplus(self: Any, beta: Any, threshold: Any) -> Expected:
    """log(1 + exp(beta self)) / beta; self where beta self is beyond the threshold."""
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        value = np.where(x * beta > threshold, x, _softplus(x * beta) / beta)
    return _near(self, value)


def logsigmoid(self: Any) -> Expected:
    """log(sigmoid(self))."""
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        return _near(self, -_softplus(-x))


def mish(self: Any) -> Expected:
    """self * tanh(log(1 + exp(self)))."""
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        return _near(self, x * np.tanh(_softplus(x)))


def elu(self: Any, alpha: Any) -> Expected:
    """self from zero on, alpha (exp(self) - 1) below."""
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        return _near(self, np.where(x >= 0, x, alpha * np.expm1(x)))


def celu(self: Any, alpha: Any) -> Expected:
    """self from zero on, alpha (exp(self / alpha) - 1) below."""
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        return _near(self, np.where(x >= 0, x, alpha * np.expm1(x / alpha)))


def selu(self: Any) -> Expected:
    """scale (self above zero, alpha (exp(self) - 1) below)."""
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        return _near(self, scale * np.where(x > 0, x, alpha * np.expm1(x)))


def leaky_relu(self: Any, negative_slope: Any) -> Expected:
    """self above zero, a multiple of it below."""
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        return _near(self, np.where(x > 0, x, negative_slope * x))


def hardtanh(self: Any, min_val: Any, max_val: Any) -> Expected:
    """Between two numbers; NaN stays."""
    x = wide(self, self.dtype)
    low, high = (wide(number, self.dtype) for number in (min_val, max_val))
    return exact(self.dtype, np.minimum(np.maximum(x, low), high), any_zero_sign=True)


def relu6(self: Any) -> Expected:
    """Between 0 and 6; NaN stays."""
    return hardtanh(self, 0, 6)


def hardsigmoid(self: Any) -> Expected:
    """self / 6 + 1 / 2 between 0 and 1."""
    x = wide(self, self.dtype)
    with np.errstate(invalid="ignore"):
        value = np.clip(x + 3, 0, 6) / 6
    return _near(self, value, np.where(np.abs(x) < 4, 1.0, 0.0))


def hardswish(self: Any) -> Expected:
    """self * hardsigmoid(self)."""
    x = wide(self, self.dtype)
    with np.errstate(all="ignore"):
        value = x * np.clip(x + 3, 0, 6) / 6
    return _near(self, value, np.where(np.abs(x) < 4, np.abs(x), 0.0))


def threshold(self: Any, threshold: Any, value: Any) -> Expected:
    """self above the threshold, value elsewhere; NaN stays."""
    limit, other = (wide(number, self.dtype) for number in (threshold, value))
    x = wide(self, self.dtype)
    return exact(self.dtype, np.where(x <= limit, other, x))


def hardshrink(self: Any, lambd: Any) -> Expected:
    """Zero within lambd of zero, else self."""
    x, limit = wide(self, self.dtype), wide(lambd, self.dtype)
    return exact(self.dtype, np.where((x >= -limit) & (x <= limit), 0, x), any_zero_sign=True)


def softshrink(self: Any, lambd: Any) -> Expected:
    """lambd nearer to zero, and zero within lambd of it; NaN stays."""
    x, limit = wide(self, self.dtype), wide(lambd, self.dtype)
    with np.errstate(all="ignore"):
        inside = np.where(np.isnan(x), x, 0)
        value = np.where(x > limit, x - limit, np.where(x < -limit, x + limit, inside))
    return _near(self, value)


def xlogy(self: Any, other: Any) -> Expected:
    """self * log(other); 0 where self is, unless other is NaN."""
    dtype = int_to_float(common(self, other))
    x, y = wide(self, dtype), wide(other, dtype)
    with np.errstate(all="ignore"):
        value = np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y))
        return within_bound(dtype, value, 4 * DTYPES[dtype].eps * np.abs(value))


def logaddexp(self: Any, other: Any) -> Expected:
    """log(exp(self) + exp(other))."""
    dtype = common(self, other)
    a, b = wide(self, dtype), wide(other, dtype)
    with np.errstate(all="ignore"):
        size = np.where(np.isfinite(a) & np.isfinite(b), np.maximum(np.abs(a), np.abs(b)), 0)
        # The larger operand and the logarithm of a number up to two may cancel.
        bound = 4 * DTYPES[dtype].eps * np.where(size < 4, np.maximum(size, 0.5), 0)
        value = np.logaddexp(a, b)
        bound += 2 * DTYPES[dtype].smallest
        return within_bound(dtype, value, bound + 4 * DTYPES[dtype].eps * np.abs(value))
