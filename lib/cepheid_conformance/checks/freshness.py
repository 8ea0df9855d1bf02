"""K14: freshness: a result is not overwritten by the next call, and owns its storage."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..facts import Outcome
from ..op_spec import OpSpec
from ..script import Ref, Script
from .common import Finding, add_call, failure, finding, run_scripts
from .state import other_values, returns_tensors, same_bits, stateful_samples

KIND = "freshness"
NUMBER = "K14"
LEVEL = "must"
DEVICES = ("cpu",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Views and in-place ops return no fresh tensor."""
    if not returns_tensors(spec):
        return "the op returns no tensor"
    if spec.is_view or spec.mutates:
        return "the result is a view or the written operand"
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Hold the first result, call again with other values, read the first result again."""
    samples = list(stateful_samples(cell))
    scripts = []
    for sample in samples:
        script = Script(cell.device)
        first = add_call(script, cell, sample)
        add_call(script, cell, other_values(sample))
        script.read(Ref(first))
        scripts.append(script)
    found = []
    outcomes = run_scripts(bench, scripts)
    for sample, script, outcome in zip(samples, scripts, outcomes, strict=True):
        wrong = failure(outcome) or _shared(outcome)
        if wrong is not None:
            found.append(finding(script, sample, *wrong, outcome))
    return found


def _shared(outcome: Outcome) -> tuple[str, str] | None:
    first, second, again = outcome.reports
    changed = same_bits(first, again)
    if changed is not None:
        return "freshness", f"freshness: the first result must survive a second call; {changed}"
    for one, two in zip(first.values, second.values, strict=True):
        if one.nbytes and one.storage == two.storage:
            return "freshness", "freshness: two results must not share a storage; they do"
    return None
