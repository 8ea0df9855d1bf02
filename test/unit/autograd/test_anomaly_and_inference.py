"""Anomaly mode, inference mode, and errors on their way through the engine."""

from __future__ import annotations

import threading
import traceback
import warnings

import pytest

import cepheid as torch


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class Mine(Exception):
    pass


def failing(gradient):
    raise Mine("from a hook")


def make_failing(x):
    y = x * 2
    y.register_hook(failing)
    return y


def test_a_failure_shows_where_the_node_was_made():
    with torch.autograd.set_detect_anomaly(True):
        y = make_failing(leaf(1.0))
        with (
            pytest.warns(UserWarning, match="Error detected in MulBackward0") as caught,
            pytest.raises(Mine),
        ):
            y.backward()
    assert "in make_failing" in str(caught[0].message)
    assert not torch.is_anomaly_enabled()


def test_nan_is_a_failure():
    x = leaf(0.0)
    with torch.autograd.set_detect_anomaly(True), pytest.warns(UserWarning, match="SqrtBackward0"):
        y = (x * 0).sqrt() * 0
        with pytest.raises(RuntimeError, match=r"SqrtBackward0.*nan"):
            y.backward()
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        ((x * 0).sqrt() * 0).backward()


def test_a_failure_in_a_second_derivative_names_the_first():
    x = leaf(1.0)
    with torch.autograd.set_detect_anomaly(True):
        (first,) = torch.autograd.grad(x.exp(), x, create_graph=True)
        first.register_hook(failing)
        with pytest.warns(UserWarning, match="induced by ExpBackward0"), pytest.raises(Mine):
            first.backward()


def test_detect_anomaly_warns_and_ends():
    with pytest.warns(UserWarning, match="slows a program down"):
        mode = torch.autograd.detect_anomaly()
    with mode:
        assert torch.is_anomaly_enabled()
        assert torch.is_anomaly_check_nan_enabled()
    assert not torch.is_anomaly_enabled()


def test_warnings_as_errors_leave_the_failure():
    with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Mine):
            make_failing(leaf(1.0)).backward()


def test_exceptions_keep_their_trace():
    with pytest.raises(Mine, match="from a hook") as caught:
        make_failing(leaf(1.0)).backward()
    assert "failing" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


def test_exceptions_come_out_of_deep_passes():
    x = leaf(1.0)
    error = Mine("deep")

    def nested(depth):
        if not depth:
            raise error
        with torch.enable_grad():
            y = x * 1.0
            y.register_hook(lambda g: nested(depth - 1))
        y.backward()

    with pytest.raises(Mine) as caught:
        nested(100)
    assert caught.value is error
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert names.count("nested") == 101


def test_threads_go_backward_through_one_graph():
    class Slow(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2 * ctx.saved_tensors[0]

    x = leaf(3.0)
    y = Slow.apply(x * 1).exp()
    y.register_hook(lambda g: g * 1)
    errors = []

    def work():
        try:
            for _ in range(50):
                y.backward(retain_graph=True)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert x.grad.item() == pytest.approx(400 * 6 * y.item())


def test_inference_mode_records_nothing():
    x = leaf(1.0)
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled()
        assert not torch.is_grad_enabled()
        made = x * 2
        assert made.is_inference()
        assert not made.requires_grad
        assert not x.view(-1).is_inference()
        made.mul_(2)
        with torch.inference_mode(False):
            assert (x * 2).requires_grad
    assert not torch.is_inference_mode_enabled()
    assert torch.is_grad_enabled()
    assert not (x * 2).is_inference()


def copy_of(x: torch.Tensor) -> torch.Tensor:
    return x.detach().clone()


def test_inference_tensors_stay_out_of_graphs():
    x = leaf(1.0)
    with torch.inference_mode():
        made = torch.ones(1, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="can't be saved for backward"):
        x * made
    with pytest.raises(RuntimeError, match="can't be written to outside"):
        made.mul_(2)
    with pytest.raises(RuntimeError, match="can't be written to outside"), torch.no_grad():
        made[0:1].mul_(2)
    with pytest.raises(RuntimeError, match="can't be written to outside"):
        torch.add(copy_of(x), 1, out=made)
    with pytest.raises(RuntimeError, match="can't require a gradient"):
        made.requires_grad_()
    with pytest.raises(RuntimeError, match="keeps no version"):
        _ = made._version
    assert made[0:1].is_inference()
    assert (x + made).requires_grad
    copy = made.clone()
    assert not copy.is_inference()
    (x * copy).backward()
    assert x.grad.item() == 1.0


def test_inference_mode_decorates():
    @torch.inference_mode()
    def inside():
        return torch.is_inference_mode_enabled()

    @torch.inference_mode
    def bare():
        return torch.is_inference_mode_enabled()

    assert inside()
    assert bare()
    assert not torch.is_inference_mode_enabled()
