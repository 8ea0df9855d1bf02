"""Writing in place, to tensors and to views of them, and what it does to histories."""

from __future__ import annotations

import pytest

import cepheid as torch


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_writing_to_a_result_is_recorded():
    x = leaf(1.0, 2.0)
    y = x * 1
    y.mul_(3)
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_leaf_that_requires_a_gradient_is_not_written_to():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="a leaf that requires a gradient"):
        x.mul_(2)
    with pytest.raises(RuntimeError, match="a view of a leaf"):
        x[0:1].mul_(2)
    with torch.no_grad():
        x.mul_(2)
    assert x.item() == 2.0


def test_a_plain_tensor_takes_a_history_when_it_is_written_to():
    w, y = leaf(2.0, 3.0), torch.ones(2, dtype=torch.float64)
    y.mul_(w)
    assert y.requires_grad
    assert not y.is_leaf
    y.sum().backward()
    assert w.grad.tolist() == [1.0, 1.0]


def test_writing_to_a_view_changes_the_base():
    w, base = leaf(5.0), torch.ones(3, dtype=torch.float64)
    view = base[1:2]
    view.mul_(w)
    assert base.requires_grad
    (base * torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64)).sum().backward()
    assert w.grad.item() == 10.0


def test_what_a_view_overwrites_gets_no_gradient():
    x = leaf(1.0, 2.0, 3.0)
    base = x * 1
    base[1] = 7.0
    base.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 1.0]


def test_writing_to_the_base_changes_its_views():
    w, base = leaf(2.0, 3.0), torch.ones(2, dtype=torch.float64)
    view = base[1]
    assert not view.requires_grad
    base.mul_(w)
    assert view.requires_grad
    assert type(view.grad_fn).__name__ == "AsStridedBackward0"
    view.backward()
    assert w.grad.tolist() == [0.0, 1.0]


def test_a_view_of_an_expanded_base_shares_its_gradient_out():
    w = leaf(1.0)
    base = w.expand(3)
    view = base[0:2]
    view.sum().backward()
    assert w.grad.item() == 2.0


def test_views_of_ops_with_several_results_are_not_written_to():
    x = leaf(1.0, 2.0) * 1
    first, _ = x.unbind(0)
    with pytest.raises(RuntimeError, match="several views"):
        first.mul_(2)


def test_a_view_made_without_recording_is_not_written_to_with_it():
    x = leaf(1.0, 2.0) * 1
    with torch.no_grad():
        view = x[0]
    with pytest.raises(RuntimeError, match="made without recording"):
        view.mul_(2)


def test_changing_what_was_saved_is_told():
    x = leaf(1.0)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"ExpBackward0.*changed in place.*version 1"):
        y.backward()


def test_an_operand_may_be_changed_that_nobody_needs():
    x = leaf(1.0)
    y = x * 1
    z = y + 2
    y.mul_(3)
    z.backward()
    assert x.grad.item() == 1.0


def test_writing_keeps_what_its_own_gradient_needs():
    x, w = leaf(3.0), leaf(5.0)
    y = x * 1
    y.mul_(w)
    y.backward()
    assert (x.grad.item(), w.grad.item()) == (5.0, 3.0)


def test_out_is_refused_where_something_would_be_recorded():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="out= can't be recorded"):
        torch.add(x, 1, out=torch.zeros(1, dtype=torch.float64))
    with torch.no_grad():
        assert torch.add(x, 1, out=torch.zeros(1, dtype=torch.float64)).item() == 2.0


def test_detach_shares_memory_and_no_history():
    x = leaf(1.0) * 1
    d = x.detach()
    assert not d.requires_grad
    assert d._base is None
    d.fill_(9)
    assert x.item() == 9.0


def test_copying_in_is_recorded():
    x = leaf(4.0, 5.0)
    y = torch.zeros(2, dtype=torch.float64)
    y.copy_(x)
    (y * y).sum().backward()
    assert x.grad.tolist() == [8.0, 10.0]


def test_a_leaf_that_is_a_view_of_plain_memory_is_still_a_leaf():
    x = torch.zeros(4).reshape(2, 2).requires_grad_()
    with pytest.raises(RuntimeError, match="a leaf that requires a gradient"):
        x.add_(1)
    with torch.no_grad():
        x.add_(1)
    assert x.is_leaf and x.sum().item() == 4.0
