"""Class `accuracy`: values that are nearly right."""

from __future__ import annotations

import itertools
from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import family_of_rules, rule
from ..schema import Op
from ..traits import (
    BOUNDED_FAMILIES,
    TRANSCENDENTAL,
    computes,
    exact_anywhere,
    gives_floats,
    gives_zeros,
    is_bounded,
    may_view,
    reads_elements,
)

CHECKS = ("values", "accuracy", "sizes")
_NARROWER = {"float64": "float32", "float32": "float16", "float16": "bfloat16"}
_STEPS = {"ulp4": 4, "ulp32": 32, "ulp1000": 1000}


def _precise(op: Op) -> bool:
    return gives_floats(op) and not may_view(op)


def _perturbations(op: Op) -> tuple[str, ...]:
    return tuple(_STEPS) if _precise(op) else ()


def _within_bound(op: Op, parameter: str) -> str:
    """The rule C.2 gives a sum of n terms (log2 n + 8) eps, of which 4 units are a part."""
    if parameter == "ulp4" and is_bounded(op):
        return "the bound of a sum allows (log2 n + 8) eps, which is more than 4 units"
    return gives_zeros(op)


@family_of_rules(
    "accuracy",
    "*",
    "each element is off by the units in the last place that the name says",
    _perturbations,
    checks=CHECKS,
    equivalent=_within_bound,
)
def perturbed(parameter: str) -> Any:
    def fault(call: Call) -> Any:
        return call.edited(lambda tensor: _nudge(tensor, _STEPS[parameter], slice(None)))

    return fault


@rule(
    "accuracy",
    "ulp32_one",
    "one element in 17 is off by 32 units in the last place",
    _precise,
    checks=CHECKS,
    equivalent=gives_zeros,
)
def perturbed_element(call: Call) -> Any:
    return call.edited(lambda tensor: _nudge(tensor, 32, slice(0, None, 17)))


def _nudge(tensor: Any, steps: int, chosen: slice) -> None:
    name = bits.part_of(bits.dtype_name(tensor))
    if name not in bits.FLOAT_FORMATS:
        return

    def change(found: list[int]) -> list[int]:
        found[chosen] = [bits.nudge(item, name, steps) for item in found[chosen]]
        return found

    bits.edit_bits(tensor, change)


@rule(
    "accuracy",
    "bias",
    "each element is too large by 1e-5 of itself",
    _precise,
    dtypes=("float32", "float64"),
    checks=CHECKS,
    equivalent=gives_zeros,
)
def bias(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_numbers(tensor, _biased))


def _biased(value: Any) -> Any:
    return value * (1 + 1e-5) if isinstance(value, float) else value


@rule(
    "accuracy",
    "narrow_result",
    "the result is rounded to the next narrower dtype on its way",
    _precise,
    dtypes=("float32", "float64"),
    checks=CHECKS,
    equivalent=exact_anywhere,
)
def narrow_result(call: Call) -> Any:
    return call.edited(lambda tensor: _narrow(tensor, _NARROWER))


def _narrow(tensor: Any, narrower: dict[str, str]) -> None:
    name = bits.part_of(bits.dtype_name(tensor))
    if name in narrower:
        bits.edit_numbers(tensor, lambda value: bits.round_to(value, narrower[name]))


@rule(
    "accuracy",
    "narrow_inputs",
    "the inputs are rounded to the next narrower dtype first",
    lambda op: computes(op) and reads_elements(op),
    dtypes=("float32", "float64"),
    checks=CHECKS,
)
def narrow_inputs(call: Call) -> Any:
    def narrowed(tensor: Any) -> Any:
        copy = call.api.copy(tensor)
        _narrow(copy, _NARROWER)
        return copy

    return call.with_changed(**call.map_inputs(narrowed))


@rule(
    "accuracy",
    "mantissa",
    "the lowest four bits of each mantissa are lost",
    lambda op: _precise(op) and not is_bounded(op),
    checks=CHECKS,
    equivalent=exact_anywhere,
)
def lost_bits(call: Call) -> Any:
    def cut(tensor: Any) -> None:
        if bits.part_of(bits.dtype_name(tensor)) in bits.FLOAT_FORMATS:
            bits.edit_bits(tensor, lambda found: [item & ~15 for item in found])

    return call.edited(cut)


def _sums(op: Op) -> bool:
    return op.key in ("sum", "sum.dim_IntList", "mean", "mean.dim", "cumsum")


@rule(
    "accuracy",
    "naive_sum",
    "terms are added one after another in the dtype of the input",
    _sums,
    dtypes=("bfloat16", "float16", "float32"),
    checks=("sizes", "accuracy"),
)
def naive_sum(call: Call) -> Any:
    x = call.values["self"]
    name = bits.dtype_name(x)
    wide = call.values.get("dtype") not in (None, x.dtype)
    if name not in bits.FLOAT_FORMATS or wide or not bits.has_memory(x):
        return call.proceed()
    value = call.functional()
    if bits.has_memory(value):
        bits.write_numbers(value, _naive(call, x, name))
    return call.deliver(value)


def _naive(call: Call, x: Any, name: str) -> list[float]:
    """Sums, means or running sums, each partial sum rounded."""
    rank = max(x.dim(), 1)
    dims = call.values.get("dim")
    dims = [dims] if isinstance(dims, int) else list(dims or range(rank))
    kept = [dim for dim in range(rank) if dim % rank not in {d % rank for d in dims}]
    shape = list(x.shape) or [1]
    rows: dict[tuple[int, ...], float] = {}
    counts: dict[tuple[int, ...], int] = {}
    running = []
    places = itertools.product(*map(range, shape))
    for place, number in zip(places, bits.read_numbers(x), strict=True):
        row = tuple(place[dim] for dim in kept)
        rows[row] = bits.round_to(rows.get(row, 0.0) + number, name)
        counts[row] = counts.get(row, 0) + 1
        running.append(rows[row])
    if call.op.name == "cumsum":
        return running
    if call.op.name == "mean":
        return [bits.round_to(rows[row] / counts[row], name) for row in rows]
    return list(rows.values())


@rule(
    "accuracy",
    "no_shift",
    "exponentials are taken of the inputs as they are, without their maximum subtracted",
    lambda op: op.name == "softmax",
    dtypes=("float32", "float16"),
    checks=("special", "accuracy"),
)
def no_shift(call: Call) -> Any:
    x = call.values["self"]
    value = call.functional()
    limit = {"float32": 88.7, "float64": 709.7, "float16": 11.0, "bfloat16": 88.7}
    name = bits.dtype_name(x)

    def overflowed(tensor: Any) -> None:
        if bits.has_memory(x) and max(bits.read_numbers(x)) > limit.get(name, 1e9):
            bits.edit_numbers(tensor, lambda number: float("nan"))

    for tensor in call.results(value):
        overflowed(tensor)
    return call.deliver(value)


@rule(
    "accuracy",
    "far_arguments",
    "results below 2**-8 or above 2**8 keep half of their digits",
    lambda op: op.key in TRANSCENDENTAL or op.family in BOUNDED_FAMILIES,
    dtypes=("float32", "float64"),
    checks=("special", "accuracy", "values"),
    equivalent=lambda op: (
        "a normalised value is never so large or, judged, so small"
        if op.key == "layer_norm"
        else ""
    ),
)
def far_arguments(call: Call) -> Any:
    def change(tensor: Any) -> None:
        name = bits.part_of(bits.dtype_name(tensor))
        if name in _NARROWER:
            bits.edit_numbers(tensor, lambda value: _half_digits(value, _NARROWER[name]))

    return call.edited(change)


def _half_digits(value: float, name: str) -> float:
    near = 2**-8 <= abs(value) <= 2**8
    return value if near or not bits.is_finite(value) else bits.round_to(value, name)
