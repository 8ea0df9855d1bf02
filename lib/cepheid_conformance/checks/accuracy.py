"""K3: the accuracy budget, in ULP or by the condition of the problem."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..op_spec import OpSpec
from .common import Finding, draw, has_samples, judge

KIND = "accuracy"
NUMBER = "K3"
LEVEL = "must"
DEVICES = ("cpu",)
_CLASSES = ("accuracy",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs samples of its input class."""
    return (
        None
        if has_samples(spec, dtype, *_CLASSES)
        else "the results are exact in this dtype, or have no accuracy budget"
    )


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Judge the samples against the oracle."""
    return judge(cell, bench, [sample for kind in _CLASSES for sample in draw(cell, kind)])
