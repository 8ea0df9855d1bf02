"""A Python number that an integer dtype can't hold: an error or the right answer, never a wrap."""

from collections.abc import Callable

import pytest

import cepheid as torch

U8, I8, I32 = (torch.tensor([3], dtype=t) for t in (torch.uint8, torch.int8, torch.int32))
YES = torch.tensor([True])

REFUSED: dict[str, Callable[[], object]] = {
    "clamp_max": lambda: torch.clamp(U8, max=300),
    "clamp_min": lambda: torch.clamp(U8, min=-1),
    "clamp_int32": lambda: torch.clamp(I32, 2**31),
    "where": lambda: torch.where(YES, 300, I8),
    "pow": lambda: torch.pow(I8, 2**31),
    "pow_base": lambda: torch.pow(300, U8),
    "floor_divide": lambda: I8 // 300,
    "floor_divide_negative": lambda: I8 // -(2**31),
    "trunc": lambda: torch.div(I8, 300, rounding_mode="trunc"),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_a_number_out_of_range_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(RuntimeError, match=r"300|-1|2147483648"):
        call()
    assert (U8.item(), I8.item(), I32.item()) == (3, 3, 3)


def test_comparisons_give_the_mathematical_answer() -> None:
    assert (U8 < 300).item() and not (U8 == 259).item() and (I8 > -(2**62)).item()


def test_numbers_in_range_and_floats_pass() -> None:
    assert torch.clamp(U8, 4, 255).tolist() == [4]
    assert torch.clamp(U8, max=300.0).tolist() == [3.0]
    assert (I8 // -128).tolist() == [-1]


def test_nothing_is_divided_in_an_empty_tensor() -> None:
    assert (torch.zeros(0, dtype=torch.int64) // 0).shape == (0,)


def test_a_refused_output_keeps_its_size() -> None:
    out = torch.zeros(1, dtype=torch.float64)
    with pytest.raises(RuntimeError):
        torch.neg(torch.zeros(9, device="meta"), out=out)
    assert out.shape == (1,)


if __name__ == "__main__":
    from tools.runner import run_this_file

    run_this_file()
