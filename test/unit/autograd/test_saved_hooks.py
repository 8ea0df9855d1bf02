"""Hooks of saved tensors, and what `autograd.graph` says of nodes and edges."""

from __future__ import annotations

import gc
import weakref

import pytest

import cepheid as torch
from cepheid.autograd import graph


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_tensors_are_packed_when_saved_and_unpacked_when_needed():
    events = []

    def pack(t):
        assert t.is_leaf
        events.append("pack")
        return t.tolist()

    def unpack(values):
        events.append("unpack")
        return torch.tensor(values, dtype=torch.float64)

    x = leaf(3.0)
    with graph.saved_tensors_hooks(pack, unpack):
        y = x * x
    assert events == ["pack", "pack"]
    y.backward()
    assert events[2:] == ["unpack", "unpack"]
    assert x.grad.item() == 6.0


def test_the_innermost_hooks_are_asked():
    seen = []

    def hooks(name):
        return graph.saved_tensors_hooks(lambda t: (seen.append(name), t)[1], lambda t: t)

    x = leaf(1.0)
    with hooks("outer"):
        x.exp()
        with hooks("inner"):
            x.exp()
        x.exp()
    x.exp()
    assert seen == ["outer", "inner", "outer"]


def test_second_derivatives_go_through_hooks():
    x = leaf(2.0)
    with graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t.clone()):
        y = x * x * x.exp()
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert second.item() == pytest.approx((2 + 8 + 4) * first.exp().log().item() / 8)


def test_results_and_functions_are_packed_too():
    seen = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2 * ctx.saved_tensors[0]

    x = leaf(3.0)
    with graph.saved_tensors_hooks(lambda t: seen.append(t.item()) or t, lambda t: t):
        y = Square.apply(x).sqrt()
    y.backward()
    assert seen == [3.0, 3.0]
    assert x.grad.item() == 1.0


def test_a_pack_hook_may_not_write():
    x = leaf(1.0)
    hooks = graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t)
    with hooks, pytest.raises(RuntimeError, match="the pack hook wrote"):
        x * x


def test_an_unpack_hook_returns_a_tensor():
    x = leaf(1.0)
    with graph.saved_tensors_hooks(lambda t: 3, lambda packed: packed):
        y = x.exp()
    with pytest.raises(TypeError, match="unpack hook must return a Tensor; got int"):
        y.backward()


def test_errors_of_hooks_come_out():
    class Mine(Exception):
        pass

    def fail(_):
        raise Mine

    x = leaf(1.0)
    with pytest.raises(Mine), graph.saved_tensors_hooks(fail, fail):
        x.exp()
    with graph.saved_tensors_hooks(lambda t: t, fail):
        y = x.exp()
    with pytest.raises(Mine):
        y.backward()


def test_hooks_can_be_disabled():
    hooks = graph.saved_tensors_hooks(lambda t: t, lambda t: t)
    with (
        graph.disable_saved_tensors_hooks("not here"),
        pytest.raises(RuntimeError, match="not here"),
    ):
        hooks.__enter__()
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        pass


def test_save_on_cpu():
    x = leaf(2.0)
    with graph.save_on_cpu():
        y = x * x
    y.backward()
    assert x.grad.item() == 4.0


def test_what_was_packed_goes_with_the_pass():
    class Box:
        def __init__(self, tensor):
            self.tensor = tensor

    boxes = []

    def pack(t):
        box = Box(t)
        boxes.append(weakref.ref(box))
        return box

    x = leaf(1.0)
    with graph.saved_tensors_hooks(pack, lambda box: box.tensor):
        y = x.exp()
    y.backward()
    assert boxes[0]() is None
    del y
    gc.collect()


def test_gradient_edges():
    x = leaf(1.0)
    y = x * 2
    edge = graph.get_gradient_edge(y)
    assert edge == (y.grad_fn, 0)
    assert graph.get_gradient_edge(x).node.name() == "AccumulateGrad"
    assert isinstance(y.grad_fn, graph.Node)
    with pytest.raises(RuntimeError, match="must require a gradient"):
        graph.get_gradient_edge(torch.ones(1))
    z = y * 3
    (g,) = torch.autograd.grad(z, edge, retain_graph=True)
    assert g.item() == 3.0
    (g,) = torch.autograd.grad(graph.get_gradient_edge(z), x, torch.ones_like(z))
    assert g.item() == 6.0


def test_increment_version():
    x = torch.ones(1)
    before = x._version
    graph.increment_version(x)
    graph.increment_version([x, x])
    assert x._version == before + 3


def test_a_hook_of_several_gradients():
    a, b, c = leaf(1.0), leaf(1.0), leaf(1.0)
    seen = []
    handle = graph.register_multi_grad_hook(
        (a, b, c), lambda gs: seen.append([g is None for g in gs])
    )
    (a * b).backward()
    (a * b * c).backward()
    assert seen == [[False, False, True], [False, False, False]]
    handle.remove()
    (a * b).backward()
    assert len(seen) == 2


def test_a_hook_of_any_gradient():
    a, b = leaf(1.0), leaf(1.0)
    seen = []
    graph.register_multi_grad_hook((a, b), lambda g: seen.append(g.item()), mode="any")
    (a * b).backward()
    (a * b).backward()
    assert len(seen) == 2


def test_nodes_can_be_called():
    x = leaf(3.0)
    assert (x * 2).grad_fn(torch.ones(1, dtype=torch.float64))[0].item() == 2.0
