"""What the check kinds share: drawing samples, running them, findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from .. import families
from ..accept import compare_structure, compare_values
from ..cells import Bench, Cell
from ..doors import encode_call
from ..dtypes import Array
from ..expected import BOUND, ROUNDED, ULP, Expected
from ..facts import Outcome, Report, Result
from ..families import expected_of, samples_of
from ..op_spec import OpSpec
from ..proof import Told, judging_snippet
from ..sample import Sample
from ..script import Script

Drawn = TypeVar("Drawn")  # a sample, or what was made of one
MAX_FINDINGS = 3
BATCH_BYTES = 8_000_000


@dataclass(frozen=True)
class Finding:
    """One deviation, with what is needed to see it again."""

    what: str
    sample: Sample
    text: str
    snippet: str = ""

    def __str__(self) -> str:
        note = f"[{self.sample.note}] " if self.sample.note else ""
        return f"{note}{self.text}"


def draw(cell: Cell, kind: str) -> list[Sample]:
    """The samples of one input class."""
    return samples_of(cell.spec, cell.dtype, kind)


def spread(samples: list[Drawn], count: int) -> list[Drawn]:
    """At most `count` samples, evenly spaced, the first and the last among them. For checks that
    are about state, not about shapes: a few of each op tell what all would."""
    if len(samples) <= count:
        return samples
    return [samples[round(place * (len(samples) - 1) / (count - 1))] for place in range(count)]


def has_samples(spec: OpSpec, dtype: str, *kinds: str) -> bool:
    """Whether an op and dtype have samples of any of these classes."""
    return any(families.has_samples(spec, dtype, kind) for kind in kinds)


def run_scripts(bench: Bench, scripts: list[Script]) -> list[Outcome]:
    """Run in batches of bounded size."""
    outcomes: list[Outcome] = []
    batch: list[Script] = []
    size = 0
    for script in scripts:
        batch.append(script)
        size += script.size
        if size > BATCH_BYTES:
            outcomes += bench.candidate.run(batch)
            batch, size = [], 0
    outcomes += bench.candidate.run(batch)
    return outcomes if not bench.capability.version_counters else [*map(_counted, outcomes)]


def _counted(outcome: Outcome) -> Outcome:
    """An implementation that declares version counters has one on every tensor."""
    if any(state.version is None for state in outcome.inputs.values()):
        return replace(outcome, trouble="version counters: a tensor has none, none is declared so")
    return outcome


def script_for(cell: Cell, sample: Sample, variant: str = "") -> Script:
    """The script of one plain call."""
    script = Script(cell.device)
    add_call(script, cell, sample, variant)
    return script


def add_call(script: Script, cell: Cell, sample: Sample, variant: str = "") -> int:
    """Add a call, seeded if the sample is; returns the id of its result."""
    call = encode_call(script, cell.spec, sample, variant)
    if sample.seed is not None:
        script.seed(sample.seed)
    return script.call(call.via, call.name, call.args, call.kwargs)


def judge(
    cell: Cell, bench: Bench, samples: Iterable[Sample], values: bool = True
) -> list[Finding]:
    """Run each sample through the plain variant and compare with the oracle."""
    chosen = [sample for sample in samples if bench.capability.claims(sample.values)]
    scripts = [script_for(cell, sample) for sample in chosen]
    outcomes = run_scripts(bench, scripts)
    findings: list[Finding] = []
    for sample, script, outcome in zip(chosen, scripts, outcomes, strict=True):
        text = judge_outcome(cell, bench, sample, outcome, values)
        if text is not None:
            findings.append(finding(script, sample, *text, outcome))
        if len(findings) >= MAX_FINDINGS:
            break
    return findings


def judge_outcome(
    cell: Cell, bench: Bench, sample: Sample, outcome: Outcome, values: bool = True
) -> tuple[str, str] | None:
    """What is wrong with the single call of a script: (property, text), or None."""
    failed = failure(outcome)
    if failed is not None:
        refused = outcome.reports[-1].error if outcome.reports else None
        if refused is not None and sample.or_error and sample.or_error in refused.bases:
            return None
        return failed
    return judge_report(cell, bench, sample, outcome.reports[0], values)


def failure(outcome: Outcome) -> tuple[str, str] | None:
    """A crash, a broken script or an exception where none is due."""
    if outcome.crash is not None:
        return "crash", outcome.crash
    if outcome.trouble is not None:
        return "trouble", outcome.trouble
    for report in outcome.reports:
        if report.error is not None:
            return "error", f"raised {report.error.name}: {report.error.message[:300]}"
    return None


def judge_report(
    cell: Cell, bench: Bench, sample: Sample, report: Report, values: bool = True
) -> tuple[str, str] | None:
    """Compare one call's results with the oracle."""
    wanted = expected_of(cell.spec, sample)
    if cell.spec.gives_list and report.container != "tuple":
        text = f"type: expected a tuple; got {report.container}"
        return "type", Told(text, "type(it).__name__ == 'tuple'")
    if len(wanted) != len(report.values):
        return "type", f"type: expected {len(wanted)} results; got {len(report.values)}"
    for number, (expected, result) in enumerate(zip(wanted, report.values, strict=True)):
        wrong = compare(cell, bench, expected, result, values)
        if wrong is not None:
            what, text = wrong
            several = len(wanted) > 1 or cell.spec.gives_list
            return what, Told(text, text.holds, number if several else None)
    if not values or cell.device == "meta":
        return None
    for expected in wanted:
        if expected.holds is not None:
            failed = expected.holds([result.array() for result in report.values])
            if failed is not None:
                return "property", f"property: {failed}"
    return None


def compare(
    cell: Cell, bench: Bench, expected: Expected, result: Result, values: bool = True
) -> tuple[str, Told] | None:
    """One result against its expectation."""
    mismatch = compare_structure(expected, result, cell.device)
    if mismatch is None and values and cell.device != "meta":
        if expected.plain:
            return _compare_plain(expected, result)
        mismatch = compare_values(*_budgeted(cell, bench, expected, result))
    return None if mismatch is None else (mismatch.what, Told(mismatch, mismatch.holds))


def _budgeted(
    cell: Cell, bench: Bench, expected: Expected, result: Result
) -> tuple[Expected, Array, float]:
    """The expectation with its budget: a declared looser one opens correct rounding too."""
    key = (cell.spec.key, expected.dtype, cell.device)
    looser = bench.tolerances.looser(*key)
    if expected.rung == ROUNDED and looser:
        return replace(expected, rung=ULP), result.array(), looser
    if expected.rung == BOUND:
        return expected, result.array(), looser
    return expected, result.array(), bench.tolerances.ulp(*key)


def _compare_plain(expected: Expected, result: Result) -> tuple[str, Told] | None:
    assert expected.value is not None
    wanted = expected.value.item()
    kind = type(wanted).__name__
    if kind != result.kind:
        text = f"type: expected Python {kind}; got {result.kind}"
        return "type", Told(text, f"type(it).__name__ == {kind!r}")
    got = result.python_value()
    same = wanted == got or (wanted != wanted and got != got)
    return None if same else ("values", Told(f"values: expected {wanted!r}; got {got!r}"))


def finding(
    script: Script, sample: Sample, what: str, text: str, outcome: Outcome | None = None
) -> Finding:
    """A finding with the lines that reproduce its script and judge what comes."""
    return Finding(what, sample, text, judging_snippet(script, what, text, outcome))
