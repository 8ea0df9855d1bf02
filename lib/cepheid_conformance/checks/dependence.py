"""K32: the output depends on each input: change one, and the result follows the oracle."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..cells import Bench, Cell
from ..dtypes import Array
from ..expected import Expected
from ..families import expected_of, samples_of
from ..op_spec import OpSpec
from ..sample import Sample
from ..tensors import Tensor
from .common import Finding, judge, spread
from .state import STATE_SAMPLES, flipped

KIND = "dependence"
NUMBER = "K32"
LEVEL = "must"
DEVICES = ("cpu",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an input whose values matter: the oracle says which do."""
    if not spec.tensor_args:
        return "the op takes no tensor"
    if next(_perturbed(spec, dtype), None) is None:
        return "by the oracle no value of an input changes the result in this dtype"
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Judge each small sample with one input at a time replaced, where that changes the value."""
    return judge(cell, bench, _perturbed(cell.spec, cell.dtype))


def _perturbed(spec: OpSpec, dtype: str) -> Iterator[Sample]:
    """Each small sample that has a change to show, then its changes: what was kept of the first
    would show in them."""
    for sample in spread(samples_of(spec, dtype, "small"), STATE_SAMPLES):
        before = expected_of(spec, sample)
        found: list[Sample] = []
        for tensor in sample.tensors():
            changes = list(_changes(tensor, alone=len(spec.tensor_args) == 1))
            # One change of the whole is enough; one of all but the first element comes with it.
            for group in (changes, _tail_changes(tensor)):
                for note, new in group:
                    changed = sample.mapped(functools.partial(_swap, tensor, new), note)
                    if _differ(before, expected_of(spec, changed)):
                        found.append(changed)
                        break
        if found:
            yield sample
        yield from found


def _tail_changes(tensor: Tensor) -> list[tuple[str, Tensor]]:
    if tensor.strides is not None or not tensor.data.size:
        return []
    return [("all but the first element of one input reversed", _tail_flipped(tensor))]


def _changes(tensor: Tensor, alone: bool) -> Iterator[tuple[str, Tensor]]:
    """Other values of an input that keep to the op's domain. An input that stands alone has no
    domain to share with others: it may be all zero or all NaN."""
    if not tensor.data.size:
        return
    yield "one input reversed", flipped(tensor)
    if alone or tensor.dtype != "bool":  # a mask beside other inputs must select as many
        yield "one input constant", tensor.replaced(_filled(tensor, tensor.data.flat[0]))
    if alone:
        yield "the input zero", tensor.replaced(_filled(tensor, 0))
        yield "the input one", tensor.replaced(_filled(tensor, 1))
        if tensor.info.is_inexact:
            yield "the input NaN", tensor.replaced(_filled(tensor, np.nan))


def _tail_flipped(tensor: Tensor) -> Tensor:
    """All but the first element reversed: a result may be kept by that one element."""
    flat = tensor.data.ravel()
    return tensor.replaced(np.concatenate([flat[:1], flat[:0:-1]]).reshape(tensor.shape))


def _filled(tensor: Tensor, value: Any) -> Array:
    return np.full(tensor.shape, value, tensor.data.dtype)


def _swap(old: Tensor, new: Tensor, tensor: Tensor) -> Tensor:
    return new if tensor is old else tensor


def _differ(before: list[Expected], after: list[Expected]) -> bool:
    return any(
        two.holds is not None
        or one.shape != two.shape
        or (one.value is not None and not np.array_equal(one.value, np.asarray(two.value)))
        for one, two in zip(before, after, strict=True)
    )
