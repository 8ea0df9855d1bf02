"""K23: errors: the class, the wording where it is ours, nothing written, no crash."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..cells import Bench, Cell
from ..doors import encode_call, plain_variant, variants_of
from ..facts import Outcome, Raised
from ..families import errors_of, expected_of
from ..op_spec import OpSpec
from ..sample import ErrorSample, Sample
from ..script import Script
from ..tensors import Tensor
from .common import Finding, draw, finding, run_scripts

KIND = "errors"
NUMBER = "K23"
LEVEL = "must"
# The documentation says which calls are invalid, seldom by which exception, never in which words.
FINDING_LEVELS = {"class": "should", "wording": "may"}
DEVICES = ("cpu",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an invalid argument."""
    if _reachable(spec, dtype):
        return None
    return "no argument of the right types is invalid in this dtype"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Every invalid call, by each variant that takes it, must raise and change nothing."""
    cases = [case for case in _cases(cell) if bench.capability.claims(case[1].values)]
    scripts = [_script(cell, case, variant) for _, case, variant in cases]
    found = []
    outcomes = run_scripts(bench, scripts)
    for (name, case, variant), script, outcome in zip(cases, scripts, outcomes, strict=True):
        wording = bench.capability.wording
        wrong = _wrong(cell, case, variant, outcome, wording)
        if wrong is not None:
            note = " ".join(part for part in (name, case.note, variant) if part)
            sample = Sample(case.values, note)
            found.append(finding(script, sample, *wrong, outcome))
    return found


def _reachable(spec: OpSpec, dtype: str) -> list[tuple[str, ErrorSample]]:
    """The error cases that a variant of the op meets."""
    reached = {"", *variants_of(spec)}
    return [(name, case) for name, case in errors_of(spec, dtype) if case.variant in reached]


def _cases(cell: Cell) -> Iterator[tuple[str, ErrorSample, str]]:
    plain = plain_variant(cell.spec)
    for name, case in _reachable(cell.spec, cell.dtype):
        yield name, case, case.variant or plain
        if not case.variant:
            for variant in ("inplace", "out"):
                if variant in variants_of(cell.spec) and variant != plain:
                    yield name, case, variant


def _script(cell: Cell, case: ErrorSample, variant: str) -> Script:
    script = Script(case.device)
    call = encode_call(script, cell.spec, Sample(case.values), variant)
    kwargs = dict(call.kwargs)
    if variant == "out":
        outs = [
            {"t": script.tensor(Tensor(expected.dtype, _ones(expected.dtype)))}
            for expected in expected_of(cell.spec, draw(cell, "small")[0])
        ]
        kwargs["out"] = outs[0] if len(outs) == 1 else {"tuple": outs}
    script.call(call.via, call.name, call.args, kwargs)
    return script


def _ones(dtype: str) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    return np.ones(3, Tensor(dtype, np.empty(0)).info.carrier)


def _wrong(
    cell: Cell, case: ErrorSample, variant: str, outcome: Outcome, wording: bool
) -> tuple[str, str] | None:
    if outcome.crash is not None:
        return "crash", outcome.crash
    if outcome.trouble is not None:
        return "trouble", outcome.trouble
    raised = outcome.reports[0].error
    if raised is None:
        return "error", f"error: expected {case.error}; the call returned"
    if any(state.changed or state.version for state in outcome.inputs.values()):
        return "partial write", "partial write: a refused call must change nothing; it did"
    if not {case.error, *case.also} & set(raised.bases):
        return "class", f"error: expected {case.error}; got {raised.name}: {raised.message[:200]}"
    if wording and not _worded(cell, case, variant, raised):
        pattern = case.pattern.replace("{op}", cell.spec.name)
        return "wording", f"wording: expected {pattern!r}; got {raised.message!r}"
    return None


def _worded(cell: Cell, case: ErrorSample, variant: str, raised: Raised) -> bool:
    """The name at the front may be that of the variant that was called."""
    pattern = case.pattern.replace("{op}", rf"{re.escape(cell.spec.name.rstrip('_'))}_?")
    return re.search(pattern, raised.message) is not None
