"""Judges an op of one tensor at very many values: all at once, and one by one only where the whole
does not pass. The rule is that of every check; what is added is that a known deviation explains
single elements, so that it hides nothing beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .capability import Deviation
from .cells import Bench, Cell
from .checks.common import MAX_FINDINGS, compare, failure, judge, script_for
from .dtypes import DTYPES, Array, encode, round_to, spacing
from .expected import ROUNDED, ULP, Expected
from .facts import Result
from .families import expected_of
from .sample import Sample
from .tensors import Tensor

_BY_ELEMENT = ("NaN positions", "infinities", "signs of zero", "values")
_KINDS = ("accuracy", "special", "drawn")  # whose deviations speak of single values
_FAN = 32  # pieces that a failing range is cut into
_COPIES = 16  # of a failing value, so that the vectorised path meets it too


@dataclass(frozen=True)
class Judged:
    """What some values gave. `worst` leaves out what a known deviation explains."""

    count: int = 0
    worst: float = 0.0
    known: int = 0
    findings: tuple[str, ...] = ()

    def __add__(self, other: Judged) -> Judged:
        return Judged(
            self.count + other.count,
            max(self.worst, other.worst),
            self.known + other.known,
            (*self.findings, *other.findings),
        )


def judge_values(cell: Cell, bench: Bench, values: Array, wanted: Expected | None = None) -> Judged:
    """One call with all values; `wanted` replaces the oracle's word."""
    sample = _sample(cell, values)
    expected = expected_of(cell.spec, sample)[0] if wanted is None else wanted
    (outcome,) = bench.candidate.run([script_for(cell, sample)])
    failed = failure(outcome)
    if failed is not None:
        return Judged(values.size, findings=(failed[1],))
    if len(outcome.reports[0].values) != 1:
        return Judged(values.size, findings=("type: expected one result",))
    (result,) = outcome.reports[0].values
    wrong = compare(cell, bench, expected, result)
    if wrong is not None and wrong[0] not in _BY_ELEMENT:
        return Judged(values.size, findings=(str(wrong[1]),))
    known: list[int] = []
    findings: list[str] = []
    deviations = _deviations(cell, bench)
    for index, text in [] if wrong is None else _wrong_elements(cell, bench, expected, result):
        if any(deviation.explains(text) for deviation in deviations):
            known.append(index)
            continue
        findings.append(_described(cell, bench, values[index], text))
        if len(findings) >= MAX_FINDINGS:
            break
    worst = largest_error(expected, result.array(), known)
    return Judged(values.size, worst, len(known), tuple(findings))


def _sample(cell: Cell, values: Array) -> Sample:
    return Sample({cell.spec.args[0].name: Tensor(cell.dtype, values)})


def _wrong_elements(
    cell: Cell, bench: Bench, expected: Expected, result: Result
) -> Iterator[tuple[int, str]]:
    """Place and text of each element that fails alone, in order."""
    raw = memoryview(np.ascontiguousarray(encode(result.array(), DTYPES[expected.dtype])).tobytes())

    def wrong(start: int, end: int) -> str | None:
        fields = {**result.fields, "shape": [end - start], "strides": [1]}
        size = DTYPES[expected.dtype].itemsize
        piece = Result(result.kind, fields, raw[start * size : end * size])
        found = compare(cell, bench, _slice(expected, start, end), piece)
        return None if found is None else str(found[1])

    ranges = [(0, int(expected.shape[0]))]
    while ranges:
        start, end = ranges.pop()
        text = wrong(start, end)
        if text is None:
            continue
        if end - start == 1:
            yield start, text
            continue
        step = -(-(end - start) // _FAN)
        ranges += [(at, min(at + step, end)) for at in range(start, end, step)][::-1]


def _slice(expected: Expected, start: int, end: int) -> Expected:
    def cut(value: Any) -> Any:
        return value[start:end] if np.ndim(value) else value

    return replace(
        expected,
        value=cut(expected.value),
        bound=cut(expected.bound),
        any_zero_sign=cut(expected.any_zero_sign),
    )


def _deviations(cell: Cell, bench: Bench) -> list[Deviation]:
    """Those of this op and dtype, in whichever check they are declared."""
    ids = [replace(cell, check=kind).id for kind in _KINDS]
    return [deviation for name in ids for deviation in bench.capability.deviations_of(name)]


def _described(cell: Cell, bench: Bench, value: Any, text: str) -> str:
    """A finding with its input, and with lines that show it if copies of the value do."""
    head = f"{cell.spec.key}({value!r}) [bits 0x{value.tobytes()[::-1].hex()}]: {text}"
    again = judge(cell, bench, [_sample(cell, np.full(_COPIES, value))])
    return f"{head}\nreproduce:\n{again[0].snippet}" if again else head


def largest_error(expected: Expected, got: Array, known: list[int]) -> float:
    """In ULP of the rounded reference; 0 of what must be met exactly."""
    if expected.rung not in (ROUNDED, ULP) or expected.value is None:
        return 0.0
    info = DTYPES[expected.dtype]
    with np.errstate(all="ignore"):
        reference = round_to(expected.value, info)
        finite = np.isfinite(reference) & np.isfinite(got)
        finite[known] = False
        # Where the result is the rounded reference, the error is at most half an ULP anyway.
        finite &= reference != got
        if not finite.any():
            return 0.5
        value = expected.value[finite]
        error = np.abs(got[finite].astype(value.dtype) - value)
        return float(np.max(error / spacing(reference[finite].astype(value.dtype), info)))
