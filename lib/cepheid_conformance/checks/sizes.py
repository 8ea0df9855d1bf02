"""K2: sizes across tile edges, long outputs."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..op_spec import OpSpec
from .common import Finding, draw, has_samples, judge

KIND = "sizes"
NUMBER = "K2"
LEVEL = "must"
DEVICES = ("cpu",)
_CLASSES = ("sizes",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs samples of its input class."""
    return None if has_samples(spec, dtype, *_CLASSES) else "the op has no size to vary"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Judge the samples against the oracle."""
    return judge(cell, bench, [sample for kind in _CLASSES for sample in draw(cell, kind)])
