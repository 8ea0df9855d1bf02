"""The dtypes as numbers: sizes, ranges, exact conversion from and to bytes, rounding, ULP.

A tensor's values are held in a *carrier* array: NumPy's own dtype where NumPy has it, and float32
for bfloat16 and the float8 kinds, whose values are all exact in float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class DType:
    """One dtype. `precision` counts significand bits with the hidden one; 0 for non-floats."""

    name: str
    kind: str  # bool, unsigned, signed, float, complex
    itemsize: int
    carrier: Any
    stored: Any  # NumPy dtype of the raw bytes
    precision: int = 0
    min_exponent: int = 0  # of the smallest normal, as a power of two
    max_value: float = 0.0
    has_infinity: bool = True

    @property
    def is_floating(self) -> bool:
        return self.kind == "float"

    @property
    def is_complex(self) -> bool:
        return self.kind == "complex"

    @property
    def is_integral(self) -> bool:
        return self.kind in ("unsigned", "signed")

    @property
    def is_inexact(self) -> bool:
        return self.kind in ("float", "complex")

    @property
    def category(self) -> int:
        """Order of promotion: bool < integers < floating < complex."""
        return {"bool": 0, "unsigned": 1, "signed": 1, "float": 2, "complex": 3}[self.kind]

    @property
    def eps(self) -> float:
        """Distance from 1 to the next value."""
        return float(2.0 ** (1 - self.precision))

    @property
    def tiny(self) -> float:
        """Smallest normal value."""
        return float(2.0**self.min_exponent)

    @property
    def smallest(self) -> float:
        """Smallest subnormal value."""
        return float(2.0 ** (self.min_exponent + 1 - self.precision))

    @property
    def real_name(self) -> str:
        """The dtype of the real part."""
        return {"complex64": "float32", "complex128": "float64"}.get(self.name, self.name)

    @property
    def bits(self) -> int:
        return 8 * self.itemsize


def _integer(name: str) -> DType:
    numpy_dtype = np.dtype(name)
    kind = "unsigned" if name.startswith("u") else "signed"
    return DType(name, kind, numpy_dtype.itemsize, numpy_dtype, numpy_dtype)


_F32_MAX = float(np.finfo(np.float32).max)
_F64_MAX = float(np.finfo(np.float64).max)
_BF16_MAX = float((2 - 2.0**-7) * 2.0**127)

DTYPES: dict[str, DType] = {
    dtype.name: dtype
    for dtype in (
        DType("bool", "bool", 1, np.dtype(bool), np.dtype(bool)),
        *map(_integer, "uint8 int8 int16 int32 int64 uint16 uint32 uint64".split()),
        DType("float16", "float", 2, np.dtype("f2"), np.dtype("f2"), 11, -14, 65504.0),
        DType("bfloat16", "float", 2, np.dtype("f4"), np.dtype("u2"), 8, -126, _BF16_MAX),
        DType("float32", "float", 4, np.dtype("f4"), np.dtype("f4"), 24, -126, _F32_MAX),
        DType("float64", "float", 8, np.dtype("f8"), np.dtype("f8"), 53, -1022, _F64_MAX),
        DType("complex64", "complex", 8, np.dtype("c8"), np.dtype("c8"), 24, -126, _F32_MAX),
        DType("complex128", "complex", 16, np.dtype("c16"), np.dtype("c16"), 53, -1022, _F64_MAX),
        DType("float8_e4m3fn", "float", 1, np.dtype("f4"), np.dtype("u1"), 4, -6, 448.0, False),
        DType("float8_e5m2", "float", 1, np.dtype("f4"), np.dtype("u1"), 3, -14, 57344.0),
    )
}


def decode(raw: Array, dtype: DType) -> Array:
    """Carrier values of raw elements (an array of `dtype.stored`)."""
    if dtype.name == "bfloat16":
        return np.asarray(np.left_shift(raw.astype(np.uint32), 16).view(np.float32))
    if dtype.itemsize == 1 and dtype.is_floating:
        return np.asarray(_float8_values(dtype.name)[raw])
    return raw


def encode(values: Array, dtype: DType) -> Array:
    """Raw elements of carrier values; every value must be representable."""
    if dtype.name == "bfloat16":
        return np.right_shift(np.ascontiguousarray(values, np.float32).view(np.uint32), 16).astype(
            np.uint16
        )
    if dtype.itemsize == 1 and dtype.is_floating:
        return _encode_float8(values, dtype)
    return np.asarray(values, dtype.stored)


@cache
def _float8_values(name: str) -> Array:
    """The 256 values of a float8 kind, from its definition (sign, exponent, fraction)."""
    dtype = DTYPES[name]
    fraction_bits = dtype.precision - 1
    codes = np.arange(256)
    sign = np.where(codes & 0x80, -1.0, 1.0)
    exponent = (codes & 0x7F) >> fraction_bits
    fraction = (codes & ((1 << fraction_bits) - 1)) / 2.0**fraction_bits
    scale = 2.0 ** (np.maximum(exponent, 1) + dtype.min_exponent - 1)
    values = sign * scale * (fraction + (exponent > 0))
    top = (codes & 0x7F) >> fraction_bits == (0x7F >> fraction_bits)
    if dtype.has_infinity:
        values[top] = np.where(fraction[top] == 0, sign[top] * np.inf, np.nan)
    else:
        values[(codes & 0x7F) == 0x7F] = np.nan
    return np.asarray(values, np.float32)


def _encode_float8(values: Array, dtype: DType) -> Array:
    table = _float8_values(dtype.name)
    codes = np.arange(128)
    finite = codes[np.isfinite(table[:128])]
    magnitude = np.abs(values)
    found = finite[np.searchsorted(table[finite], np.where(np.isfinite(values), magnitude, 0.0))]
    if dtype.has_infinity:
        found = np.where(np.isinf(values), int(np.flatnonzero(np.isinf(table[:128]))[0]), found)
    found = np.where(np.isnan(values), 0x7F, found)
    return (found | np.where(np.signbit(values), 0x80, 0)).astype(np.uint8)


def round_to(values: Array, dtype: DType) -> Array:
    """Round wide floating or complex values once, to nearest even, to the carrier of `dtype`."""
    with np.errstate(all="ignore"):
        if dtype.is_complex:
            wide = np.asarray(values)
            result = np.empty(wide.shape, dtype.carrier)
            result.real, result.imag = wide.real, wide.imag
            return result
        if dtype.name in ("float16", "float32", "float64"):
            return np.asarray(values).astype(dtype.carrier)
        return _round_bits(np.asarray(values), dtype).astype(np.float32)


def _round_bits(values: Array, dtype: DType) -> Array:
    step = spacing(values, dtype)
    finite = np.isfinite(values)
    rounded = np.where(finite, np.rint(np.where(finite, values, 0) / step) * step, values)
    rounded = np.copysign(rounded, values)
    # A format without infinities saturates (the saturating mode of the OCP 8-bit formats).
    overflow = np.inf if dtype.has_infinity else dtype.max_value
    return np.where(np.abs(rounded) > dtype.max_value, np.copysign(overflow, values), rounded)


def spacing(values: Array, dtype: DType) -> Array:
    """One unit in the last place of `dtype` at |values|, floor one subnormal step."""
    magnitude = np.abs(np.asarray(values))
    magnitude = np.where(np.isfinite(magnitude), magnitude, dtype.max_value)
    exponent = np.maximum(np.frexp(magnitude)[1] - 1, dtype.min_exponent)
    exponent = np.where(magnitude == 0, dtype.min_exponent, exponent)
    return np.asarray(np.ldexp(magnitude.dtype.type(1), exponent - (dtype.precision - 1)))


def cast(values: Array, source: DType, target: DType) -> Array:
    """Convert carrier values as `tensor.to(dtype)` is documented to: truncation towards zero for
    floats to integers, wrap for integers, non-zero is true, the real part of complex."""
    if target.kind == "bool":
        return np.asarray(values != 0)
    if source.is_complex and not target.is_complex:
        values = values.real
    if target.is_integral:
        if source.is_inexact:
            with np.errstate(invalid="ignore"):
                values = np.trunc(values).astype(np.int64)
        return values.astype(target.carrier)
    if target.is_complex:
        return values.astype(target.carrier)
    if source.is_inexact:
        with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
            return round_to(values.astype(np.float64), target)
    return _round_integers(values, target)


def _round_integers(values: Array, target: DType) -> Array:
    """Integers straight to a floating dtype, rounded once: longdouble holds all 64 bits."""
    return round_to(values.astype(np.longdouble), target)


def integer_range(dtype: DType) -> tuple[int, int]:
    """Smallest and largest value of an integer dtype (bool: 0, 1)."""
    if dtype.kind == "bool":
        return 0, 1
    if dtype.kind == "unsigned":
        return 0, 2**dtype.bits - 1
    return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1
