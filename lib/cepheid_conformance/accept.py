"""The accept rule: structure first, then values; the first thing that fails is reported.

Order: type, dtype, shape, device, strides contract, aliasing contract, NaN positions, infinities
and their signs, signs of zero, values. No value comparison hides a structural error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .dtypes import DTYPES, Array, DType, round_to, spacing
from .expected import BOUND, EXACT, FREE, ROUNDED, ULP, Expected
from .facts import Result


@dataclass(frozen=True)
class Mismatch:
    """The first property that differs. `holds` is Python over the result `it`, true where the
    result is right; empty where no short expression says so."""

    what: str  # type, dtype, shape, ..., values
    expected: str
    got: str
    holds: str = ""

    def __str__(self) -> str:
        return f"{self.what}: expected {self.expected}; got {self.got}"


def compare_structure(expected: Expected, result: Result, device: str = "cpu") -> Mismatch | None:
    """Type, dtype, shape, device and, where the oracle fixes them, strides and offset."""
    if expected.plain:
        return None if result.kind != "tensor" else Mismatch("type", "a Python value", "a tensor")
    if result.kind != "tensor" or result.type != "Tensor":
        got = result.type if result.kind == "tensor" else result.kind
        return Mismatch("type", "Tensor", got, "type(it).__name__ == 'Tensor'")
    pairs: list[tuple[str, Any, Any]] = [
        ("dtype", expected.dtype, result.dtype),
        ("shape", list(expected.shape), list(result.shape)),
        ("device", device, result.device),
    ]
    if expected.strides is not None:
        wanted_strides = visible_strides(expected.shape, expected.strides)
        pairs.append(("strides", wanted_strides, visible_strides(result.shape, result.strides)))
    if expected.offset is not None and 0 not in expected.shape:
        pairs.append(("storage offset", expected.offset, result.offset))
    return next(
        (Mismatch(what, str(a), str(b), _fact(what, a)) for what, a, b in pairs if a != b), None
    )


def _fact(what: str, expected: Any) -> str:
    """Python over a tensor `it` that holds where a structural fact is as expected."""
    if what == "strides" and "free" in expected:
        return ""
    facts = {
        "dtype": f"it.dtype == torch.{expected}",
        "shape": f"list(it.shape) == {expected}",
        "device": f"str(it.device) == {expected!r}",
        "strides": f"list(it.stride()) == {expected}",
        "storage offset": f"it.storage_offset() == {expected}",
    }
    return facts[what]


def visible_strides(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int | str]:
    """Strides that address something; those of sizes 0 and 1 are free."""
    if 0 in shape or len(shape) != len(strides):
        return ["free"] * len(shape)
    return [stride if size > 1 else "free" for size, stride in zip(shape, strides, strict=True)]


def compare_values(expected: Expected, got: Array, budget: float = 0.0) -> Mismatch | None:
    """Values of a result whose structure agrees. `budget` is the op's k in ULP."""
    if expected.value is None or expected.rung == FREE:
        return None
    info = DTYPES[expected.dtype]
    with np.errstate(all="ignore"):
        if not info.is_inexact:
            return _first(expected.value != got, "values", expected.value, got)
        if info.is_complex:
            return _compare_complex(expected, got, budget, info)
        return _compare_real(expected, np.asarray(expected.value), got, budget, info)


def _compare_complex(expected: Expected, got: Array, budget: float, info: DType) -> Mismatch | None:
    """Parts are compared with the ULP of |z|, so that a small part beside a large one has room."""
    part = DTYPES[info.real_name]
    value = np.asarray(expected.value)
    either = np.isnan(value.real) | np.isnan(value.imag)
    got_either = np.isnan(got.real) | np.isnan(got.imag)
    found = _first(either != got_either, "NaN positions", value, got)
    if found is not None:
        return found
    scale = np.maximum(np.abs(value.real), np.abs(value.imag)) if expected.rung == ULP else None
    for name, wanted, have in (("real", value.real, got.real), ("imag", value.imag, got.imag)):
        calm = ~either
        found = _compare_real(expected, wanted, have, budget, part, scale, calm)
        if found is not None:
            return Mismatch(f"{name} {found.what}", found.expected, found.got)
    return None


def _compare_real(
    expected: Expected,
    value: Array,
    got: Array,
    budget: float,
    info: DType,
    scale: Array | None = None,
    where: Array | bool = True,
) -> Mismatch | None:
    reference = round_to(value, info)
    allowed = _allowed(expected, reference, value, budget, info, scale)
    wide_got = got.astype(value.dtype if value.dtype.itemsize > 8 else np.float64)
    nan = np.isnan(reference)
    found = _first((nan != np.isnan(got)) & where, "NaN positions", reference, got)
    if found is not None:
        return found
    infinite = _infinity_differs(reference, value, got, allowed, info)
    found = _first(infinite & ~nan & where, "infinities", reference, got)
    if found is not None:
        return found
    finite = np.isfinite(reference) & np.isfinite(got) & where
    zeros = (reference == 0) & (got == 0) & finite
    wrong_sign = zeros & (np.signbit(reference) != np.signbit(got))
    # A part of a complex result may cancel to a zero of either sign.
    free = np.asarray(expected.any_zero_sign) | (scale is not None)
    found = _first(wrong_sign & ~free, "signs of zero", reference, got)
    if found is not None:
        return found
    if expected.rung in (EXACT, ROUNDED):
        return _first((reference != got) & finite, "values", reference, got)
    error = np.abs(np.where(finite, wide_got, 0) - np.where(finite, value, 0))
    return _first((error > allowed) & finite, "values", reference, got, error, allowed)


def _allowed(
    expected: Expected,
    reference: Array,
    value: Array,
    budget: float,
    info: DType,
    scale: Array | None,
) -> Array:
    wide: Any = np.longdouble if value.dtype.itemsize > 8 else np.float64
    at = np.abs(reference.astype(wide)) if scale is None else round_to(scale, info).astype(wide)
    unit = spacing(at, info)
    if expected.rung in (EXACT, ROUNDED):
        return np.zeros_like(unit)
    if expected.rung == BOUND:
        return np.asarray(np.asarray(expected.bound, wide) + (budget + 0.5) * unit * (1 + 1e-9))
    extra = np.asarray(0.0 if expected.bound is None else expected.bound, wide)
    return np.asarray((budget + 0.5) * unit * (1 + 1e-9) + extra)


def _infinity_differs(
    reference: Array, value: Array, got: Array, allowed: Array, info: DType
) -> Array:
    """An overflow within the error budget of the largest value may go either way."""
    same = (np.isinf(reference) == np.isinf(got)) & (
        ~np.isinf(got) | (np.signbit(reference) == np.signbit(got))
    )
    near_top = (np.abs(np.abs(value) - info.max_value) <= allowed) & np.isfinite(value)
    near_top &= np.signbit(value) == np.signbit(got)
    return np.asarray(~same & ~(near_top & (allowed > 0)))


def _first(
    wrong: Array,
    what: str,
    reference: Any,
    got: Array,
    error: Array | None = None,
    allowed: Array | None = None,
) -> Mismatch | None:
    """Describe the first wrong element, or None."""
    wrong = np.broadcast_to(np.asarray(wrong), np.shape(got))
    if not wrong.any():
        return None
    index = tuple(int(axis[0]) for axis in np.nonzero(np.atleast_1d(wrong)))
    if np.ndim(got) == 0:
        index = ()
    count = int(wrong.sum())
    wanted = np.broadcast_to(reference, np.shape(got))[index]
    note = f" ({count} of {wrong.size} elements differ)" if wrong.size > 1 else ""
    limit: Any = None
    if error is not None and allowed is not None:
        limit = np.broadcast_to(allowed, np.shape(got))[index]
        note += f"; error {float(error[index]):.4g}, allowed {float(limit):.4g}"
    place = f" at {list(index)}" if index else ""
    bound = None if error is None or allowed is None else float(limit)
    holds = _element(what, wanted, index, bound)
    return Mismatch(what, f"{wanted!r}{place}", f"{got[index]!r}{note}", holds)


def _element(what: str, wanted: Any, index: tuple[int, ...], allowed: float | None) -> str:
    """Python over a tensor `it` that holds where one element is as expected."""
    number = wanted.item()
    it = f"it[{', '.join(map(str, index))}].item()" if index else "it.item()"
    if isinstance(number, complex | np.complexfloating):
        return ""
    if what == "NaN positions":
        return f"math.isnan({it})" if math.isnan(number) else f"not math.isnan({it})"
    if what == "infinities":
        return f"{it} == float('{number}')" if math.isinf(number) else f"not math.isinf({it})"
    if what == "signs of zero":
        return f"math.copysign(1, {it}) == {math.copysign(1, number)}"
    # The reference is shown rounded: half a unit more than what is allowed at the wide value.
    return f"{it} == {number!r}" if allowed is None else f"abs({it} - {number!r}) <= {allowed!r}"
