"""K15: replay: new data in the same storages gives a new result (no cache by pointer)."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..op_spec import OpSpec
from ..proof import worded
from ..script import Script
from .common import Finding, add_call, failure, finding, judge_report, run_scripts
from .state import other_values, stateful_samples

KIND = "replay"
NUMBER = "K15"
DEVICES = ("cpu",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an input to rewrite."""
    return None if spec.tensor_args else "the op takes no tensor"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Call, rewrite every storage behind the implementation's back, call again."""
    samples = list(stateful_samples(cell))
    scripts = []
    for sample in samples:
        script = Script(cell.device)
        add_call(script, cell, sample)
        for old, new in zip(sample.tensors(), other_values(sample).tensors(), strict=True):
            script.write(script.made[id(old)], new)
        add_call(script, cell, sample)
        scripts.append(script)
    found = []
    outcomes = run_scripts(bench, scripts)
    for sample, script, outcome in zip(samples, scripts, outcomes, strict=True):
        wrong = failure(outcome)
        changed = other_values(sample)
        if wrong is None:
            wrong = judge_report(cell, bench, changed, outcome.reports[-1])
        if wrong is not None:
            what, text = wrong
            text = worded(text, f"after rewriting the same storages: {text}")
            found.append(finding(script, changed, what, text, outcome))
    return found
