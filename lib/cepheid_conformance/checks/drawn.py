"""Drawn calls: shapes, layouts, values and arguments combined at random inside the op's domain."""

from __future__ import annotations

from dataclasses import replace

from ..cells import Bench, Cell
from ..drawn import engine
from ..drawn.calls import Call, calls, draw_calls, seed_of
from ..drawn.examples import examples_of
from ..facts import Outcome
from ..op_spec import OpSpec
from ..proof import worded
from ..sample import Sample
from ..script import Script
from .common import Finding, finding, judge_outcome, run_scripts, script_for

KIND = "drawn"
NUMBER = "C.3"
LEVEL = "must"
DEVICES = ("cpu",)
LEAST_VALID = 0.8
_SHRUNK = 2  # failures of one cell that are shrunk and reported


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Every op has a domain to draw from."""
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """The fixed examples and a drawn batch in one round trip; what no known deviation explains is
    shrunk."""
    drawing = bench.drawing
    drawn = draw_calls(cell.spec, cell.dtype, drawing.seed, drawing.count)
    valid = [call for call in drawn if call is not None]
    fixed = examples_of(cell.spec, cell.dtype)
    findings = _share(drawn, valid)
    shrunk = 0
    for found in _judge(cell, bench, fixed + valid):
        if is_known(cell, bench, found) or any(found.sample is call.sample for call in fixed):
            findings.append(found)
        elif shrunk < _SHRUNK:
            shrunk += 1
            findings.append(_smallest(cell, bench, found) if drawing.shrink else found)
    return findings


def _share(drawn: list[Call | None], valid: list[Call]) -> list[Finding]:
    """Draws outside the domain are counted: a strategy that wastes them draws little."""
    if len(valid) >= LEAST_VALID * len(drawn):
        return []
    text = f"valid share: {len(valid)} of {len(drawn)} draws lie in the op's domain; expected 80 %"
    return [Finding("valid share", Sample({}), text)]


def _judge(cell: Cell, bench: Bench, chosen: list[Call]) -> list[Finding]:
    chosen = [call for call in chosen if bench.capability.claims(call.sample.values)]
    scripts = [script_for(cell, call.sample, call.variant) for call in chosen]
    outcomes = run_scripts(bench, scripts)
    found = [
        judge_call(cell, bench, call, script, outcome)
        for call, script, outcome in zip(chosen, scripts, outcomes, strict=True)
    ]
    return [item for item in found if item is not None]


def judge_call(
    cell: Cell, bench: Bench, call: Call, script: Script, outcome: Outcome
) -> Finding | None:
    """What is wrong with one drawn call."""
    try:
        wrong = judge_outcome(cell, bench, call.sample, outcome)
    except Exception as error:
        error.add_note(f"the oracle of {cell.spec.key} at {call.sample.note}")
        raise
    if wrong is None:
        return None
    what, text = wrong
    return finding(script, call.sample, what, worded(text, f"{text} (by {call.variant})"), outcome)


def is_known(cell: Cell, bench: Bench, found: Finding) -> bool:
    """Whether a known deviation explains a finding."""
    known = bench.capability.deviations_of(cell.id)
    return any(deviation.explains(str(found)) for deviation in known)


def _smallest(cell: Cell, bench: Bench, found: Finding) -> Finding:
    """The smallest call that fails in the same property; the first found where that is no other."""
    smallest: list[Finding] = []

    def shows(call: Call | None) -> bool:
        if call is None:
            return False
        again = [
            item
            for item in _judge(cell, bench, [call])
            if item.what == found.what and not is_known(cell, bench, item)
        ]
        smallest[:] = again or smallest
        return bool(again)

    seed = seed_of(cell.spec, cell.dtype, bench.drawing.seed)
    engine.shrink(calls(cell.spec, cell.dtype), seed, bench.drawing.count, shows)
    if smallest:
        return smallest[0]
    return replace(found, text=f"{found.text}; did not repeat when the call was made on its own")
