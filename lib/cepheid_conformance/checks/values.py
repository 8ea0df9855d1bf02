"""K1: values of small random inputs against the oracle."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..op_spec import OpSpec
from .common import Finding, draw, judge

KIND = "values"
NUMBER = "K1"
LEVEL = "must"
DEVICES = ("cpu",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Every op has values, or a structure that stands for them."""
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Judge the small samples."""
    return judge(cell, bench, draw(cell, "small"))
