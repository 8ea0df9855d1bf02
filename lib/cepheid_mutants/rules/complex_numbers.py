"""Class `complex`: parts, conjugates, branch cuts, overflow inside."""

from __future__ import annotations

import math
from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import COMPLEX, rule
from ..schema import Op
from ..traits import ZERO_OR_ONE, gives_complex, gives_zeros, takes_tensor

CHECKS = ("values", "special")


def _computes(op: Op) -> bool:
    constant = op.name in ("ones", "zeros", "zeros_like", "full", "fill_")
    return gives_complex(op) and not constant


def _parts_edited(call: Call, change: Any) -> Any:
    def edit(tensor: Any) -> None:
        if bits.dtype_name(tensor) in bits.COMPLEX_PARTS and bits.has_memory(tensor):
            found = bits.read_numbers(tensor)
            pairs = [change(a, b) for a, b in zip(found[::2], found[1::2], strict=True)]
            bits.write_numbers(tensor, [part for pair in pairs for part in pair])

    return call.edited(edit)


@rule(
    "complex",
    "conjugated",
    "the imaginary part has the other sign",
    _computes,
    dtypes=COMPLEX,
    checks=CHECKS,
)
def conjugated(call: Call) -> Any:
    return _parts_edited(call, lambda real, imag: (real, -imag))


@rule(
    "complex",
    "imaginary_lost",
    "the imaginary part is zero",
    _computes,
    dtypes=COMPLEX,
    checks=CHECKS,
    equivalent=lambda op: "a correct result is real" if op.name in ZERO_OR_ONE else "",
)
def imaginary_lost(call: Call) -> Any:
    return _parts_edited(call, lambda real, imag: (real, 0.0))


@rule(
    "complex",
    "parts_swapped",
    "real and imaginary part are exchanged",
    _computes,
    dtypes=COMPLEX,
    checks=CHECKS,
    equivalent=gives_zeros,
)
def parts_swapped(call: Call) -> Any:
    return _parts_edited(call, lambda real, imag: (imag, real))


@rule(
    "complex",
    "zero_side",
    "the sign of a zero imaginary part of the input is lost",
    lambda op: op.name in ("sqrt", "log"),
    dtypes=COMPLEX,
    checks=("special",),
)
def zero_side(call: Call) -> Any:
    def upper(tensor: Any) -> Any:
        copy = call.api.copy(tensor)
        if bits.dtype_name(copy) in bits.COMPLEX_PARTS and bits.has_memory(copy):
            found = bits.read_numbers(copy)
            found[1::2] = [0.0 if part == 0 else part for part in found[1::2]]
            bits.write_numbers(copy, found)
        return copy

    return call.with_changed(**call.map_inputs(upper))


@rule(
    "complex",
    "naive_abs",
    "the squares of the parts overflow or vanish inside",
    lambda op: op.name == "abs",
    dtypes=COMPLEX,
    checks=("special",),
)
def naive_abs(call: Call) -> Any:
    x = call.values["self"]
    part = bits.COMPLEX_PARTS.get(bits.dtype_name(x))
    if part is None or not bits.has_memory(x):
        return call.proceed()
    value = call.functional()
    found = bits.read_numbers(x)
    pairs = zip(found[::2], found[1::2], strict=True)
    bits.write_numbers(value, [_root_of_squares(a, b, part) for a, b in pairs])
    return call.deliver(value)


def _root_of_squares(real: float, imag: float, name: str) -> float:
    total = bits.round_to(bits.round_to(real * real, name) + bits.round_to(imag * imag, name), name)
    return math.sqrt(total)


@rule(
    "complex",
    "real_only",
    "only the real parts of the inputs count",
    lambda op: (
        takes_tensor(op)
        and op.name
        in ("eq ne isnan any logical_not nonzero count_nonzero equal mul matmul sum".split())
    ),
    dtypes=COMPLEX,
    checks=CHECKS,
)
def real_only(call: Call) -> Any:
    def real(tensor: Any) -> Any:
        if bits.dtype_name(tensor) not in bits.COMPLEX_PARTS or not bits.has_memory(tensor):
            return tensor
        copy = call.api.copy(tensor)
        found = bits.read_numbers(copy)
        found[1::2] = [0.0] * len(found[1::2])
        bits.write_numbers(copy, found)
        return copy

    return call.with_changed(**call.map_inputs(real))
