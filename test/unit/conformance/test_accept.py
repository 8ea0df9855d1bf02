"""The accept rule: its order, and each of its comparisons at the edge."""

import numpy as np
import pytest

from cepheid_conformance.accept import compare_structure, compare_values
from cepheid_conformance.expected import (
    exact,
    rounded,
    undetermined,
    within_bound,
    within_ulp,
)
from cepheid_conformance.facts import Result


def result(**changes):
    fields = {
        "kind": "tensor",
        "type": "Tensor",
        "dtype": "float32",
        "shape": [2, 3],
        "strides": [3, 1],
        "offset": 0,
        "device": "cpu",
    }
    return Result("tensor", fields | changes)


WANTED = exact("float32", np.zeros((2, 3)), strides=(3, 1), offset=0)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"type": "Subclass", "dtype": "float64"}, "type"),
        ({"dtype": "float64", "shape": [6]}, "dtype"),
        ({"shape": [3, 2], "device": "meta"}, "shape"),
        ({"device": "meta", "strides": [1, 2]}, "device"),
        ({"strides": [1, 2], "offset": 4}, "strides"),
        ({"offset": 4}, "storage offset"),
    ],
)
def test_structure_is_checked_in_order(changes, what):
    assert compare_structure(WANTED, result()) is None
    found = compare_structure(WANTED, result(**changes))
    assert found is not None
    assert found.what == what


def test_strides_of_sizes_one_and_of_empty_tensors_are_free():
    wanted = exact("float32", np.zeros((1, 3)), strides=(3, 1))
    assert compare_structure(wanted, result(shape=[1, 3], strides=[77, 1])) is None
    empty = exact("float32", np.zeros((0, 3)), strides=(3, 1), offset=5)
    assert compare_structure(empty, result(shape=[0, 3], strides=[1, 1])) is None


def values(wanted, got, budget=0.0):
    found = compare_values(wanted, np.asarray(got), budget)
    return None if found is None else found.what


def f32(*numbers):
    return np.array(numbers, np.float32)


def test_nan_comes_before_infinity_before_zero_before_value():
    wanted = rounded("float32", np.array([np.nan, np.inf, 0.0, 1.0]))
    assert values(wanted, f32(np.nan, np.inf, 0.0, 1.0)) is None
    assert values(wanted, f32(1, -np.inf, -0.0, 2)) == "NaN positions"
    assert values(wanted, f32(np.nan, -np.inf, -0.0, 2)) == "infinities"
    assert values(wanted, f32(np.nan, np.inf, -0.0, 2)) == "signs of zero"
    assert values(wanted, f32(np.nan, np.inf, 0.0, 2)) == "values"


def test_correct_rounding_allows_nothing():
    wanted = rounded("float32", np.array([1 / 3]))
    right = np.float32(1 / 3)
    assert values(wanted, f32(right)) is None
    assert values(wanted, f32(np.nextafter(right, np.float32(1)))) == "values"


@pytest.mark.parametrize(
    ("steps", "budget", "accepted"),
    [(0, 0, True), (1, 0, False), (1, 1, True), (2, 1, False), (2, 2, True)],
)
def test_the_ulp_budget_is_k_and_a_half(steps, budget, accepted):
    exact_value = np.float64(np.float32(1.3))
    got = np.float32(1.3)
    for _ in range(steps):
        got = np.nextafter(got, np.float32(2))
    wanted = within_ulp("float32", np.array([exact_value]))
    assert (values(wanted, f32(got), budget) is None) is accepted


def test_the_ulp_has_a_floor_of_one_subnormal_step():
    wanted = within_ulp("float32", np.array([1e-50]))
    assert values(wanted, f32(0.0)) is None
    assert values(wanted, f32(1.4e-45), budget=1) is None
    assert values(wanted, f32(4.2e-45), budget=1) == "values"


def test_zeros_do_not_pass_for_small_values():
    """An absolute tolerance would let them: softmax of a long row, nextafter of 1."""
    wanted = within_ulp("float32", np.array([1e-12]))
    assert values(wanted, f32(0.0), budget=2) == "values"


def test_a_bound_follows_the_condition():
    wanted = within_bound("float32", np.array([1.0]), np.array([1e-3]))
    assert values(wanted, f32(1.0009)) is None
    assert values(wanted, f32(1.002)) == "values"
    assert values(within_bound("float32", np.array([0.0]), 0.0), f32(-0.0)) is None


def test_overflow_within_the_budget_may_go_either_way():
    top = float(np.finfo(np.float32).max)
    wanted = within_ulp("float32", np.array([top * (1 - 1e-8)]))
    assert values(wanted, f32(np.inf), budget=2) is None
    assert values(wanted, f32(-np.inf), budget=2) == "infinities"
    assert values(rounded("float32", np.array([top])), f32(np.inf)) == "infinities"


def test_complex_parts_are_measured_by_the_larger():
    wanted = within_ulp("complex64", np.array([1e4 + 1e-4j]))
    assert values(wanted, np.array([1e4 + 2e-4j], np.complex64), budget=1) is None
    assert values(wanted, np.array([1e4 + 1e-2j], np.complex64), budget=1) == "imag values"
    assert values(wanted, np.array([1e4 + 1j * np.nan], np.complex64)) == "NaN positions"


def test_integers_and_bools_are_exact():
    assert values(exact("int64", [2**53 + 1]), np.array([2**53 + 1])) is None
    assert values(exact("int64", [2**53 + 1]), np.array([2**53])) == "values"
    assert values(exact("bool", [True]), np.array([False])) == "values"


def test_undetermined_values_pass():
    assert values(undetermined("float32", (2,)), f32(np.nan, 3)) is None


def test_the_message_names_place_count_and_both_values():
    found = compare_values(exact("int32", [[1, 2], [3, 4]]), np.array([[1, 2], [9, 9]]))
    assert "[1, 0]" in str(found)
    assert "2 of 4" in str(found)
    assert "3" in found.expected
    assert "9" in found.got
