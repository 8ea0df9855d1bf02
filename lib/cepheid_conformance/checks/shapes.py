"""K7: shapes: 0-dim, empty, keepdim, negative dims; on meta the same shape, dtype and strides."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..op_spec import OpSpec
from .common import Finding, draw, has_samples, judge

KIND = "shapes"
NUMBER = "K7"
LEVEL = "must"
DEVICES = ("cpu", "meta")
_CLASSES = ("shapes", "small")


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs shapes to vary."""
    return None if has_samples(spec, dtype, *_CLASSES) else "the op has no shape to vary"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Odd shapes against the oracle; on meta the small ones too."""
    kinds = _CLASSES if cell.device == "meta" else _CLASSES[:1]
    samples = [sample for kind in kinds for sample in draw(cell, kind)]
    return judge(cell, bench, samples or draw(cell, "small"))
