"""Who runs which test of a process: it claims them one by one, the runner may take the rest away.

The file holds two numbers, the place of the next test and the place at which the process stops.
Both sides read and write it under a lock, so no test has two owners or none.
"""

import fcntl
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_FORMAT = struct.Struct("<qq")


@dataclass(frozen=True)
class Claims:
    """The shared file of one process."""

    path: Path

    def create(self, count: int) -> None:
        """Nothing is claimed yet; all `count` tests are the process's own."""
        self.path.write_bytes(_FORMAT.pack(0, count))

    def take_next(self) -> bool:
        """In the process: claim the next test. False: this one and all behind it are not ours."""
        with self._locked() as fd:
            place, end = _read(fd)
            if place < end:
                _write(fd, place + 1, end)
            return place < end

    def read(self) -> tuple[int, int]:
        """In the runner: the places that are not claimed yet."""
        with self._locked() as fd:
            return _read(fd)

    def take_rest(self, cut: Callable[[int, int], int]) -> tuple[int, int]:
        """In the runner: take the places from `cut(next, end)` to the end, and return them."""
        with self._locked() as fd:
            place, end = _read(fd)
            start = min(max(cut(place, end), place), end)
            _write(fd, place, start)
            return start, end

    @contextmanager
    def _locked(self) -> Iterator[int]:
        fd = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield fd
        finally:
            os.close(fd)  # and with it the lock


def _read(fd: int) -> tuple[int, int]:
    place, end = _FORMAT.unpack(os.pread(fd, _FORMAT.size, 0))
    return place, end


def _write(fd: int, place: int, end: int) -> None:
    os.pwrite(fd, _FORMAT.pack(place, end), 0)
