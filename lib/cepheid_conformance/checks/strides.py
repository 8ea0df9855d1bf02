"""K9: strides of results: contiguous from contiguous, dense layouts kept by pointwise ops."""

from __future__ import annotations

from ..accept import visible_strides
from ..cells import Bench, Cell
from ..facts import Outcome
from ..families import expected_of
from ..layouts import channels_last, is_dense, middle_first, transposed
from ..op_spec import OpSpec
from ..sample import Sample
from ..tensors import contiguous_strides
from .common import Finding, draw, failure, finding, run_scripts, script_for
from .state import returns_tensors

KIND = "strides"
NUMBER = "K9"
LEVEL = "should"
DEVICES = ("cpu", "meta")
# The documentation fixes no layout for their results.
_OPEN = {"nonzero", "argwhere", "sort", "argsort", "rot90"}
# Made by copying self, broadcast, and writing to the copy: what its layout is then, is open.
_COPIES_FIRST = {"masked_fill"}


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Views say their strides themselves; in-place results keep those of their operand."""
    if not returns_tensors(spec):
        return "the op returns no tensor"
    if spec.is_view or spec.mutates:
        return "strides of views and written operands are part of their values"
    return "the documentation fixes no layout" if spec.name in _OPEN else None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Compare the strides of results with the contract."""
    wanted: list[tuple[Sample, tuple[int, ...] | None]] = []
    for sample in draw(cell, "small"):
        contiguous = all(tensor.strides is None for tensor in sample.tensors())
        if contiguous:
            wanted.append((sample, None))
        if contiguous and "pointwise" in cell.spec.tags and cell.spec.name not in _COPIES_FIRST:
            wanted += _dense(cell, sample)
    scripts = [script_for(cell, sample) for sample, _ in wanted]
    outcomes = run_scripts(bench, scripts)
    found = []
    for (sample, strides), script, outcome in zip(wanted, scripts, outcomes, strict=True):
        wrong = failure(outcome) or _differs(cell, sample, strides, outcome)
        if wrong is not None:
            found.append(finding(script, sample, *wrong, outcome))
    return found


def _dense(cell: Cell, sample: Sample) -> list[tuple[Sample, tuple[int, ...] | None]]:
    """The sample in dense layouts that all operands share, with the strides to keep."""
    found: list[tuple[Sample, tuple[int, ...] | None]] = []
    shapes = {tensor.shape for tensor in sample.tensors()}
    for layout in (transposed, middle_first, channels_last):
        changed = sample.mapped(layout, layout.__name__)
        tensors = list(changed.tensors())
        if len(shapes) == 1 and all(
            tensor.strides is not None and is_dense(tensor) for tensor in tensors
        ):
            found.append((changed, tensors[0].element_strides()))
    return found


def _differs(
    cell: Cell, sample: Sample, strides: tuple[int, ...] | None, outcome: Outcome
) -> tuple[str, str] | None:
    results = outcome.reports[0].values
    for expected, result in zip(expected_of(cell.spec, sample), results, strict=True):
        target = expected.strides or strides or contiguous_strides(expected.shape)
        wanted = visible_strides(expected.shape, target)
        got = visible_strides(result.shape, result.strides)
        if wanted != got:
            return "strides", f"strides: expected {wanted}; got {got}"
    return None
