"""Faults show as they say, class by class, and an error of their own is not taken for a kill."""

import math

import pytest

import cepheid as torch
import cepheid_mutants
from cepheid_mutants.calls import BrokenMutant


def values(tensor):
    return [item.item() for item in tensor.reshape(-1)]


def test_a_strided_input_is_read_by_memory(mutated):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]]).t()
    with mutated("neg/layout/strides_ignored"):
        assert values(torch.neg(x)) == [-1.0, -2.0, -3.0, -4.0]
        assert values(torch.neg(x.contiguous())) == [-1.0, -3.0, -2.0, -4.0]


def test_results_share_one_buffer(mutated):
    with mutated("add.Tensor/state/shared_buffer"):
        first = torch.add(torch.zeros(2), 1)
        torch.add(torch.zeros(2), 2)
    assert values(first) == [2.0, 2.0]


def test_an_in_place_op_does_nothing(mutated):
    x = torch.zeros(2)
    with mutated("add.Tensor/alias/in_place_nothing"):
        assert x.add_(1) is x
    assert values(x) == [0.0, 0.0]


def test_a_version_counter_stays(mutated):
    x = torch.zeros(2)
    before = x._version
    with mutated("add.Tensor/alias/version_kept"):
        x.add_(1)
    assert values(x) == [1.0, 1.0]
    assert x._version == before


def test_a_tail_is_not_written(mutated):
    with mutated("exp/size/tail_8_zero"):
        assert values(torch.exp(torch.zeros(11))) == [1.0] * 8 + [0.0] * 3


def test_nan_becomes_zero_and_nothing_else_does(mutated):
    x = torch.tensor([math.nan, math.inf, -1.0])
    with mutated("neg/special/nan_to_zero"):
        assert values(torch.neg(x)) == [0.0, -math.inf, 1.0]


def test_a_refusal_comes_late(mutated):
    x = torch.ones(3)
    with mutated("add.Tensor/error/late"), pytest.raises(RuntimeError, match="broadcast"):
        torch.add(x, torch.ones(4))
    assert values(x)[0] != 1.0


def test_a_real_bug_takes_the_wrong_side_of_the_cut(mutated):
    z = torch.tensor([complex(-4.0, -0.0)])
    with mutated("sqrt/complex/jax-39110"):
        assert torch.sqrt(z).item().imag == 2.0
    assert torch.sqrt(z).item().imag == -2.0


def test_a_fault_that_fails_itself_is_told(schemas, monkeypatch):
    installer = cepheid_mutants.activate(torch, "exp/value/zeros", schemas)
    monkeypatch.setattr(installer, "fault", lambda call: 1 // 0)
    try:
        with pytest.raises(BrokenMutant, match="exp: the fault itself failed"):
            torch.exp(torch.zeros(1))
    finally:
        installer.remove()
