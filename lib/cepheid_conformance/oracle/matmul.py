"""Reference values of matrix products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array
from ..expected import Expected, exact, within_bound
from ..wide import widen
from .common import is_integer, wrapping
from .reduce import accumulation_eps


def matmul(**operands: Any) -> Expected:
    """The product of self and mat2 (mm, bmm) or other (matmul)."""
    first, second = operands.values()
    dtype = first.dtype
    if is_integer(dtype):
        return exact(dtype, np.matmul(wrapping(first.data), wrapping(second.data)))
    a, b = widen(first.data, dtype), widen(second.data, dtype)
    with np.errstate(all="ignore"):
        value = np.matmul(a, b)
        size = np.matmul(magnitude(a), magnitude(b))
    return within_bound(dtype, value, product_bound(size, first.shape[-1], dtype))


def magnitude(values: Array) -> Array:
    """|values|; infinities and NaN don't enter bounds."""
    return np.asarray(np.where(np.isfinite(values), np.abs(values), 0))


def product_bound(size: Array, terms: int, dtype: str) -> Array:
    """Error of a product of matrices: (2 sqrt(K) + 4) eps (|A||B|); complex products take four."""
    factor = (2 * math.sqrt(terms) + 4) * (2 if DTYPES[dtype].is_complex else 1)
    return np.asarray(size * factor * accumulation_eps(dtype))
