"""Samplers: in what order a loader takes samples. From one seed the orders are PyTorch's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

from cepheid import _C
from cepheid._C import functions

__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler",
    "WeightedRandomSampler",
]  # fmt: skip

Index = TypeVar("Index", covariant=True)


def drawn_seed(generator: _C.Generator | None = None) -> int:
    """A seed drawn from a generator, by default the default one."""
    int64 = _C._dtypes()["int64"]
    return int(functions.empty((), dtype=int64).random_(generator=generator).item())


class Sampler(Generic[Index]):
    """A subclass defines `__iter__` over indices, or lists of them, and `__len__`."""

    def __iter__(self) -> Iterator[Index]:
        raise NotImplementedError(f"{type(self).__name__}: a subclass must define __iter__")


class SequentialSampler(Sampler[int]):
    """In order."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """In random order, or with `replacement`; `num_samples` of them (by default as many as there
    are). Without a generator it seeds one of its own from the default one for every pass."""

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: _C.Generator | None = None,
    ) -> None:
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got {replacement!r}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got {self.num_samples!r}"
            )

    @property
    def num_samples(self) -> int:
        """How many indices a pass gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size, generator = len(self.data_source), self.generator
        if generator is None:
            generator = _C.Generator()
            generator.manual_seed(drawn_seed())
        if self.replacement:
            yield from _with_replacement(size, self.num_samples, generator)
            return
        for _ in range(self.num_samples // size):
            yield from functions.randperm(size, generator=generator).tolist()
        rest = functions.randperm(size, generator=generator).tolist()
        yield from rest[: self.num_samples % size]

    def __len__(self) -> int:
        return self.num_samples


def _with_replacement(size: int, count: int, generator: _C.Generator) -> Iterator[int]:
    """In pieces of 32, as PyTorch draws them."""
    int64 = _C._dtypes()["int64"]
    for begin in range(0, count, 32):
        piece = (min(32, count - begin),)
        yield from functions.randint(size, piece, dtype=int64, generator=generator).tolist()


class SubsetRandomSampler(Sampler[int]):
    """The indices given, in random order."""

    def __init__(self, indices: Sequence[int], generator: _C.Generator | None = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        order = functions.randperm(len(self.indices), generator=self.generator).tolist()
        return (self.indices[i] for i in order)

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices of `weights`, each as likely as its weight; these need not sum to 1."""

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: _C.Generator | None = None,
    ) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got {num_samples!r}"
            )
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got {replacement!r}")
        self.weights = _C.as_tensor(weights, dtype=_C._dtypes()["float64"])
        if self.weights.dim() != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape"
                f" {tuple(self.weights.shape)}"
            )
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = functions.multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[Any]]):
    """Lists of `batch_size` indices of another sampler; the last, shorter one unless drop_last."""

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size!r}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(
                f"drop_last should be a boolean value, but got drop_last={drop_last!r}"
            )
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return whole + (rest > 0 and not self.drop_last)
