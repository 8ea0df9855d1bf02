"""K23, second half: hostile arguments: absurd numbers, wrong types, dtypes that the op isn't
defined for. They may be refused or, where they make sense, served: never a crash, an internal error
or a write before the refusal."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..cells import Bench, Cell
from ..doors import plain_variant
from ..dtypes import DTYPES
from ..facts import Outcome
from ..op_spec import Argument, OpSpec
from ..sample import Sample
from ..script import Script
from ..snippet import snippet
from ..tensors import Tensor
from .common import Finding, draw, finding, judge_outcome, run_scripts, script_for

KIND = "hostile"
NUMBER = "K23"
LEVEL = "must"
DEVICES = ("cpu",)
_ABSURD = (2**62, -(2**63), 2**63 - 1)
_OPAQUE = {"Generator", "ScalarType", "MemoryFormat", "Device", "Layout"}  # encoded by their type
_REFUSALS = {"TypeError", "ValueError", "IndexError", "RuntimeError", "OverflowError"}
_REFUSALS |= {"ArithmeticError", "MemoryError", "NotImplementedError"}
_BY_TYPE: dict[str, tuple[Any, ...]] = {
    "int": _ABSURD,
    "int[]": (*_ABSURD, [], [0] * 70, [True]),
    "float": (float("nan"), float("inf"), 1e308, -1e308),
    "Scalar": (2**70, -(2**70), float("nan"), 1e308),
    "bool": (2, -1),
    "str": ("", "\0", "x" * 1000),
}
_OF_NO_TYPE = ("text", (0.5, "text"))


@dataclass(frozen=True)
class Case:
    """One call; `must_refuse` where no reading of the argument makes sense, `judged` where the
    result, if there is one, must be the oracle's."""

    sample: Sample
    script: Script
    must_refuse: bool = False
    judged: bool = False


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an argument."""
    return None if _asked(spec) else "the op takes its tensor and nothing else"


def _asked(spec: OpSpec) -> list[Argument]:
    """The arguments that a public call passes as they are. By subscription a dim is a place in a
    tuple; what has no such method is refused by Python itself."""
    plain = plain_variant(spec)
    asked = [a for a in spec.args if a.type.rstrip("?") not in _OPAQUE]
    if plain == "internal":
        return [a for a in asked if a.name != "dim" and a.type.rstrip("?") in _BY_TYPE]
    return asked[1:] if plain in ("method", "inplace") else asked


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """One small sample with one argument at a time replaced."""
    cases = list(_replaced(cell))
    if "guarded_dtypes" in bench.capability.features and cell.dtype == cell.spec.dtypes["cpu"][0]:
        cases += _undefined(cell)
    found = [_hang(case) for case in cases if _is_known_to_hang(cell, bench, case)]
    cases = [case for case in cases if not _is_known_to_hang(cell, bench, case)]
    outcomes = run_scripts(bench, [case.script for case in cases])
    for case, outcome in zip(cases, outcomes, strict=True):
        wrong = _wrong(cell, bench, case, outcome)
        if wrong is not None:
            found.append(finding(case.script, case.sample, *wrong, outcome))
    return found


def _hang(case: Case) -> Finding:
    return Finding("crash", case.sample, "hostile argument: hang", snippet(case.script))


def _is_known_to_hang(cell: Cell, bench: Bench, case: Case) -> bool:
    """Whether a deviation says that no answer will come: then none is waited for."""
    known = bench.capability.deviations_of(cell.id)
    return any("hang" in d.finding and d.explains(str(_hang(case))) for d in known)


def _replaced(cell: Cell) -> Iterator[Case]:
    sample = draw(cell, "small")[0]
    yield from _wrong_format(cell, sample)
    for argument in _asked(cell.spec):
        for value in _values(argument, cell.spec.bind(sample.values)[argument.name]):
            changed = cell.spec.in_order({**sample.values, argument.name: value})
            note = f"{argument.name}={str(value)[:40]}"
            case = replace(sample, values=changed, note=note)
            yield Case(case, script_for(cell, case))
        if plain_variant(cell.spec) != "internal":
            yield from _wrong_types(cell, sample, argument)


def _values(argument: Argument, given: Any) -> Iterator[Any]:
    kind = argument.type.rstrip("?")
    if kind.startswith("int["):
        for value in _BY_TYPE["int[]"]:
            long = isinstance(given, list) and isinstance(value, int)
            yield [value] * max(len(given), 1) if long else value
    else:
        yield from _BY_TYPE.get(kind, ())


def _wrong_format(cell: Cell, sample: Sample) -> Iterator[Case]:
    """Channels last for a rank that has none."""
    argument = cell.spec.argument("memory_format")
    if argument is not None:
        values = cell.spec.in_order({**sample.values, "memory_format": "channels_last"})
        case = replace(sample, values=values, note="channels_last of rank 2")
        yield Case(case, script_for(cell, case), must_refuse=True)


def _wrong_types(cell: Cell, sample: Sample, argument: Argument) -> Iterator[Case]:
    """A text and a tuple of odd things where the schema has neither."""
    kind = argument.type.rstrip("?")
    for number, value in enumerate(_OF_NO_TYPE):
        if kind == "str" and number == 0:
            continue
        values = cell.spec.in_order({**sample.values, argument.name: value})
        note = f"{argument.name} is {'a text' if number == 0 else 'a tuple of odd things'}"
        case = replace(sample, values=values, note=note)
        yield Case(case, script_for(cell, case), must_refuse=True)


def _undefined(cell: Cell) -> Iterator[Case]:
    """The same call in every dtype that the op isn't defined for."""
    sample = draw(cell, "small")[0]
    for dtype in DTYPES:
        if dtype not in cell.spec.dtypes["cpu"]:
            values = {
                name: dtype if value == cell.dtype and isinstance(value, str) else value
                for name, value in sample.values.items()
            }
            convert = functools.partial(_in_dtype, given=cell.dtype, to=dtype)
            changed = replace(sample, values=values, note=f"in {dtype}").mapped(convert, "")
            yield Case(changed, script_for(cell, changed), judged=True)


def _in_dtype(tensor: Tensor, given: str, to: str) -> Tensor:
    if tensor.dtype != given:
        return tensor
    return Tensor(to, np.ones(tensor.shape, DTYPES[to].carrier))


def _wrong(cell: Cell, bench: Bench, case: Case, outcome: Outcome) -> tuple[str, str] | None:
    if outcome.crash is not None:
        return "crash", f"hostile argument: {outcome.crash}"
    raised = outcome.reports[-1].error if outcome.reports else None
    if raised is None:
        if case.must_refuse:
            return "error", "hostile argument: expected an exception; the call returned"
        return judge_outcome(cell, bench, case.sample, outcome) if case.judged else None
    if not _REFUSALS & set(raised.bases):
        return (
            "error",
            f"hostile argument: expected TypeError; got {raised.name}: {raised.message[:150]}",
        )
    if any(state.changed or state.version for state in outcome.inputs.values()):
        return "partial write", "partial write: a refused call must change nothing; it did"
    return None
