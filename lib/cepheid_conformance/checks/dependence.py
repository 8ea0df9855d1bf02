"""K32: the output depends on each input: change one, and the result follows the oracle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..cells import Bench, Cell
from ..expected import Expected
from ..families import expected_of
from ..op_spec import OpSpec
from ..sample import Sample
from ..tensors import Tensor
from .common import Finding, draw, judge, spread
from .state import STATE_SAMPLES, flipped

KIND = "dependence"
NUMBER = "K32"
DEVICES = ("cpu",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an input."""
    return None if spec.tensor_args else "the op takes no tensor"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Judge each small sample with one input at a time replaced, where that changes the value."""
    return judge(cell, bench, _perturbed(cell))


def _perturbed(cell: Cell) -> Iterator[Sample]:
    for sample in spread(draw(cell, "small"), STATE_SAMPLES):
        before = expected_of(cell.spec, sample)
        for tensor in sample.tensors():
            changed = _with(sample, tensor, flipped(tensor))
            if _differ(before, expected_of(cell.spec, changed)):
                yield changed


def _with(sample: Sample, old: Tensor, new: Tensor) -> Sample:
    return sample.mapped(lambda tensor: new if tensor is old else tensor, "one input reversed")


def _differ(before: list[Expected], after: list[Expected]) -> bool:
    return any(
        one.shape != two.shape
        or (one.value is not None and not np.array_equal(one.value, np.asarray(two.value)))
        for one, two in zip(before, after, strict=True)
    )
