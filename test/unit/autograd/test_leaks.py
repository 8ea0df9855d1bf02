"""Nothing stays behind: not of Functions, hooks, checkpoints, nor of passes that fail."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

import cepheid as torch
from cepheid import nn
from cepheid.autograd import Function, graph
from cepheid.utils.checkpoint import checkpoint


class Keeps(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        ctx.result = y
        return y

    @staticmethod
    def backward(ctx, gradient):
        x, _ = ctx.saved_tensors
        return gradient * 2 * x


def plain(x):
    Keeps.apply(x).sum().backward()


def hooks(x):
    handle = x.register_hook(lambda gradient: handle.remove())
    y = x * 2
    y.register_hook(lambda gradient: gradient * 2)
    y.grad_fn.register_hook(lambda made, came: None)
    y.grad_fn.metadata["y"] = 1
    y.sum().backward()


def saved(x):
    with graph.saved_tensors_hooks(lambda t: (t,), lambda packed: packed[0]):
        y = Keeps.apply(x).exp()
    y.sum().backward()


def again(x):
    checkpoint(lambda t: Keeps.apply(t).exp(), x, use_reentrant=False).sum().backward()


def fails(x):
    y = Keeps.apply(x)

    def stop(gradient):
        raise KeyError(x)

    y.register_hook(stop)
    with pytest.raises(KeyError):
        y.sum().backward()


def second(x):
    (first,) = torch.autograd.grad(Keeps.apply(x * 1).sum(), x, create_graph=True)
    torch.autograd.grad(first.sum(), x)


def resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def grown(step) -> int:
    """Bytes that 10,000 steps leave behind, once 1,000 have filled what is kept on purpose."""
    for _ in range(1_000):
        step()
    before = resident()
    for _ in range(10_000):
        step()
    return resident() - before


@pytest.mark.parametrize("step", [plain, hooks, saved, again, fails, second])
def test_memory_does_not_grow(step):
    x = torch.ones(100, dtype=torch.float64, requires_grad=True)
    assert grown(lambda: step(x)) < 1 << 20


def test_memory_does_not_grow_in_training():
    model = nn.Sequential(
        nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, 3)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, labels = torch.randn(4, 8), torch.tensor([0, 2, 1, 0])

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), labels).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    assert grown(step) < 1 << 20


def test_the_last_collection_finds_live_objects():
    """A view that was written to and its base lead to each other when the interpreter ends."""
    program = (
        "import cepheid as torch\n"
        "x = torch.ones(3, requires_grad=True)\n"
        "y = x.exp()\n"
        "v = y[1:]\n"
        "v.tag, y.tag = 'a', 'b'\n"
        "v.mul_(2)\n"
        "y.view_of_it = v\n"
        "def holds_the_module(): return torch\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
