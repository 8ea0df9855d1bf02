"""K6: type promotion with every other dtype, 0-dim tensors and Python numbers; cpu and meta."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..op_spec import OpSpec
from .common import Finding, draw, has_samples, judge

KIND = "promotion"
NUMBER = "K6"
LEVEL = "must"
DEVICES = ("cpu", "meta")


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs operands of differing dtypes."""
    if has_samples(spec, dtype, "promotion"):
        return None
    return "the op has no operands of differing dtypes"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Dtype and values of mixed operands."""
    return judge(cell, bench, draw(cell, "promotion"))
