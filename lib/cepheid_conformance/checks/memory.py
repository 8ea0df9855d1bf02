"""K30: memory: nothing left behind by calls, refused ones too; a bounded peak."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..cells import Bench, Cell
from ..doors import encode_call
from ..dtypes import DTYPES
from ..facts import Outcome
from ..families import errors_of
from ..op_spec import OpSpec
from ..sample import Sample
from ..script import Script
from ..snippet import snippet
from ..tensors import Tensor, contiguous_strides
from .common import Finding, draw, failure, run_scripts

KIND = "memory"
NUMBER = "K30"
LEVEL = "should"
DEVICES = ("cpu",)
_CALLS = 20  # of each round
_ROUNDS = 3
_AGAIN = 10  # times as many calls before a leak is believed: caches fill, leaks go on
_LEAST_BYTES = 8  # left by each call of every round: less than the smallest block of a heap
_PEAK_SHAPE = (512, 1024)
_PEAK_FACTOR = 3
_PEAK_SLACK = 16 << 20
_PEAK_TAGS = {"pointwise", "reduction"}


@dataclass(frozen=True)
class Case:
    """A script that measures; a peak has a bound in bytes."""

    sample: Sample
    script: Script
    bound: int | None = None


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Every op can leak."""
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Rounds of a call that returns and of one that is refused; the peak of a large one."""
    cases = [*_growths(cell), *_peaks(cell)]
    outcomes = run_scripts(bench, [case.script for case in cases])
    found = []
    for case, outcome in zip(cases, outcomes, strict=True):
        wrong = failure(outcome) or _wrong(case, outcome, _CALLS)
        if wrong is not None and wrong[0] == "leak":
            longer = Script(cell.device)
            longer.growth(call_of(longer, cell.spec, case.sample), _AGAIN * _CALLS, _ROUNDS)
            (again,) = run_scripts(bench, [longer])
            wrong = failure(again) or _wrong(case, again, _AGAIN * _CALLS)
        if wrong is not None:
            found.append(Finding(wrong[0], case.sample, wrong[1], snippet(case.script)))
    return found


def _growths(cell: Cell) -> Iterator[Case]:
    samples = [sample for sample in draw(cell, "small")[:1] if sample.seed is None]
    refused = [
        Sample(case.values, f"refused: {name}")
        for name, case in errors_of(cell.spec, cell.dtype)[:1]
        if not case.variant and case.device == "cpu"
    ]
    for sample in [*samples, *refused] or draw(cell, "small")[:1]:
        script = Script(cell.device)
        script.growth(call_of(script, cell.spec, sample), _CALLS, _ROUNDS)
        yield Case(sample, script)


def call_of(script: Script, spec: OpSpec, sample: Sample) -> dict[str, Any]:
    """A sample's call by the plain variant, for the steps that make it many times."""
    call = encode_call(script, spec, sample)
    return {"via": call.via, "name": call.name, "args": call.args, "kwargs": call.kwargs}


def _peaks(cell: Cell) -> Iterator[Case]:
    """A large tensor in the place of each of the first small sample's; its elements are ones."""
    spec = cell.spec
    if not spec.tags & _PEAK_TAGS or spec.mutates:
        return
    sample = draw(cell, "small")[0]
    script = Script(cell.device)
    total = 0
    values = dict(sample.values)
    names = [argument.name for argument in spec.tensor_args if argument.name in values]
    for name in names:
        small = values[name]
        large = _ones(small.dtype)
        script.fresh(large)
        script.call("method", "fill_", [{"t": script.made[id(large)]}, 1])
        values[name] = large
        total += math.prod(_PEAK_SHAPE) * DTYPES[small.dtype].itemsize
    script.peak(call_of(script, spec, Sample(values)))
    # The result is no wider than 16 bytes an element.
    bound = _PEAK_FACTOR * (total + 16 * math.prod(_PEAK_SHAPE)) + _PEAK_SLACK
    yield Case(replace(sample, values=values, note=f"{list(_PEAK_SHAPE)} ones"), script, bound)


def _ones(dtype: str) -> Tensor:
    """Its values are one number in the judge: the implementation makes its own."""
    data = np.broadcast_to(np.ones((), DTYPES[dtype].carrier), _PEAK_SHAPE)
    return Tensor(dtype, data, contiguous_strides(_PEAK_SHAPE))


def _wrong(case: Case, outcome: Outcome, calls: int) -> tuple[str, str] | None:
    numbers = [int(value.python_value()) for value in outcome.reports[-1].values]
    if case.bound is not None:
        if numbers[0] > case.bound:
            return "peak", f"peak: expected at most {case.bound:,} bytes; got {numbers[0]:,}"
        return None
    heap, blocks = numbers[::2], numbers[1::2]
    left = f"leak: {calls} calls must leave nothing; they leave"
    if min(heap) >= _LEAST_BYTES * calls:
        return "leak", f"{left} {heap} bytes each time"
    if min(blocks) >= calls:
        return "leak", f"{left} {blocks} Python blocks each time"
    return None
