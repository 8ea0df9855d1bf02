"""How much memory this process holds: blocks of the C library's heap, blocks of Python's own
allocator, and the highest resident size. Linux with glibc only: what else would count is unknown
here, and a wrong count would be worse than none."""

from __future__ import annotations

import ctypes
import gc
import sys
from pathlib import Path
from typing import Any


class _Mallinfo2(ctypes.Structure):
    """glibc's `struct mallinfo2`."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
        )
    )


_mallinfo2: Any = getattr(ctypes.CDLL(None), "mallinfo2", None)
if _mallinfo2 is not None:
    _mallinfo2.restype = _Mallinfo2
_collect = gc.collect
_blocks = sys.getallocatedblocks
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def held() -> tuple[int, int]:
    """Bytes of the heap in use, and blocks of Python's allocator, without garbage cycles and
    without what a whole collection takes back from Python's free lists."""
    if _mallinfo2 is None:
        raise RuntimeError("driver: counting memory needs glibc 2.33 or later; it has no mallinfo2")
    _collect()
    state = _mallinfo2()
    return state.uordblks + state.hblkhd, _blocks()


def growth(run: Any, count: int, rounds: int) -> list[tuple[int, int]]:
    """What each round of `count` runs left behind. The first round, which fills caches, is not
    among them; cycles are collected at the end of each."""
    enabled = gc.isenabled()
    gc.disable()
    gc.freeze()  # whole collections then look at young objects only
    found = []
    try:
        for _ in range(count):
            run()
        for _ in range(rounds):
            before = held()
            for _ in range(count):
                run()
            after = held()
            found.append((after[0] - before[0], after[1] - before[1]))
    finally:
        gc.unfreeze()
        if enabled:
            gc.enable()
    return found


def peak(run: Any) -> int:
    """By how many bytes the resident size rose above its level before while `run` ran."""
    _CLEAR.write_text(_RESET_PEAK)
    before = _kibibytes("VmRSS")
    run()
    return (_kibibytes("VmHWM") - before) * 1024


def _kibibytes(name: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1])
