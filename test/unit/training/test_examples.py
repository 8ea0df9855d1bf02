"""The examples give through as_torch the losses that they gave with PyTorch from the same seed."""

import json

import pytest

from examples import RECORDED, RUNS, losses_of


def largest(made, wanted):
    return max(abs(a - b) / abs(b) for a, b in zip(made, wanted, strict=True))


def bounds(made, wanted, dtype):
    """By how much the losses may differ: float32 rounds, and what it rounds grows."""
    if dtype == "float64":
        return largest(made, wanted) <= 1e-9
    return largest(made[:20], wanted[:20]) <= 1e-5 and largest(made[-1:], wanted[-1:]) <= 0.01


@pytest.mark.parametrize(("name", "dtype", "steps"), [run for run in RUNS if run[2] == 20])
def test_losses_are_those_of_pytorch(name, dtype, steps):
    wanted = json.loads(RECORDED.read_text())[f"{name} {dtype} {steps}"]
    made, shown = losses_of(name, dtype, steps, ("-m", "cepheid.as_torch"))
    assert bounds(made, wanted, dtype)
    assert "20 steps" in shown and "first loss" in shown


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dtype", "steps"), [run for run in RUNS if run[2] == 200])
def test_losses_are_those_of_pytorch_to_the_end(name, dtype, steps):
    wanted = json.loads(RECORDED.read_text())[f"{name} {dtype} {steps}"]
    made, _ = losses_of(name, dtype, steps, ("-m", "cepheid.as_torch"))
    assert bounds(made, wanted, dtype)
    assert made[-1] < made[0] * 0.7
