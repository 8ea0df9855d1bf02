"""The committed figures of the drill are of today's faults and labels, and good enough."""

import json

from tools.drill import faults, labelled
from tools.drill.__main__ import FILE, LABELLED_FILE
from tools.runner import run_this_file


def test_committed_drill_is_of_these_faults_and_all_right() -> None:
    drill = json.loads(FILE.read_text())
    assert drill["repeats"] == 5
    assert {kind: row["expected"] for kind, row in drill["faults"].items()} == faults.FAULTS
    assert all(row["right"] == drill["repeats"] for row in drill["faults"].values())
    assert drill["lost"] == [] and drill["late"] == []
    assert len(drill["faults"]) >= 20 and drill["date"] and drill["source_hash"]


def test_committed_figure_is_of_the_whole_set_and_good_enough() -> None:
    table = json.loads(LABELLED_FILE.read_text())
    files = labelled.generate(labelled.COUNT, labelled.SEED)
    labels = [test.label for tests in files for test in tests]
    assert table["tests"] == len(labels) >= 200
    assert {name: row["tests"] for name, row in table["by_label"].items()} == {
        label: labels.count(label) for label in sorted(set(labels))
    }
    assert table["right"] / table["tests"] >= labelled.GOAL


if __name__ == "__main__":
    run_this_file()
