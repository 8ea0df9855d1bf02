"""K18: determinism: repeated calls give the same bits."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..op_spec import OpSpec
from ..script import Script
from .common import Finding, add_call, failure, finding, run_scripts
from .state import has_values, same_bits, stateful_samples

KIND = "determinism"
NUMBER = "K18"
DEVICES = ("cpu",)
_REPEATS = 5


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs determined values."""
    if spec.name in ("empty", "empty_like", "empty_strided"):
        return "the op promises no values"
    return "the result of an in-place op is its operand" if spec.mutates else None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Call several times in one process and compare the results bitwise."""
    samples = [s for s in stateful_samples(cell) if has_values(cell.spec, s)][:2]
    scripts = []
    for sample in samples:
        script = Script(cell.device)
        for _ in range(_REPEATS):
            add_call(script, cell, sample)
        scripts.append(script)
    found = []
    outcomes = run_scripts(bench, scripts)
    for sample, script, outcome in zip(samples, scripts, outcomes, strict=True):
        wrong = failure(outcome)
        for report in outcome.reports[1:] if wrong is None else ():
            differs = same_bits(outcome.reports[0], report)
            if differs is not None:
                wrong = "determinism", f"determinism: a repeated call must give the bits; {differs}"
                break
        if wrong is not None:
            found.append(finding(script, sample, *wrong))
    return found
