"""Elements as bit patterns: numbers, layouts, units in the last place."""

import math

import pytest

import cepheid as torch
from cepheid_mutants import bits


@pytest.mark.parametrize(
    ("name", "number", "pattern"),
    [
        ("float32", 1.0, 0x3F800000),
        ("float16", 1.0, 0x3C00),
        ("bfloat16", -2.0, 0xC000),
        ("int8", -1, 0xFF),
        ("uint8", 255, 0xFF),
        ("bool", True, 1),
    ],
)
def test_numbers_and_patterns(name, number, pattern):
    assert bits.encode(number, name) == pattern
    assert bits.decode(pattern, name) == number


def test_rounding_to_a_narrow_dtype():
    assert bits.round_to(1 + 2**-9, "bfloat16") == 1.0
    assert bits.round_to(1 + 3 * 2**-8, "bfloat16") == 1 + 2**-6
    assert bits.round_to(1e6, "float16") == math.inf
    assert bits.round_to(-1e300, "float32") == -math.inf
    assert math.isnan(bits.round_to(math.nan, "bfloat16"))


def test_elements_come_in_logical_order_and_go_back():
    base = torch.arange(12).reshape(3, 4)
    view = base.t()[1:3]
    assert bits.read_numbers(view) == [1, 5, 9, 2, 6, 10]
    bits.write_numbers(view, [0] * 6)
    assert bits.read_numbers(base) == [0, 0, 0, 3, 4, 0, 0, 7, 8, 0, 0, 11]
    assert base._version == 0


def test_complex_elements_are_two_parts():
    z = torch.tensor([1 + 2j, 3 - 4j])
    assert bits.read_numbers(z) == [1.0, 2.0, 3.0, -4.0]


def test_nudge_moves_by_units_in_the_last_place_and_never_to_infinity():
    one, largest = 0x3F800000, 0x7F7FFFFF
    assert bits.decode(bits.nudge(one, "float32", 4), "float32") == 1 + 4 * 2**-23
    assert bits.nudge(largest, "float32", 4) == largest
    assert bits.nudge(0x80000000, "float32", 4) == 0x80000000
    assert bits.nudge(0x7F800000, "float32", 4) == 0x7F800000
