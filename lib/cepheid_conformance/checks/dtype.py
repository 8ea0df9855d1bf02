"""K5: the exact dtype of results, integer wrap-around, on cpu and meta."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..op_spec import OpSpec
from .common import Finding, draw, judge

KIND = "dtype"
NUMBER = "K5"
LEVEL = "must"
DEVICES = ("cpu", "meta")


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Every op has a result with a type."""
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Small samples for the dtype of results; the whole range of integers for their wrap."""
    structure = judge(cell, bench, draw(cell, "small"), values=False)
    return structure + judge(cell, bench, draw(cell, "dtype"))
