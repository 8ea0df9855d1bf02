"""Datasets: indexable ones, iterable ones, parts of them and several in a row."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar

from cepheid import _C
from cepheid._C import Tensor, functions

__all__ = [
    "ConcatDataset", "Dataset", "IterableDataset", "Subset", "TensorDataset", "random_split",
]  # fmt: skip

Sample = TypeVar("Sample", covariant=True)


class Dataset(Generic[Sample]):
    """A subclass defines `__getitem__`, a sample by its index, and `__len__`.

    With `__getitems__`, the samples of a list of indices, a loader asks for a whole batch at once.
    """

    def __getitem__(self, index: Any) -> Sample:
        raise NotImplementedError(f"{type(self).__name__}: a subclass must define __getitem__")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Sample]):
    """A stream: a subclass defines `__iter__`, and `__len__` where that is known."""

    def __iter__(self) -> Iterator[Sample]:
        raise NotImplementedError(f"{type(self).__name__}: a subclass must define __iter__")


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tuples of the i-th parts of tensors whose first dimensions are the same."""

    def __init__(self, *tensors: Tensor) -> None:
        sizes = [tensor.size(0) for tensor in tensors]
        if len(set(sizes)) > 1:
            raise AssertionError(
                f"Size mismatch between tensors: TensorDataset got first dimensions {sizes}; they"
                " must be the same"
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class Subset(Dataset[Sample]):
    """The samples of a dataset at the indices given."""

    def __init__(self, dataset: Dataset[Sample], indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        several = getattr(self.dataset, "__getitems__", None)
        chosen = [self.indices[i] for i in indices]
        return several(chosen) if several else [self.dataset[i] for i in chosen]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset[Any]):
    """The samples of several datasets, one after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("ConcatDataset: datasets must name at least one; got none")
        if any(isinstance(part, IterableDataset) for part in self.datasets):
            raise TypeError("ConcatDataset: an IterableDataset can't be indexed; chain the streams")
        self.cumulative_sizes = list(accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise IndexError(
                f"ConcatDataset: index {index} is out of range for {len(self)} samples"
            )
        index %= len(self)
        part = bisect_right(self.cumulative_sizes, index)
        return self.datasets[part][index - (self.cumulative_sizes[part - 1] if part else 0)]


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: _C.Generator | None = None
) -> list[Subset[Any]]:
    """Subsets of the lengths given, drawn without replacement; fractions that sum to 1 are of the
    whole, rounded down, and what is left over goes to the first subsets, one each."""
    size = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _whole(lengths, size)
    if sum(lengths) != size:
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset!"
            f" random_split got lengths of {sum(lengths)} for {size} samples"
        )
    order = functions.randperm(size, generator=generator).tolist()
    ends = accumulate(int(length) for length in lengths)
    return [
        Subset(dataset, order[end - int(length) : end])
        for end, length in zip(ends, lengths, strict=True)
    ]


def _whole(fractions: Sequence[float], size: int) -> list[int]:
    for position, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {position} is not between 0 and 1: {fraction}")
    lengths = [math.floor(size * fraction) for fraction in fractions]
    for position in range(size - sum(lengths)):
        lengths[position % len(lengths)] += 1
    return lengths
