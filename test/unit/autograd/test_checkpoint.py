"""Checkpointing: same gradients, computed twice."""

from __future__ import annotations

import pytest

import cepheid as torch
from cepheid.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_early_stop,
)

both = pytest.mark.parametrize("reentrant", [False, True])


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class Counted:
    """A function that counts its calls and how far each got."""

    def __init__(self):
        self.calls = 0
        self.ends = 0

    def __call__(self, x):
        self.calls += 1
        y = x.sin().exp()
        z = y * y + 1
        self.ends += 1
        return z


@both
def test_gradients_are_the_same(reentrant):
    x, y, function = leaf(0.5, 1.0), leaf(0.5, 1.0), Counted()
    checkpoint(function, x, use_reentrant=reentrant).sum().backward()
    Counted()(y).sum().backward()
    assert x.grad.tolist() == y.grad.tolist()
    assert function.calls == 2


def test_the_second_computation_ends_early():
    x, function = leaf(0.5), Counted()
    checkpoint(function, x, use_reentrant=False).backward()
    assert (function.calls, function.ends) == (2, 1)
    with set_checkpoint_early_stop(False):
        checkpoint(function, x, use_reentrant=False).backward()
    assert (function.calls, function.ends) == (4, 3)


@both
def test_random_numbers_are_the_same(reentrant):
    drawn = []

    def function(x):
        drawn.append(torch.rand(1, dtype=torch.float64))
        return x * drawn[-1]

    x = leaf(1.0)
    y = checkpoint(function, x, use_reentrant=reentrant)
    between = torch.rand(1)
    y.backward()
    assert drawn[0].item() == drawn[1].item() == x.grad.item()
    torch.rand(1)
    assert between.item() != drawn[0].item()
    checkpoint(function, x, use_reentrant=reentrant, preserve_rng_state=False).backward()
    assert drawn[2].item() != drawn[3].item()


def test_keyword_arguments_and_results_of_any_kind():
    def function(x, *, scale):
        return {"value": x * x * scale}

    x = leaf(3.0)
    checkpoint(function, x, use_reentrant=False, scale=2)["value"].backward()
    assert x.grad.item() == 12.0
    with pytest.raises(ValueError, match="keyword arguments"):
        checkpoint(function, x, use_reentrant=True, scale=2)


def test_grad_and_second_derivatives():
    x = leaf(0.5)
    y = checkpoint(lambda t: t.exp() * t, x, use_reentrant=False)
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert second.item() == pytest.approx((x.exp() * (x + 2)).item())
    with pytest.raises(RuntimeError, match="incompatible"):
        torch.autograd.grad(checkpoint(lambda t: t * t, x, use_reentrant=True), x)


def test_a_graph_may_be_gone_through_twice():
    x, function = leaf(0.5), Counted()
    y = checkpoint(function, x, use_reentrant=False)
    y.backward(retain_graph=True)
    y.backward()
    assert function.calls == 3


def test_checkpoints_nest():
    x, y, function = leaf(0.5), leaf(0.5), Counted()

    def outer(t):
        return checkpoint(function, t * 2, use_reentrant=False).sin()

    checkpoint(outer, x, use_reentrant=False).backward()
    Counted()(y * 2).sin().backward()
    assert x.grad.item() == y.grad.item()


def test_doing_something_else_is_told():
    calls = []

    def function(x):
        calls.append(x)
        return x.sin().exp() if len(calls) == 1 else x * 1

    with pytest.raises(CheckpointError, match="number of tensors"):
        checkpoint(function, leaf(1.0), use_reentrant=False).backward()

    def other(x):
        calls.append(x)
        return (x.exp() if len(calls) % 2 else x.reshape(1, 1).exp()).sum()

    with pytest.raises(CheckpointError, match="metadata"):
        checkpoint(other, leaf(1.0), use_reentrant=False).backward()


def test_contexts():
    seen = []

    class Mark:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            seen.append(self.name)

        def __exit__(self, *error):
            seen.append("end " + self.name)

    x = leaf(1.0)
    contexts = lambda: (Mark("first"), Mark("second"))  # noqa: E731
    checkpoint(lambda t: t.exp(), x, use_reentrant=False, context_fn=contexts).backward()
    assert seen == ["first", "end first", "second", "end second"]


def test_without_gradients_it_is_a_call():
    function = Counted()
    with torch.no_grad():
        checkpoint(function, leaf(1.0), use_reentrant=False)
    assert function.calls == 1
    with pytest.warns(UserWarning, match="none of the inputs"):
        checkpoint(function, torch.ones(1), use_reentrant=True)
    with pytest.warns(UserWarning, match="use_reentrant"):
        checkpoint(function, leaf(1.0))


@both
def test_a_sequence(reentrant):
    steps = [Counted() for _ in range(5)]
    x, y = leaf(0.1), leaf(0.1)
    checkpoint_sequential(steps, 2, x, use_reentrant=reentrant).backward()
    for step in steps:
        y = step(y)
    assert [step.calls for step in steps] == [3, 3, 2, 2, 2]
    assert x.grad is not None
