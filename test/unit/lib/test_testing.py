"""assert_close and make_tensor."""

import math

import pytest

import cepheid as torch
from cepheid.testing import assert_close, make_tensor


def refused(actual, expected, text, **options):
    with pytest.raises(AssertionError, match=text):
        assert_close(actual, expected, **options)


def test_equal_tensors_pass_and_different_ones_fail():
    x = torch.tensor([1.0, 2.0])
    assert_close(x, torch.tensor([1.0, 2.0]))
    refused(x, torch.tensor([1.0, 2.1]), r"Mismatched elements: 1 / 2 \(50.0%\)")


def test_the_bound_is_atol_plus_rtol_times_expected():
    one = torch.tensor([100.0], dtype=torch.float64)
    assert_close(one + 1.0, one, rtol=0.0, atol=1.0)
    refused(one + 1.0001, one, "not close", rtol=0.0, atol=1.0)
    assert_close(one + 1.0, one, rtol=0.01, atol=0.0)
    refused(one + 1.01, one, "not close", rtol=0.01, atol=0.0)


@pytest.mark.parametrize(
    "dtype, inside, outside",
    [
        (torch.float16, 1.0 + 1e-3, 1.0 + 3e-3),
        (torch.bfloat16, 1.0 + 1.5e-2, 1.0 + 3.2e-2),
        (torch.float32, 1.0 + 1e-5, 1.0 + 2e-5),
        (torch.float64, 1.0 + 1.9e-7, 1.0 + 2.1e-7),
        (torch.complex64, 1.0 + 1e-5j, 1.0 + 2e-5j),
    ],
)
def test_default_tolerances_follow_the_dtype(dtype, inside, outside):
    one = torch.tensor([1.0]).to(dtype)
    assert_close(torch.tensor([inside], dtype=dtype), one)
    refused(torch.tensor([outside], dtype=dtype), one, "not close")


def test_integers_are_compared_exactly():
    big = torch.tensor([2**62])
    refused(big + 1, big, "not equal")


def test_infinity_is_close_to_itself_only():
    inf = torch.tensor([math.inf])
    assert_close(inf, inf)
    refused(torch.tensor([1.0]), inf, "not close")
    refused(-inf, inf, "not close")


def test_nan_is_equal_only_when_asked():
    nan = torch.tensor([math.nan])
    refused(nan, nan, "not close")
    assert_close(nan, nan, equal_nan=True)
    refused(torch.tensor([1.0]), nan, "not close", equal_nan=True)


def test_report_names_the_worst_element():
    with pytest.raises(AssertionError) as caught:
        assert_close(torch.tensor([[0.0, 5.0], [1.0, 1.0]]), torch.ones(2, 2))
    assert "Greatest absolute difference: 4.0 at index (0, 1)" in str(caught.value)


@pytest.mark.parametrize(
    "other, name",
    [
        (torch.ones(3), "shape"),
        (torch.ones(2, dtype=torch.float64), "dtype"),
        (torch.empty(2, device="meta"), "device"),
    ],
)
def test_attributes_are_compared_first(other, name):
    refused(torch.ones(2), other, f"'{name}'")


def test_dtype_and_stride_checks_can_be_chosen():
    assert_close(torch.ones(2), torch.ones(2, dtype=torch.float64), check_dtype=False)
    square = torch.ones(2, 2)
    assert_close(square, square.t())
    refused(square, square.t(), "strides", check_stride=True)


def test_containers_are_walked_and_the_place_is_named():
    pair = {"w": [torch.ones(1), 2.0]}
    assert_close(pair, {"w": [torch.ones(1), 2.0]})
    refused(pair, {"w": [torch.ones(1), 3.0]}, r"\['w'\]\[1\]")
    refused(pair, {"w": [torch.ones(1)]}, "lengths")
    refused(pair, {"v": [torch.ones(1), 2.0]}, "keys")


def test_what_cannot_be_compared_is_said():
    refused(torch.ones(1), "text", "can't compare Tensor with str")


def test_tolerances_come_together():
    with pytest.raises(ValueError, match="given together"):
        assert_close(1.0, 1.0, rtol=0.1)


def test_message_can_be_replaced():
    refused(1.0, 2.0, "^mine$", msg="mine")
    refused(1.0, 2.0, "^mine: Scalars", msg=lambda report: f"mine: {report}")


ALL = [torch.bool, torch.uint8, torch.int64, torch.bfloat16, torch.float64, torch.complex64]


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_make_tensor_shape_and_dtype(dtype):
    x = make_tensor(3, 4, dtype=dtype)
    assert x.shape == (3, 4) and x.dtype == dtype and x.is_contiguous()
    assert make_tensor((2, 0), dtype=dtype).shape == (2, 0)
    assert make_tensor((), dtype=dtype).shape == ()


def test_make_tensor_bounds():
    x = make_tensor(1000, dtype=torch.float32, low=2, high=3)
    assert x.amax().item() <= 3 and (x >= 2).logical_not().any().item() is False
    i = make_tensor(1000, dtype=torch.int8, low=-2, high=3)
    assert sorted(set(i.tolist())) == [-2, -1, 0, 1, 2]
    with pytest.raises(ValueError, match="low must be below high"):
        make_tensor(3, dtype=torch.float32, low=1, high=1)
    with pytest.raises(ValueError, match="low must be below high"):
        make_tensor(3, dtype=torch.uint8, low=-5, high=0)


def test_make_tensor_noncontiguous_and_without_zero():
    x = make_tensor(50, 3, dtype=torch.int64, low=-1, high=2, noncontiguous=True, exclude_zero=True)
    assert not x.is_contiguous() and set(x.reshape(-1).tolist()) == {-1, 1}


if __name__ == "__main__":
    from tools.runner import run_this_file

    run_this_file()
