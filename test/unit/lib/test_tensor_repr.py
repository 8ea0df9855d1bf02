"""Printing, against texts that PyTorch 2.13 gave for the same expressions."""

from pathlib import Path

import pytest

import cepheid as torch

CASES = [
    block.strip("\n").split("\n", 2)
    for block in Path(__file__).with_name("tensor_repr_cases.txt").read_text().split("\n====\n")
    if block.strip()
]


@pytest.fixture(autouse=True)
def _usual_options():
    yield
    torch.set_printoptions(profile="default")


@pytest.mark.parametrize("title, expression, text", CASES, ids=[case[0] for case in CASES])
def test_repr(title, expression, text):
    assert repr(eval(expression.replace(">>> ", "torch."), {"torch": torch})) == text


def test_options_change_the_text():
    x = torch.tensor([1.23456, 2.0])
    torch.set_printoptions(precision=2)
    assert repr(x) == "tensor([1.23, 2.00])"
    torch.set_printoptions(sci_mode=True, precision=1)
    assert repr(x) == "tensor([1.2e+00, 2.0e+00])"


def test_threshold_and_edgeitems():
    torch.set_printoptions(threshold=5, edgeitems=1)
    assert repr(torch.arange(6)) == "tensor([0,  ..., 5])"


def test_linewidth_moves_the_suffix():
    torch.set_printoptions(linewidth=40)
    text = repr(torch.tensor([1.5], dtype=torch.float8_e5m2))
    assert text == "tensor([1.5000],\n       dtype=torch.float8_e5m2)"


def test_full_profile_prints_all():
    torch.set_printoptions(profile="full")
    assert "..." not in repr(torch.arange(2000))


def test_unknown_profile_is_refused():
    with pytest.raises(ValueError, match="profile must be one of default, short, full; got 'no'"):
        torch.set_printoptions(profile="no")


def test_options_are_readable():
    torch.set_printoptions(precision=7)
    assert torch.get_printoptions()["precision"] == 7


def test_subclass_prints_its_name():
    class Marked(torch.Tensor):
        pass

    assert repr(torch.tensor([1.0]).as_subclass(Marked)) == "Marked([1.])"


def test_wrapper_without_values_prints_what_is_known():
    class Wrapper(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            raise AssertionError("printing must not compute")

    wrapper = torch.Tensor._make_wrapper_subclass(Wrapper, (2, 3), dtype=torch.float64)
    assert repr(wrapper) == "Wrapper(..., size=(2, 3), dtype=torch.float64)"


def test_format_of_a_number_and_of_a_tensor():
    assert f"{torch.tensor(2.5):.2f}" == "2.50"
    assert f"{torch.tensor([2.5])}" == "tensor([2.5000])"
    with pytest.raises(TypeError):
        format(torch.tensor([2.5]), ".2f")


if __name__ == "__main__":
    from tools.runner import run_this_file

    run_this_file()
