"""What a workload is, and what several groups share.

A workload is a function of the framework module `torch` (whichever framework that is) and the
context `ctx`, and returns a `Case`: what to time, and what it costs at the least. Only public torch
API is used, reached through the module handed in.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any


@dataclass
class Context:
    """Where a workload runs."""

    folder: str  # scratch space, empty at the start
    rank: int = 0  # the distributed group runs in two processes
    world: int = 1
    port: int = 0  # free, and the same for both processes


@dataclass
class Case:
    """What to time, and the least it costs."""

    run: Callable[[], Any] | tuple[str, dict[str, Any]]  # a callable, or (statement, its globals)
    bytes: float = 0  # that one call must move through memory
    reads: bool = False  # those bytes are (nearly) only read
    flops: float = 0  # that one call must compute
    peak: str = "fp32"  # the arithmetic those flops are done in
    calls: int = 0  # framework calls made from Python, where their overhead is the subject
    ref: Callable[[], Any] | None = None  # a reference in the same process, timed alongside
    extra: dict[str, float] = field(default_factory=dict)  # seconds, measured once while building


Build = Callable[..., Case]
WORKLOADS: dict[str, Build] = {}
"""'group/name' -> build(torch, ctx), in the order in which they run."""


def bench(key: str, **params: Any) -> Callable[[Build], Build]:
    """Register a builder; `params` go to it as keyword arguments."""

    def register(build: Build) -> Build:
        WORKLOADS[key] = partial(build, **params) if params else build
        return build

    return register


def dtype_of(torch: Any, name: str) -> Any:
    """The framework's dtype of a short name."""
    return {
        "fp32": torch.float32,
        "bf16": torch.bfloat16,
        "fp64": torch.float64,
        "int64": torch.int64,
    }[name]


SIZE = {"fp32": 4, "bf16": 2, "fp64": 8, "int64": 8}


ROWS, COLS = 2500, 4000
N = ROWS * COLS


@functools.lru_cache(None)
def values(torch: Any, dtype: str, *shape: int, copy: int = 0) -> Any:
    """Random values in [1, 2) or, for integers, [0, 100). Shared: not to be written to."""
    if dtype == "int64":
        return torch.randint(0, 100, shape)
    return (torch.rand(*shape) + 1).to(dtype_of(torch, dtype))


def no_grad(torch: Any, fn: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    """A call of `fn` without recording for backward."""

    def run() -> Any:
        with torch.no_grad():
            return fn(*args)

    return run


def forward_backward(torch: Any, fn: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    """Forward, and backward from a gradient of ones. Gradients gather in place after the first."""
    ones = torch.ones_like(fn(*args).detach())
    return lambda: fn(*args).backward(ones)


def add_chain(torch: Any, length: int) -> dict[str, Any]:
    """`x` and what follows from it by `length` additions."""
    x = y = torch.ones(1, requires_grad=True)
    for _ in range(length):
        y = y + 1.0
    return {"x": x, "y": y}
