"""K17: poisoned memory: results don't depend on what fresh memory holds."""

from __future__ import annotations

import math

from ..cells import Bench, Cell
from ..dtypes import DTYPES
from ..families import expected_of
from ..op_spec import OpSpec
from ..proof import worded
from ..sample import Sample
from ..script import Script
from .common import Finding, add_call, draw, failure, finding, judge_report, run_scripts, spread
from .state import STATE_SAMPLES, has_values, returns_tensors, same_bits

KIND = "poison"
NUMBER = "K17"
LEVEL = "must"
DEVICES = ("cpu",)
_PATTERNS = (0xFF, 0x3C)  # NaN in every floating dtype; an ordinary number in each


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs fresh memory with determined values."""
    if not returns_tensors(spec):
        return "the op returns no tensor"
    if spec.name in ("empty", "empty_like", "empty_strided", "new_empty"):
        return "the op promises no values"
    if spec.mutates or "view" in spec.tags:
        return "the op allocates nothing"
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Run each sample in memory filled with two patterns; compare with the oracle and bitwise."""
    samples = [s for s in spread(draw(cell, "small"), STATE_SAMPLES) if has_values(cell.spec, s)]
    scripts = [_poisoned(cell, s, pattern) for s in samples for pattern in _PATTERNS]
    outcomes = run_scripts(bench, scripts)
    found = []
    for number, sample in enumerate(samples):
        pair = outcomes[2 * number : 2 * number + 2]
        wrong, shown = failure(pair[0]) or failure(pair[1]), 0
        for place, outcome in enumerate(pair):
            if wrong is None:
                wrong, shown = judge_report(cell, bench, sample, outcome.reports[0]), place
        if wrong is None:
            differs = same_bits(pair[0].reports[0], pair[1].reports[0])
            if differs is not None:
                wrong = "poison", f"poison: the result must not depend on old memory; {differs}"
        if wrong is not None:
            text = worded(wrong[1], f"in poisoned memory: {wrong[1]}")
            script = scripts[2 * number + shown]
            found.append(finding(script, sample, wrong[0], text, pair[shown]))
    return found


def _poisoned(cell: Cell, sample: Sample, pattern: int) -> Script:
    """The call, with its inputs made before the memory of its results is poisoned."""
    script = Script(cell.device)
    for tensor in sample.tensors():
        script.tensor(tensor)
    sizes = []
    for expected in expected_of(cell.spec, sample):
        sizes.append(math.prod(expected.shape) * DTYPES[expected.dtype].itemsize)
    script.poison([size for size in sizes if size], pattern)
    add_call(script, cell, sample)
    return script
