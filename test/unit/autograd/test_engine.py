"""The engine: what a backward pass computes, keeps, refuses and survives."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

import cepheid as torch


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_a_chain_of_products():
    x = leaf(2.0, 3.0)
    y = (x * x * x).sum()
    y.backward()
    assert x.grad.tolist() == [12.0, 27.0]


def test_gradients_of_uses_add_up():
    x = leaf(2.0)
    y = x * 3 + x * x
    y.backward()
    assert x.grad.item() == 3 + 4


def test_grads_accumulate_over_passes():
    x = leaf(1.0, 2.0)
    for _ in range(3):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_what_was_broadcast_is_summed():
    x, w = leaf(1.0, 2.0, 3.0), torch.ones(2, 1, dtype=torch.float64, requires_grad=True)
    (x * w).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    assert w.grad.tolist() == [[6.0], [6.0]]


def test_grad_leaves_grads_alone():
    x = leaf(3.0)
    (g,) = torch.autograd.grad(x * x, x)
    assert g.item() == 6.0
    assert x.grad is None


def test_grad_of_an_intermediate_result():
    x = leaf(3.0)
    y = x * x
    (g,) = torch.autograd.grad(y * y, y)
    assert g.item() == 18.0


def test_only_what_the_inputs_need_is_run():
    x, other = leaf(1.0), leaf(1.0)
    seen = []
    branch = other * 2
    branch.register_hook(lambda g: seen.append(g))
    torch.autograd.grad((x * 3 + branch).sum(), x)
    assert seen == []


def test_backward_with_inputs_adds_to_these_only():
    x, y = leaf(2.0), leaf(5.0)
    middle = x * y
    middle.sum().backward(inputs=[x])
    assert x.grad.item() == 5.0
    assert y.grad is None


def test_inputs_by_name_give_gradients_by_name():
    x, y = leaf(3.0), leaf(2.0)
    found = torch.autograd.grad(x * x * y, {"x": x, "y": y})
    assert {name: gradient.item() for name, gradient in found.items()} == {"x": 12.0, "y": 9.0}
    (x * y).backward(inputs={"x": x})
    assert (x.grad.item(), y.grad) == (2.0, None)


def test_the_old_names_of_arguments_warn():
    x = leaf(1.0, 2.0)
    with pytest.warns(FutureWarning, match="use grad_tensors"):
        torch.autograd.backward(x * x, None, None, False, torch.ones(2, dtype=torch.float64))
    assert x.grad.tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError, match="one argument"):
        torch.autograd.backward(x * x, x, grad_variables=x)
    with pytest.warns(FutureWarning, match="use backward"):
        torch.autograd.grad((x * x).sum(), x, only_inputs=False)


def test_the_gradient_of_an_edge_must_have_its_shape():
    edge = torch.autograd.graph.get_gradient_edge(leaf(1.0, 2.0) * 2)
    with pytest.raises(RuntimeError, match=r"shape \[2\]; got \[3\]"):
        torch.autograd.backward(edge, torch.ones(3, dtype=torch.float64))


def test_an_unused_input_is_named():
    x, unused = leaf(1.0), leaf(1.0)
    with pytest.raises(RuntimeError, match="input 1"):
        torch.autograd.grad(x * 2, (x, unused))
    g, none = torch.autograd.grad(x * 2, (x, unused), allow_unused=True)
    assert (g.item(), none) == (2.0, None)
    _, zero = torch.autograd.grad(x * 2, (x, unused), materialize_grads=True)
    assert zero.item() == 0.0


def test_a_second_pass_needs_retain_graph():
    x = leaf(2.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 8.0
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()


def test_second_derivatives():
    x = leaf(2.0)
    (first,) = torch.autograd.grad(x * x * x, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x, create_graph=True)
    (third,) = torch.autograd.grad(second, x)
    assert (first.item(), second.item(), third.item()) == (12.0, 12.0, 6.0)


def test_results_need_a_gradient_unless_they_have_one_element():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="scalar outputs"):
        (x * 2).backward()
    (x * 2).backward(torch.tensor([1.0, 10.0], dtype=torch.float64))
    assert x.grad.tolist() == [2.0, 20.0]
    with pytest.raises(RuntimeError, match="mismatch in shape"):
        (x * 2).backward(torch.ones(3, dtype=torch.float64))


def test_nothing_recorded_is_an_error():
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.ones(1).sum().backward()


def test_integers_have_no_gradient():
    with pytest.raises(RuntimeError, match="floating and complex"):
        torch.ones(2, dtype=torch.int64, requires_grad=True)
    assert not (leaf(1.0) > 0).requires_grad


def test_an_error_of_a_hook_comes_out():
    class Stop(Exception):
        pass

    def stop(gradient):
        raise Stop

    x = leaf(1.0)
    y = x * 2
    y.register_hook(stop)
    with pytest.raises(Stop):
        y.sum().backward()


def test_a_million_nodes_run_and_are_freed():
    x = leaf(1.0)
    y = x
    for _ in range(1_000_000):
        y = y + 1.0
    y.backward()
    assert x.grad.item() == 1.0
    del y
    gc.collect()


def test_passes_inside_passes_reach_any_depth():
    x = leaf(1.0)

    def nested(depth):
        with torch.enable_grad():
            y = x * 1.0
        if depth:
            y.register_hook(lambda g: nested(depth - 1))
        y.backward()

    nested(200)
    assert x.grad.item() == 201.0


def test_threads_share_leaves():
    x = torch.zeros(8, dtype=torch.float64, requires_grad=True)

    def work():
        for _ in range(100):
            (x * 2).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.grad.tolist() == [32 * 100 * 2.0] * 8


def test_a_graph_holds_no_path_to_its_results():
    x = leaf(1.0)

    class Marked(torch.Tensor):
        pass

    y = (x.exp()).as_subclass(Marked)
    gone = weakref.ref(y)
    del y
    assert gone() is None


def test_writing_to_an_operand_makes_no_cycle():
    """y = w * x saves x; x is then made of y: x must still go when nothing names it."""
    w = leaf(1.0, 2.0)
    x = torch.ones(2, dtype=torch.float64)
    y = w * x
    x.mul_(y)
    gone = weakref.ref(x)
    del x, y
    assert gone() is None


def test_a_callback_runs_after_the_pass():
    x, order = leaf(1.0), []
    y = x * 2
    y.register_hook(lambda g: torch._C._queue_callback(lambda: order.append("end")))
    x.register_hook(lambda g: order.append("leaf"))
    y.sum().backward()
    assert order == ["leaf", "end"]
    with pytest.raises(RuntimeError, match="no backward pass"):
        torch._C._queue_callback(lambda: None)
