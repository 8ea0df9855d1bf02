"""Calls under vmap: which slices of a call to batch, and how the batch is laid out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from .dtypes import DTYPES
from .expected import Expected
from .facts import Result
from .families import expected_of
from .op_spec import OpSpec
from .sample import Sample
from .tensors import Tensor

# Ops of which vmap has to refuse something, or says nothing; each with its reason.
NUMBERS = "its result is a Python number, which can't hold a slice each"
BY_VALUES = "its result's size depends on values, which vmap can't follow"
UNBATCHED = {
    "_local_scalar_dense": NUMBERS,
    "equal": NUMBERS,
    "nonzero": BY_VALUES,
    "masked_select": BY_VALUES,
    "argwhere": BY_VALUES,
    "where": BY_VALUES,
}
# Ops whose result depends on where the slice lies in memory: batched in front only.
_BY_MEMORY = frozenset(("view", "as_strided", "view_as", "contiguous"))


@dataclass(frozen=True, eq=False)
class Batch:
    """A call whose tensors `chosen` have further dimensions, one for each level of vmap."""

    sample: Sample
    chosen: tuple[Tensor, ...]
    sizes: tuple[int, ...]
    at_end: bool = False  # the new dimension is the last one of tensors and results

    def slices(self) -> Iterator[tuple[tuple[int, ...], Sample]]:
        """Every place in the batch, and the call there."""
        for index in product(*map(range, self.sizes)):
            yield index, self._at(index)

    def _at(self, index: tuple[int, ...]) -> Sample:
        place = int(np.ravel_multi_index(index, self.sizes))

        def change(tensor: Tensor) -> Tensor:
            batched = any(tensor is one for one in self.chosen)
            return _turned(tensor) if batched and place % 2 else tensor

        return self.sample.mapped(change, "")

    def tensor(self, one: Tensor) -> Tensor:
        """All slices of a tensor in one."""
        parts = [(_turned(one) if i % 2 else one).data for i in range(int(np.prod(self.sizes)))]
        whole = np.array(parts, one.data.dtype).reshape(*self.sizes, *one.shape)
        return replace(one, data=np.moveaxis(whole, 0, -1) if self.at_end else whole, strides=None)

    def result_at(self, result: Result, index: tuple[int, ...]) -> Result:
        """What a result of the batch gives for one slice."""
        count = len(index)
        own = slice(None, -count) if self.at_end else slice(count, None)
        batch = slice(-count, None) if self.at_end else slice(count)
        start = sum(i * s for i, s in zip(index, result.strides[batch], strict=True))
        first = start * DTYPES[result.dtype].itemsize
        fields = {**result.fields, "shape": result.shape[own], "strides": result.strides[own]}
        return Result(result.kind, fields, result.raw[first:])

    def shape_of(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of a result whose slices have this one."""
        return (*shape, *self.sizes) if self.at_end else (*self.sizes, *shape)


def _turned(tensor: Tensor) -> Tensor:
    """The same values in reverse order: in the op's domain, whatever that is."""
    return tensor.replaced(np.flip(tensor.data).copy())


def batches(spec: OpSpec, sample: Sample) -> Iterator[Batch]:
    """All operands at once, in front, at the end and in two levels; then each one alone, while
    the slices share the others."""
    tensors = _distinct(sample)
    if not tensors or sample.seed is not None or any(t.strides is not None for t in tensors):
        return
    found = [Batch(sample, tensors, sizes) for sizes in ((3,), (1,), (2, 3))]
    if spec.name not in _BY_MEMORY:
        found.append(Batch(sample, tensors, (3,), at_end=True))
    if len(tensors) > 1:
        found += [Batch(sample, (tensor,), (3,)) for tensor in tensors]
    yield from (batch for batch in found if _defined(spec, batch))


def _distinct(sample: Sample) -> tuple[Tensor, ...]:
    return tuple({id(tensor): tensor for tensor in sample.tensors()}.values())


def _defined(spec: OpSpec, batch: Batch) -> bool:
    """Whether what is written differs by slice, and all slices give results of one shape."""
    for argument in spec.args:
        value = batch.sample.values.get(argument.name)
        written = value if isinstance(value, list) else [value]
        if argument.written and not all(any(w is c for c in batch.chosen) for w in written):
            return False
    if any(t.dtype == "bool" for t in batch.chosen) and spec.key in _MASKS:
        return False
    shapes = {tuple(e.shape for e in expected_of(spec, one)) for _, one in batch.slices()}
    return len(shapes) <= 1


_MASKS = ("index.Tensor", "index_put")  # how many elements a mask chooses depends on values


def wanted(spec: OpSpec, sample: Sample) -> list[Expected]:
    """What the oracle expects of a slice. Where its elements lie is the batch's matter."""
    return [replace(e, strides=None, offset=None, alias=None) for e in expected_of(spec, sample)]
