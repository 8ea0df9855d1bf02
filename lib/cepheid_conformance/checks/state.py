"""What the checks of state share: other values of the same sample, reports by call."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..cells import Cell
from ..expected import FREE
from ..facts import Report, Result
from ..families import expected_of
from ..op_spec import OpSpec
from ..sample import Sample
from ..tensors import Tensor
from .common import draw, spread

STATE_SAMPLES = 5


def flipped(tensor: Tensor) -> Tensor:
    """The same values in reverse order, the first twice, so that their sum differs too: still in
    the op's domain, whatever that is."""
    data = np.flip(tensor.data).copy()
    # Not where elements share a place, nor in a mask, whose count is the size of another operand.
    if data.size > 1 and tensor.strides is None and tensor.dtype != "bool":
        data.flat[-1] = data.flat[0]
    return tensor.replaced(data)


def other_values(sample: Sample) -> Sample:
    """The sample with every tensor reversed."""
    return sample.mapped(flipped, "(values reversed)")


def stateful_samples(cell: Cell) -> Iterator[Sample]:
    """Small samples in one block of memory each: their storages can be rewritten."""
    for sample in spread(draw(cell, "small"), STATE_SAMPLES):
        if all(tensor.data.size for tensor in sample.tensors()):
            yield sample


def returns_tensors(spec: OpSpec) -> bool:
    """Whether every result is a tensor."""
    return all(value.type in ("Tensor", "Tensor[]") for value in spec.returns)


def same_bits(first: Report, second: Report) -> str | None:
    """What differs between two reports of the same values, bit for bit."""
    for one, two in zip(first.values, second.values, strict=True):
        if one.kind != "tensor" or two.kind != "tensor":
            if one.fields["value"] != two.fields["value"]:
                return f"{one.fields['value']!r} became {two.fields['value']!r}"
        elif one.shape != two.shape or one.bits() != two.bits():
            return _first_difference(one, two)
    return None


def _first_difference(one: Result, two: Result) -> str:
    if one.shape != two.shape:
        return f"shape {list(one.shape)} became {list(two.shape)}"
    before, after = one.array().ravel(), two.array().ravel()
    same = (before == after) | ((before != before) & (after != after))
    places = np.flatnonzero(~same)
    place = int(places[0]) if len(places) else 0
    return f"element {place} was {before[place]!r} and is {after[place]!r}"


def has_values(cell_spec: OpSpec, sample: Sample) -> bool:
    """Whether the oracle determines the values."""
    return all(
        expected.rung != FREE or expected.holds is not None
        for expected in expected_of(cell_spec, sample)
    )
