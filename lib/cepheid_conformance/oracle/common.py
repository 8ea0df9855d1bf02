"""What the oracles share: operands in a common dtype, wrapped integer arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, cast
from ..promotion import number_dtype, result_type
from ..tensors import Tensor
from ..wide import widen


def operand(value: Any) -> Tensor:
    """A tensor, or a Python number as a 0-dim one."""
    if isinstance(value, Tensor):
        return value
    name = number_dtype(value)
    # A Python float is a double, whatever dtype it stands for in promotion.
    return Tensor(name, np.asarray(value))


def converted(value: Any, dtype: str) -> Array:
    """Values of an operand in another dtype, by that dtype's conversion rule."""
    if isinstance(value, Tensor):
        return cast(value.data, value.info, DTYPES[dtype])
    array = np.asarray(value)
    if array.dtype == object:
        return _wrapped(value, dtype)
    source = {"b": "bool", "i": "int64", "u": "uint64", "f": "float64", "c": "complex128"}
    return cast(array, DTYPES[source[array.dtype.kind]], DTYPES[dtype])


def _wrapped(value: int, dtype: str) -> Array:
    """A Python integer beyond 64 bits, as the floating dtype nearest to it."""
    return cast(np.asarray(float(value)), DTYPES["float64"], DTYPES[dtype])


def wide(value: Any, dtype: str) -> Array:
    """Values in the common dtype, widened where it is floating or complex."""
    values = converted(value, dtype)
    return widen(values, dtype) if DTYPES[dtype].is_inexact else values


def native(value: Any, dtype: str) -> Array:
    """Values in the common dtype, widened only where rounding twice is the same as rounding once:
    float64 and complex128 stay, since NumPy's own arithmetic rounds them correctly."""
    values = converted(value, dtype)
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
        if DTYPES[dtype].is_complex:
            return values.astype(np.complex128)
        return values.astype(np.float64) if DTYPES[dtype].is_floating else values


def common(*values: Any) -> str:
    """The promoted dtype of operands."""
    return result_type(values)


def is_integer(dtype: str) -> bool:
    """Integers and bool."""
    return not DTYPES[dtype].is_inexact


def wrapping(array: Array) -> Array:
    """Integers as a type whose arithmetic wraps modulo 2**64."""
    return array.astype(np.uint64 if array.dtype == np.uint64 else np.int64)


def normal_dim(dim: int, rank: int) -> int:
    """A negative dim counts from the end; 0-dim tensors accept 0 and -1."""
    return dim + max(rank, 1) if dim < 0 else dim
