"""Gradients where there is none by definition: at kinks, ties, ends of a domain, NaN.

The documentation of autograd's mechanics gives the rule: where a function is convex the
sub-gradient of least norm, where it is defined by continuity the limit. Bounds let the gradient
pass on the bound itself. PyTorch 2.13 gives each of these values.
"""

from __future__ import annotations

import math

import pytest

import cepheid as torch
from cepheid.nn import functional
from tools.runner import run_this_file

INF, NAN = math.inf, math.nan

OF_ONE = {
    "abs": (torch.abs, [0.0], [0.0]),
    "relu": (functional.relu, [0.0], [0.0]),
    "relu6": (functional.relu6, [0.0, 6.0], [0.0, 0.0]),
    "leaky_relu": (functional.leaky_relu, [0.0], [0.01]),
    "elu": (functional.elu, [0.0], [1.0]),
    "hardtanh": (functional.hardtanh, [-1.0, 1.0], [0.0, 0.0]),
    "hardsigmoid": (functional.hardsigmoid, [-3.0, 3.0], [0.0, 0.0]),
    "softshrink": (functional.softshrink, [0.5, -0.5], [0.0, 0.0]),
    "clamp": (lambda x: x.clamp(0, 1), [0.0, 1.0, -1.0, 2.0, NAN], [1.0, 1.0, 0.0, 0.0, 0.0]),
    "clamp_min": (lambda x: x.clamp_min(0), [0.0, -1.0, NAN], [1.0, 0.0, 0.0]),
    "clamp_max": (lambda x: x.clamp_max(0), [0.0, 1.0, NAN], [1.0, 0.0, 0.0]),
    "floor": (torch.floor, [0.0, 0.5], [0.0, 0.0]),
    "frac": (torch.frac, [0.0, 1.0], [1.0, 1.0]),
    "sqrt": (torch.sqrt, [0.0], [INF]),
    "log": (torch.log, [0.0], [INF]),
    "asin": (torch.asin, [1.0, -1.0], [INF, INF]),
    "pow of 0": (lambda x: x.pow(0), [0.0], [0.0]),
    "max of all": (torch.max, [1.0, 2.0, 2.0], [0.0, 0.5, 0.5]),
    "max of a dimension": (lambda x: x.max(0)[0], [1.0, 2.0, 2.0], [0.0, 1.0, 0.0]),
    "amin": (lambda x: x.amin(0), [1.0, 1.0, 2.0], [0.5, 0.5, 0.0]),
    "cummax": (lambda x: x.cummax(0)[0], [1.0, 2.0, 2.0], [1.0, 1.0, 1.0]),
    "one zero in a product": (torch.prod, [0.0, 2.0, 3.0], [6.0, 0.0, 0.0]),
    "two zeros in a product": (torch.prod, [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
    "zeros in products": (lambda x: x.cumprod(0), [2.0, 0.0, 3.0], [1.0, 8.0, 0.0]),
    "norm of 0": (torch.linalg.vector_norm, [0.0, 0.0], [0.0, 0.0]),
    "greatest norm": (lambda x: torch.linalg.vector_norm(x, INF), [2.0, 2.0, 1.0], [0.5, 0.5, 0.0]),
    "std of equals": (torch.std, [1.0, 1.0], [0.0, 0.0]),
    "max_pool": (lambda x: functional.max_pool1d(x.view(1, 1, 2), 2), [1.0, 1.0], [1.0, 0.0]),
}

OF_TWO = {
    "maximum": (torch.maximum, [1.0], [1.0], [0.5], [0.5]),
    "fmax": (torch.fmax, [1.0, NAN], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]),
    "clamp to tensors": (
        lambda x, low: torch.clamp(x, low, torch.ones(3, dtype=torch.float64)),
        [0.5, 0.0, 3.0],
        [0.5, 1.0, 2.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
    ),
    "pow": (torch.pow, [0.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]),
    "atan2": (torch.atan2, [0.0, 0.0], [0.0, -1.0], [0.0, -1.0], [0.0, 0.0]),
    "copysign": (torch.copysign, [0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]),
    "hinge_embedding_loss": (
        lambda x, y: functional.hinge_embedding_loss(x, y.detach(), reduction="sum") + 0 * y.sum(),
        [1.0, 2.0],
        [-1.0, -1.0],
        [-1.0, 0.0],
        [0.0, 0.0],
    ),
    "margin_ranking_loss": (
        lambda x, y: functional.margin_ranking_loss(x, y, torch.ones(1, dtype=torch.float64)),
        [0.0],
        [0.0],
        [-1.0],
        [1.0],
    ),
    "l1_loss": (lambda x, y: functional.l1_loss(x, y), [1.0], [1.0], [0.0], [0.0]),
}


def numbers(values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("name", OF_ONE)
def test_of_one_operand(name):
    function, at, expected = OF_ONE[name]
    x = numbers(at)
    (made,) = torch.autograd.grad(function(x).sum(), x)
    assert made.tolist() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", OF_TWO)
def test_of_two_operands(name):
    function, first, second, of_first, of_second = OF_TWO[name]
    x, y = numbers(first), numbers(second)
    made = torch.autograd.grad(function(x, y).sum(), (x, y))
    assert made[0].tolist() == pytest.approx(of_first, rel=1e-12)
    assert made[1].tolist() == pytest.approx(of_second, rel=1e-12)


if __name__ == "__main__":
    run_this_file()
