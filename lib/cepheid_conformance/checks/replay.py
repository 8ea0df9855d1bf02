"""K15: replay: new data in the same storages gives a new result (no cache by pointer). A random op
leaves its generator where the next draw goes on."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..doors import encode_call
from ..facts import Outcome
from ..families import expected_of
from ..op_spec import OpSpec, load_specs
from ..oracle.random import Words
from ..proof import worded
from ..sample import Sample
from ..script import Script
from .common import (
    MAX_FINDINGS,
    Finding,
    add_call,
    compare,
    draw,
    failure,
    finding,
    judge_report,
    run_scripts,
)
from .state import other_values, stateful_samples

KIND = "replay"
NUMBER = "K15"
LEVEL = "must"
DEVICES = ("cpu",)
_NEXT = Sample({"size": [3], "dtype": "float32"}, seed=0)  # what is drawn after a call


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an input to rewrite, or a generator."""
    state = spec.tensor_args or "random" in spec.tags
    return None if state else "the op takes no tensor"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Both properties, where they apply."""
    found = _rewritten(cell, bench) if cell.spec.tensor_args else []
    if "random" in cell.spec.tags:
        found += _drawn_on(cell, bench)
    return found


def _rewritten(cell: Cell, bench: Bench) -> list[Finding]:
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


def _drawn_on(cell: Cell, bench: Bench) -> list[Finding]:
    """Call, then draw from the default generator: it has given the words that the call took, none
    where the call took none or those of a generator of its own."""
    rand = load_specs()["rand"]
    if bench.capability.unsupported(rand, "float32", cell.device) is not None:
        return []
    kinds = ("small", "shapes", "arguments", "dtype")
    samples = [sample for kind in kinds for sample in draw(cell, kind) if sample.seed is not None]
    samples = [sample for sample in samples if bench.capability.claims(sample.values)]
    scripts = []
    for sample in samples:
        script = Script(cell.device)
        add_call(script, cell, sample)
        call = encode_call(script, rand, _NEXT)
        script.call(call.via, call.name, call.args, call.kwargs)
        scripts.append(script)
    found = []
    outcomes = run_scripts(bench, scripts)
    for sample, script, outcome in zip(samples, scripts, outcomes, strict=True):
        wrong = failure(outcome) or _next_differs(cell, bench, sample, outcome)
        if wrong is not None:
            found.append(finding(script, sample, *wrong, outcome))
    return found[:MAX_FINDINGS]


def _next_differs(
    cell: Cell, bench: Bench, sample: Sample, outcome: Outcome
) -> tuple[str, str] | None:
    assert sample.seed is not None
    words = Words(sample.seed)
    expected_of(cell.spec, sample, words)
    wanted = expected_of(load_specs()["rand"], _NEXT, words)[0]
    wrong = compare(cell, bench, wanted, outcome.reports[-1].values[0])
    if wrong is None:
        return None
    what, text = wrong
    return what, worded(text, f"drawn from the same generator after the call: {text}")
