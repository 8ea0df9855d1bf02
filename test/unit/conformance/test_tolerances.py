"""Budgets only shrink."""

import tomllib
from pathlib import Path

from cepheid_conformance import tolerances

AGREED = tomllib.loads(Path(__file__).with_name("tolerances_ratchet.toml").read_text())


def test_defaults_only_shrink():
    table = tolerances.load()
    assert table.default <= AGREED["default"]
    for dtype, budget in table.by_dtype.items():
        assert budget <= AGREED["dtype"][dtype], dtype


def test_entries_only_shrink():
    for entry in tolerances.load().entries:
        for op in entry["op"].split():
            for dtype in entry["dtypes"]:
                assert entry["ulp"] <= AGREED["op"][op][dtype], f"{op} in {dtype}"


def test_a_budget_that_is_taken_out_of_the_table_is_not_a_looser_one():
    table = tolerances.load()
    for dtype, budget in AGREED["dtype"].items():
        assert table.ulp("an op without an entry", dtype, "cpu") <= budget, dtype
    for op, budgets in AGREED["op"].items():
        for dtype, budget in budgets.items():
            assert table.ulp(op, dtype, "cpu") <= budget, f"{op} in {dtype}"


def test_no_entry_speaks_of_one_device_more_loosely():
    for entry in tolerances.load().entries:
        assert "device" not in entry, "agree on budgets by device in the ratchet first"


def test_the_most_specific_entry_holds():
    table = tolerances.load()
    assert table.ulp("exp", "float32", "cpu") == 0.5
    assert table.ulp("pow.Tensor_Tensor", "float32", "cpu") == table.default
    assert table.ulp("exp", "bfloat16", "cpu") == table.by_dtype["bfloat16"]
    assert table.ulp("tanh", "complex64", "cpu") == 8.0


def test_an_override_only_loosens():
    table = tolerances.load().with_overrides(({"op": "exp sqrt", "ulp": 0.25},))
    assert table.ulp("exp", "float32", "cpu") == 0.5
    assert table.looser("sqrt", "float32", "cpu") == 0.25
    assert table.looser("log", "float32", "cpu") == 0.0
