"""K18: determinism: repeated calls give the same bits, under load and for any number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..cells import Bench, Cell
from ..facts import Outcome
from ..op_spec import OpSpec, load_specs
from ..sample import Sample
from ..script import Script
from ..tensors import Tensor
from .common import Finding, draw, failure, finding, run_scripts
from .memory import call_of
from .state import flipped, has_values, stateful_samples

KIND = "determinism"
NUMBER = "K18"
LEVEL = "should"
DEVICES = ("cpu",)
_REPEATS = 30
_LARGE_REPEATS = 10
_HAMMERS = 2
_THREADS = (1, 2, 3)


@dataclass(frozen=True)
class Case:
    """A script whose repeats must all give one digest, or one for each report."""

    sample: Sample
    script: Script
    across: bool = False  # the reports must agree with each other


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs determined values."""
    if spec.name in ("empty", "empty_like", "empty_strided", "new_empty"):
        return "the op promises no values"
    return "the result of an in-place op is its operand" if spec.mutates else None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """A small call 30 times while threads make others; the largest one, which runs in parallel, on
    different numbers of threads."""
    cases = list(_cases(cell, bench))
    outcomes = run_scripts(bench, [case.script for case in cases])
    found = []
    for case, outcome in zip(cases, outcomes, strict=True):
        wrong = failure(outcome) or _differs(case, outcome)
        if wrong is not None:
            found.append(finding(case.script, case.sample, *wrong, outcome))
    return found


def _cases(cell: Cell, bench: Bench) -> Iterator[Case]:
    small = [s for s in stateful_samples(cell) if has_values(cell.spec, s)][:1]
    for sample in small:
        script = Script(cell.device)
        call = call_of(script, cell.spec, sample)
        script.load(_others(script, cell, bench, sample), _HAMMERS)
        script.repeat(call, _REPEATS, sample.seed)
        yield Case(replace(sample, note=f"{sample.note} under load"), script)
    large = _largest(cell)
    if large is not None and "threads" in bench.capability.features:
        script = Script(cell.device)
        call = call_of(script, cell.spec, large)
        for count in _THREADS:
            script.threads(count)
            script.repeat(call, _LARGE_REPEATS if count > 1 else 1, large.seed)
        across = "bits_by_threads" in bench.capability.features
        yield Case(replace(large, note=f"{large.note} on 1 to 3 threads"), script, across)


def _largest(cell: Cell) -> Sample | None:
    """The sample with the most elements."""
    return max(draw(cell, "sizes"), key=_elements, default=None)


def _elements(sample: Sample) -> int:
    sizes = [tensor.data.size for tensor in sample.tensors()]
    return max(sizes, default=int(np.prod(sample.values.get("size", [0]))))


def _others(script: Script, cell: Cell, bench: Bench, sample: Sample) -> list[dict[str, Any]]:
    """What the hammers call: the op itself on other values, and an addition of other operands.
    A random op would move the generator that the repeats are seeded on."""
    calls = []
    if "random" not in cell.spec.tags:
        other = sample.mapped(flipped, "")
        calls.append(call_of(script, cell.spec, other))
    add = load_specs()["add.Tensor"]
    if bench.capability.unsupported(add, "float32", "cpu") is None:
        line = Tensor("float32", np.arange(9, dtype=np.float32))
        calls.append(call_of(script, add, Sample({"self": line, "other": line})))
    return calls


def _differs(case: Case, outcome: Outcome) -> tuple[str, str] | None:
    sets = [{value.python_value() for value in report.values} for report in outcome.reports]
    if any(len(digests) > 1 for digests in sets):
        most = max(map(len, sets))
        return (
            "determinism",
            f"determinism: repeats must give one result; got {most} different ones",
        )
    if case.across and len(set().union(*sets)) > 1:
        return "determinism", f"determinism: {_THREADS} threads must give the same bits; they don't"
    return None
