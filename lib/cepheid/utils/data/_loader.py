"""DataLoader: batches of a dataset, made in the process that asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

from cepheid import _C
from cepheid.utils.data.collate import default_collate, default_convert
from cepheid.utils.data.dataset import Dataset, IterableDataset
from cepheid.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    drawn_seed,
)

__all__ = ["DataLoader", "get_worker_info"]

Sample = TypeVar("Sample", covariant=True)


def get_worker_info() -> None:
    """None: this process is no worker of a loader."""


class _Endless:
    """The sampler of a stream, which has no indices."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader(Generic[Sample]):
    """Batches of a dataset: iterating gives what `collate_fn` makes of `batch_size` samples, in the
    sampler's order, anew each time. batch_size=None gives samples one by one.

    From one seed the order is PyTorch's. Workers are processes that this version doesn't have:
    num_workers above 0 is an error. `pin_memory` is for GPUs, and changes nothing without one.
    """

    def __init__(
        self,
        dataset: Dataset[Sample],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: _C.Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset, self.num_workers, self.pin_memory = dataset, num_workers, pin_memory
        self.timeout, self.worker_init_fn, self.generator = timeout, worker_init_fn, generator
        self._stream = isinstance(dataset, IterableDataset)
        if self._stream:
            _check_stream(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler,"
                    " and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with"
                " drop_last"
            )
        self.sampler = self._default_sampler(shuffle) if sampler is None else sampler
        if batch_size is not None:
            batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self.batch_size, self.drop_last, self.batch_sampler = batch_size, drop_last, batch_sampler
        default: Callable[[Any], Any] = (
            default_convert if batch_sampler is None else default_collate
        )
        self.collate_fn: Callable[[Any], Any] = default if collate_fn is None else collate_fn

    def _default_sampler(self, shuffle: bool | None) -> Iterable[Any]:
        if self._stream:
            return _Endless()
        if shuffle:
            return RandomSampler(self.dataset, generator=self.generator)  # type: ignore[arg-type]
        return SequentialSampler(self.dataset)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        drawn_seed(self.generator)  # what PyTorch seeds its workers by, if there are any or not
        return self._batches_of_stream() if self._stream else self._batches()

    def _batches(self) -> Iterator[Any]:
        if self.batch_sampler is None:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])
            return
        several = getattr(self.dataset, "__getitems__", None)
        for indices in self.batch_sampler:
            samples = several(indices) if several else [self.dataset[i] for i in indices]
            yield self.collate_fn(samples)

    def _batches_of_stream(self) -> Iterator[Any]:
        samples = iter(self.dataset)  # type: ignore[call-overload]
        if self.batch_sampler is None:
            yield from map(self.collate_fn, samples)
            return
        for indices in self.batch_sampler:
            batch = list(islice(samples, len(indices)))
            if not batch or (self.drop_last and len(batch) < len(indices)):
                return
            yield self.collate_fn(batch)

    def __len__(self) -> int:
        if self._stream:
            size = len(self.dataset)  # type: ignore[arg-type]
            if self.batch_size is None:
                return size
            return size // self.batch_size + (size % self.batch_size > 0 and not self.drop_last)
        order: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
        return len(order)


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ValueError(f"DataLoader: num_workers must be >= 0; got {num_workers}, 0 is none")
    if timeout < 0:
        raise ValueError(f"DataLoader: timeout must be >= 0; got {timeout}, 0 is none")
    if num_workers > 0:
        raise NotImplementedError(
            f"DataLoader: worker processes are not part of this version; got"
            f" num_workers={num_workers}, set num_workers=0 to load in this process"
        )
    if prefetch_factor is not None:
        raise ValueError(
            "DataLoader: prefetch_factor needs num_workers > 0; got"
            f" prefetch_factor={prefetch_factor}, leave it out"
        )
    if persistent_workers:
        raise ValueError("DataLoader: persistent_workers needs num_workers > 0; leave it out")


def _check_stream(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got"
                f" {name}={value}"
            )
