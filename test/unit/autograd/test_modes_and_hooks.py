"""Modes of recording; hooks of tensors and nodes; what Python sees of the graph."""

from __future__ import annotations

import copy
import pickle
import threading

import pytest

import cepheid as torch


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_no_grad_and_enable_grad_nest():
    x = leaf(1.0)
    with torch.no_grad():
        assert not (x * 2).requires_grad
        with torch.enable_grad():
            assert (x * 2).requires_grad
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


def test_modes_decorate_functions_and_generators():
    x = leaf(1.0)

    @torch.no_grad()
    def plain():
        return (x * 2).requires_grad

    @torch.no_grad
    def bare():
        return (x * 2).requires_grad

    @torch.no_grad()
    def values():
        for _ in range(2):
            yield torch.is_grad_enabled()

    assert not plain()
    assert not bare()
    assert [(value, torch.is_grad_enabled()) for value in values()] == [(False, True)] * 2


def test_set_grad_enabled_acts_at_once():
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


def test_the_mode_is_the_threads_own():
    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_a_hook_may_replace_a_gradient_and_be_removed():
    x = leaf(1.0)
    y = x * 2
    handle = y.register_hook(lambda g: g * 10)
    y.backward(retain_graph=True)
    assert x.grad.item() == 20.0
    handle.remove()
    y.backward()
    assert x.grad.item() == 22.0


def test_hooks_of_a_leaf_see_its_gradient():
    x, seen = leaf(3.0), []
    x.register_hook(lambda g: seen.append(g.item()))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.item()))
    (x * x).backward()
    assert seen == [6.0, 6.0]


def test_hooks_of_nodes():
    x, seen = leaf(2.0), []
    y = x * 3
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    y.grad_fn.register_hook(lambda made, came: seen.append((made[0].item(), came[0].item())))
    y.backward()
    assert seen == [(6.0, 2.0)]
    assert x.grad.item() == 6.0


def test_retain_grad_keeps_the_gradient_of_a_result():
    x = leaf(2.0)
    y = x * 3
    y.retain_grad()
    (y * y).backward()
    assert y.grad.item() == 12.0
    assert y.retains_grad


def test_the_graph_as_python_sees_it():
    x = leaf(1.0)
    y = (x * 2).sum()
    node = y.grad_fn
    assert node is y.grad_fn
    assert (type(node).__name__, node.name()) == ("SumBackward0", "SumBackward0")
    product, slot = node.next_functions[0]
    assert (product.name(), slot) == ("MulBackward0", 0)
    accumulate = product.next_functions[0][0]
    assert accumulate.name() == "AccumulateGrad"
    assert accumulate.variable is x
    assert product.next_functions[1] == (None, 0)


def test_leaves_and_results():
    x = leaf(1.0)
    y = x * 2
    assert (x.is_leaf, y.is_leaf) == (True, False)
    assert x.grad_fn is None
    with pytest.raises(RuntimeError, match="only a leaf"):
        y.requires_grad_(False)
    x.requires_grad = False
    assert not (x * 2).requires_grad


def test_a_tensor_that_requires_a_gradient_is_no_array():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match=r"detach\(\)"):
        x.numpy()
    assert x.detach().numpy().tolist() == [1.0]
    assert x.numpy(force=True).tolist() == [1.0]


def test_copies_and_pickles_keep_the_flag():
    x = leaf(1.0)
    assert copy.deepcopy(x).requires_grad
    assert pickle.loads(pickle.dumps(x)).requires_grad
    with pytest.raises(RuntimeError, match="only a leaf"):
        copy.deepcopy(x * 2)


def test_an_op_without_derivative_says_so():
    x = leaf(0.5)
    y = x.scatter(0, torch.tensor([0]), leaf(2.0), reduce="add")
    assert y.requires_grad
    with pytest.raises(NotImplementedError, match="scatter"):
        y.sum().backward()


def test_a_hook_may_register_and_remove_others():
    x, seen = leaf(1.0), []

    def first(gradient):
        handle.remove()
        x.register_hook(lambda g: seen.append("second"))
        seen.append("first")

    handle = x.register_hook(first)
    (x * 2).backward()
    (x * 2).backward()
    assert seen == ["first", "second"]
