"""functional_call and stack_module_state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import cepheid as torch
from cepheid import nn
from cepheid.func import functional_call, grad, stack_module_state, vmap
from tools.runner import run_this_file

ONES = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}


def test_other_tensors_in_the_place_of_parameters() -> None:
    linear = nn.Linear(2, 1)
    before = dict(linear.named_parameters())
    assert functional_call(linear, ONES, (torch.ones(2),)).tolist() == [2]
    assert functional_call(linear, ONES, torch.ones(2)).tolist() == [2]
    parts = ({"weight": torch.ones(1, 2)}, {"bias": torch.ones(1)})
    assert functional_call(linear, parts, (), {"input": torch.ones(2)}).tolist() == [3]
    partly = functional_call(linear, {"weight": torch.zeros(1, 2)}, torch.ones(2))
    assert partly.tolist() == linear.bias.tolist()
    assert all(dict(linear.named_parameters())[name] is t for name, t in before.items())
    with pytest.raises(RuntimeError):
        functional_call(linear, ONES, torch.ones(5))
    assert linear.weight is before["weight"]


def test_tied_weights() -> None:
    pair = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    pair[1].weight = pair[0].weight
    other = {"0.weight": torch.eye(2) * 3}
    assert functional_call(pair, other, torch.ones(2)).tolist() == [9, 9]
    free = functional_call(pair, other, torch.ones(2), tie_weights=False)
    assert (free - 3 * pair[0].weight.sum(1)).abs().max() < 1e-6
    with pytest.raises(ValueError, match="one tensor of the module"):
        functional_call(pair, {**other, "1.weight": torch.eye(2)}, torch.ones(2))


def test_gradients_of_each_sample_and_ensembles() -> None:
    models = [nn.Linear(2, 1) for _ in range(3)]
    parameters, buffers = stack_module_state(models)
    assert parameters["weight"].shape == (3, 1, 2)
    assert parameters["weight"].is_leaf
    assert parameters["weight"].requires_grad
    assert not buffers
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    made = vmap(lambda p: functional_call(models[0], p, x))(parameters)
    for row, model in zip(made, models, strict=True):
        assert (row - model(x)).abs().max() < 1e-6
    own = {name: p.detach() for name, p in models[0].named_parameters()}

    def loss(p: Any, sample: Any) -> Any:
        return functional_call(models[0], p, sample).sum()

    each = vmap(grad(loss), in_dims=(None, 0))(own, x)
    assert each["weight"].tolist() == [[[1, 2]], [[3, 4]]]
    assert each["bias"].tolist() == [[1], [1]]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda m: functional_call(m, {"bias": X}, X, strict=True), RuntimeError, "missing"),
        (lambda m: functional_call(m, {**ONES, "a": X}, X, strict=True), RuntimeError, "unexpect"),
        (lambda m: functional_call(m, (ONES, ONES), X), ValueError, "multiple dictionaries"),
        (lambda m: functional_call(m, 3, X), ValueError, "expected parameter_and_buffer_dicts"),
        (lambda m: stack_module_state([]), RuntimeError, "at least one model"),
        (lambda m: stack_module_state([m, nn.ReLU()]), RuntimeError, "same class"),
        (lambda m: stack_module_state([m, nn.Linear(2, 1).eval()]), RuntimeError, "eval mode"),
    ],
)
def test_refusals(call: Callable[[Any], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(nn.Linear(2, 1))


X = torch.ones(2)

if __name__ == "__main__":
    run_this_file()
