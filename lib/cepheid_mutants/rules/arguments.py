"""Class `argument`: a keyword ignored, a default forced, a number off by one."""

from __future__ import annotations

from typing import Any

from ..calls import Call
from ..mutant import family_of_rules
from ..schema import Argument, Op

CHECKS = ("arguments", "values", "shapes", "dtype")
_ELSEWHERE = frozenset(("keepdim", "rounding_mode"))
_WITHOUT_EFFECT = {
    "non_blocking": "copies in memory of the host are always finished",
    "pin_memory": "only a build for an accelerator can pin",
    "layout": "the only layout is strided",
    "cudnn_enable": "chooses among equal implementations",
    "sparse_grad": "is about the backward pass",
    "implicit": "is a mark for the tracer",
    "device": "the tensors of the suite lie on one device, which is the default",
}


def _optional(op: Op) -> list[str]:
    return [a.name for a in op.args if a.has_default and a.name not in _ELSEWHERE]


def _no_effect(op: Op, name: str) -> str:
    if name in _WITHOUT_EFFECT:
        return f"{name} {_WITHOUT_EFFECT[name]}"
    return ""


@family_of_rules(
    "argument",
    "*_ignored",
    "* is ignored and its default taken",
    _optional,
    checks=CHECKS,
    equivalent=_no_effect,
)
def ignored(name: str) -> Any:
    def fault(call: Call) -> Any:
        if call.values.get(name) is None:
            return call.proceed()
        argument = next(a for a in call.op.args if a.name == name)
        if call.values[name] == argument.default:
            return call.proceed()
        return _carried(call, {name: _default(call, argument)})

    return fault


def _default(call: Call, argument: Argument) -> Any:
    """The default as the public API takes it."""
    if argument.type == "MemoryFormat":
        return getattr(call.api.module, argument.default)
    if argument.type == "ScalarType?" and argument.default:
        return call.api.dtype(argument.default)
    if argument.type == "ScalarType" and argument.default:
        return call.api.dtype(argument.default)
    return argument.default


def _carried(call: Call, changes: dict[str, Any]) -> Any:
    """In-place and out= calls whose shape stays get the other value; else refuse as asked."""
    return call.proceed(**changes) if not call.delivers else call.with_changed(**changes)


def _integers(op: Op) -> list[str]:
    return [
        a.name
        for a in op.args
        if a.type in ("int", "int?") and not a.name.startswith("dim") and a.name != "groups"
    ]


@family_of_rules("argument", "*_more", "* is one more than was given", _integers, checks=CHECKS)
def more(name: str) -> Any:
    def fault(call: Call) -> Any:
        value = call.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            return call.proceed()
        return call.proceed(**{name: value + 1})

    return fault


def _numbers(op: Op) -> list[str]:
    return [a.name for a in op.args if a.type in ("Scalar", "Scalar?", "float")]


@family_of_rules("argument", "*_whole", "* loses its fraction", _numbers, checks=CHECKS)
def whole(name: str) -> Any:
    def fault(call: Call) -> Any:
        value = call.values.get(name)
        if not isinstance(value, float) or value != value or abs(value) > 2**60:
            return call.proceed()
        return call.with_changed(**{name: float(int(value))})

    return fault


@family_of_rules("argument", "*_negated", "* has the other sign", _numbers, checks=CHECKS)
def negated(name: str) -> Any:
    def fault(call: Call) -> Any:
        value = call.values.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
            return call.proceed()
        return call.with_changed(**{name: -value})

    return fault


def _flags(op: Op) -> list[str]:
    return [
        a.name for a in op.args if a.type in ("bool", "bool?") and a.name not in _WITHOUT_EFFECT
    ]


@family_of_rules(
    "argument",
    "*_always",
    "* is taken for true",
    _flags,
    checks=("arguments", "values", "shapes", "order", "alias"),
    equivalent=lambda op, name: (
        "a stable order is one of the allowed ones" if name == "stable" else ""
    ),
)
def always(name: str) -> Any:
    def fault(call: Call) -> Any:
        if call.delivers and name == "keepdim":
            return call.proceed()
        return _carried(call, {name: True})

    return fault


def _pairs(op: Op) -> list[str]:
    return [a.name for a in op.args if a.type == "int[2]"]


@family_of_rules("argument", "*_first", "both numbers of * are the first", _pairs, checks=CHECKS)
def first_of_pair(name: str) -> Any:
    def fault(call: Call) -> Any:
        value = call.values.get(name)
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            return call.proceed()
        return call.proceed(**{name: [value[0], value[0]]})

    return fault


def _modes(op: Op) -> list[str]:
    return [mode for mode in ("floor", "trunc", "none") if op.has("rounding_mode")]


@family_of_rules(
    "argument",
    "mode_*_lost",
    "rounding mode * is taken for another",
    _modes,
    checks=("values", "arguments"),
)
def mode_lost(mode: str) -> Any:
    other = {"floor": "trunc", "trunc": "floor", "none": "floor"}

    def fault(call: Call) -> Any:
        given = call.values.get("rounding_mode") or "none"
        if given != mode:
            return call.proceed()
        return call.with_changed(rounding_mode=other[mode])

    return fault
