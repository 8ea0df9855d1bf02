"""The page of largest errors: what is measured, and when it fails."""

import re
from pathlib import Path

import numpy as np
import pytest

from cepheid_conformance.cells import Cell
from cepheid_conformance.expected import ULP
from cepheid_conformance.op_spec import load_specs
from cepheid_conformance.ulp_table import Row, expected_at, inputs, page

PAGE = Path(__file__).parents[3] / "docs" / "accuracy.md"


def test_an_error_above_the_peers_is_named():
    row = Row("exp", {"float16": 0.5, "float32": 0.9, "float64": 0.4}, {"float32": 0.6})
    assert row.above() == ["float32"]


def test_correct_rounding_is_never_above():
    assert Row("sqrt", {"float32": 0.5}, {"float32": 0.4}).above() == []


def test_an_op_that_the_peer_lacks_is_not_compared():
    row = Row("exp", {"float32": 3.0}, {"float32": None})
    assert row.above() == []
    assert "3.000 / -" in page([row], ("ours", "theirs"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_widths_are_measured_at_every_value(dtype):
    ((values, by_mpmath),) = inputs("exp", dtype, 1, 10)
    assert values.size == 1 << 16 and not by_mpmath


def test_wide_dtypes_are_measured_at_patterns_and_hard_points():
    kinds = [(values.dtype, by_mpmath) for values, by_mpmath in inputs("exp", "float32", 2, 500)]
    assert kinds == [(np.float32, False), (np.float32, False), (np.float32, True)]
    ((values, by_mpmath),) = inputs("exp", "float64", 2, 500)
    assert values.dtype == np.float64 and by_mpmath


def test_hard_points_of_float32_have_the_value_of_the_rounded_point():
    cell = Cell(load_specs()["exp"], "accuracy", "float32", "cpu")
    expected = expected_at(cell, np.array([1.0, -2.5], np.float32), by_mpmath=True)
    assert expected.dtype == "float32" and expected.rung == ULP
    assert np.allclose(np.asarray(expected.value, float), np.exp([1.0, -2.5]), rtol=1e-15)

def test_no_error_of_the_page_is_above_the_peers():
    """The page is made by hand, now and then: what it says of an op must hold when it is made."""
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) >= 25
    for op, cells in rows:
        pairs = [cell.split(" / ") for cell in cells.split("|") if " / " in cell]
        assert len(pairs) >= 3, op
        for ours, peers in pairs:
            assert float(ours) <= max(float(peers), 0.5), f"{op}: {ours} above {peers}"
