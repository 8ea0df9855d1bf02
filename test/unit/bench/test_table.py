"""The table and the page of a run, from made-up results."""

import pytest

from tools.bench import report
from tools.bench.table import Table, geometric_mean, quantity
from tools.runner import run_this_file


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(1.5, "s", "1.5 s"), (2.5e-5, "s", "25 us"), (3e-10, "s", "0.3 ns"), (2.5e6, "B", "2.5 MB")],
)
def test_quantity(value, unit, text):
    assert quantity(value, unit) == text


def test_geometric_mean():
    assert geometric_mean([2.0, None, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([None]) is None


def results(mine):
    return {"torch": {"run": [4e-6, 2e-6, 3e-6], "facts": {"calls": 1}}, "cepheid": mine}


@pytest.fixture
def table():
    made = Table(["torch", "cepheid"], {"call": 1e-7}, "median")
    made.add("overhead/add", results({"run": [1.5e-6], "facts": {"calls": 1}}))
    made.add("overhead/sum", results({"error": "unsupported: no", "kind": "unsupported"}))
    return made


def test_ratios_are_of_medians_and_failures_are_counted(table, capsys):
    entry = table.summary()["overhead"]
    assert entry["ratio"]["cepheid"] == pytest.approx(0.5)
    assert entry["failed"]["cepheid"] == [1, 0, 0]
    assert table.rows[0]["impls"]["torch"]["of_limit"] == pytest.approx(1 / 30)


def test_the_page_names_the_machine_and_no_path(table):
    machine = {
        "processor": "Abacus 9",
        "processors": "2",
        "memory": "24 GiB",
        "system": "Linux",
        "python": "3.12.1",
        "date": "2026-01-02",
    }
    run = {
        "machine": machine,
        "impls": {"torch": {"version": "2"}, "cepheid": {"version": "0.1"}},
        "rows": table.rows,
        "summary": table.summary(),
        "threads": 2,
        "quick": True,
        "stat": "median",
        "load": [0.1, 0.2],
    }
    text = "\n".join(report.page(run))
    assert "Abacus 9, 2 processors" in text
    assert "| overhead | 2 | 0.500 | 1 |" in text
    assert "| overhead/add | 3 us | 1.5 us | 0.500 |" in text
    assert "overhead/sum" not in text
    assert all(len(line) <= 100 for line in text.splitlines())


if __name__ == "__main__":
    run_this_file()
