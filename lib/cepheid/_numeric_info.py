"""finfo and iinfo: the numbers of a dtype, from its format (exponent and mantissa bits)."""

from __future__ import annotations

import math

from cepheid import _C

# dtype name -> bits, mantissa bits, largest finite value's exponent, smallest normal's exponent
_FLOATS = {
    "float64": (64, 52, 1023, -1022),
    "float32": (32, 23, 127, -126),
    "float16": (16, 10, 15, -14),
    "bfloat16": (16, 7, 127, -126),
    "float8_e5m2": (8, 2, 15, -14),
    "float8_e4m3fn": (8, 3, 8, -6),
}
_INTEGERS = {
    "uint8": (8, False),
    "int8": (8, True),
    "int16": (16, True),
    "int32": (32, True),
    "int64": (64, True),
    "uint16": (16, False),
    "uint32": (32, False),
    "uint64": (64, False),
}


def _short_name(dtype: _C.dtype) -> str:
    return str(dtype).removeprefix("torch.")


class finfo:
    """Numerical properties of a floating dtype (of its parts, for a complex one).

    Attributes: bits, eps (distance from 1 to the next number), max, min, tiny and smallest_normal,
    resolution (10 to the power of minus the decimal digits that survive), dtype (its name).
    TypeError for any other dtype.
    """

    def __init__(self, type: _C.dtype | None = None) -> None:
        dtype = _C.get_default_dtype() if type is None else type
        name = _short_name(dtype.to_real() if dtype.is_complex else dtype)
        if name not in _FLOATS:
            raise TypeError(
                f"finfo: expected a floating dtype; got {dtype}; use iinfo for integers"
            )
        bits, mantissa, top, bottom = _FLOATS[name]
        self.bits = bits
        self.eps = 2.0**-mantissa
        # float8_e4m3fn gives its last mantissa at the top exponent to NaN
        steps = 2 if name == "float8_e4m3fn" else 1
        self.max = math.ldexp(2.0 - steps * self.eps, top)
        self.min = -self.max
        self.tiny = self.smallest_normal = math.ldexp(1.0, bottom)
        self.resolution = 10.0 ** -math.floor(mantissa * math.log10(2))
        self.dtype = name

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


class iinfo:
    """Numerical properties of an integer dtype: bits, max, min, dtype. TypeError for others."""

    def __init__(self, type: _C.dtype) -> None:
        name = _short_name(type)
        if name not in _INTEGERS:
            raise TypeError(f"iinfo: expected an integer dtype; got {type}; use finfo for floats")
        self.bits, signed = _INTEGERS[name]
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -(2 ** (self.bits - 1)) if signed else 0
        self.dtype = name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)
