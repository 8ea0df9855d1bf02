"""References are given back: memory and reference counts stay level under repetition."""

from __future__ import annotations

import gc
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cepheid as torch
from tools.runner import run_this_file

X = torch.ones(2, 2)
ARRAY = np.ones(3)
GENERATOR = torch.Generator()


class Sub(torch.Tensor):
    """A subclass with the default override."""


SUB = torch.ones(2).as_subclass(Sub)


def refused(call: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        with pytest.raises((TypeError, ValueError, RuntimeError, IndexError)):
            call()

    return run


def cycle() -> None:
    a, grad = torch.ones(1), torch.ones(1)
    a.grad = grad
    grad.owner = a


def attributes() -> None:
    torch.ones(1).note = [1]


CALLS: dict[str, Callable[[], object]] = {
    "function": lambda: torch.add(X, 1, alpha=2),
    "operator": lambda: 1 + X * X,
    "method": lambda: X.view(4).sum(0),
    "out": lambda: torch.add(X, X, out=torch.empty(0)),
    "named results": lambda: torch.sort(X),
    "index": lambda: (X[0], X[0:1], X[X > 0], X[[0, 1]], X[None, ..., 0]),
    "assign": lambda: X.__setitem__(0, [1.0, 1.0]),
    "construct": lambda: torch.tensor([[1.0, 2.0], [ARRAY[0], 3]]),
    "array": lambda: torch.from_numpy(ARRAY).numpy(),
    "array protocol": lambda: np.asarray(X, dtype=np.float64),
    "dlpack": lambda: (torch.from_dlpack(X), X.__dlpack__(), X.__dlpack__(max_version=(1, 0))),
    "pickle": lambda: pickle.loads(pickle.dumps(X)),
    "storage": lambda: memoryview(X.untyped_storage()),
    "lists": lambda: (X.tolist(), list(X), X.shape, X.stride()),
    "generator": lambda: GENERATOR.set_state(GENERATOR.get_state()),
    "subclass": lambda: (SUB + 1, SUB.shape),
    "op": lambda: torch.ops.aten.add.Tensor(X, X),
    "attributes": attributes,
    "cycle": cycle,
    "refused call": refused(lambda: torch.add(X, "a")),
    "refused overloads": refused(lambda: X.sum("a")),
    "refused index": refused(lambda: X[7]),
    "refused data": refused(lambda: torch.tensor([[1], [1, 2]])),
    "refused kernel": refused(lambda: X @ torch.ones(5, 5)),
}


def resident_kib() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


def growth_kib(call: Callable[[], object], rounds: int) -> int:
    before = resident_kib()
    for _ in range(rounds):
        call()
    gc.collect()
    return resident_kib() - before


@pytest.mark.parametrize("name", CALLS)
def test_memory_stays_level(name: str) -> None:
    """What is kept makes every window grow; an arena of the allocator, or a page that the system
    had taken and gives back, makes one."""
    call, rounds = CALLS[name], 3000
    growth_kib(call, rounds)
    windows = (growth_kib(call, rounds) for _ in range(5))
    assert any(kib < 150 for kib in windows), "at least 50 bytes a call are kept"


@pytest.mark.parametrize("name", [n for n in CALLS if n != "cycle"])
def test_reference_counts_stay_level(name: str) -> None:
    watched = [X, ARRAY, SUB, GENERATOR, torch.float32, torch.Tensor, Sub, torch.add, None]
    call = CALLS[name]
    call()
    gc.collect()
    before = [sys.getrefcount(o) for o in watched]
    for _ in range(50):
        call()
    gc.collect()
    after = [sys.getrefcount(o) for o in watched]
    grown = [o for o, b, a in zip(watched, before, after, strict=True) if a - b >= 25]
    assert not grown


if __name__ == "__main__":
    run_this_file()
