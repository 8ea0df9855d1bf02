"""Figures of the study, what is refused, and mutants as changes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tools.mutate.rewrite import Site
from tools.mutate.run import KILLED, SURVIVED, Result
from tools.runner import run_this_file
from tools.targets import measure, recall
from tools.targets.recall import Detection, FullRecall, problems, totals

SEEN = Detection("1", "a.cpp:f", 3, 0.1, "values:add-cpu-bool", recorded=True, unmeasured=True)
ELSE = replace(SEEN, key="2", recorded=False, unmeasured=False, share=0.2)
MISSED = replace(ELSE, key="3", by=None)
FULL = [FullRecall("1", "a.cpp:f", 10, 10, 4, 4), FullRecall("2", "a.cpp:g", 90, 20, 4, 1)]
SITE = Site("ab", 1, "value", "constant", "a.cpp", "f", 3, "1", "2", "instead")


def test_totals() -> None:
    found = totals([SEEN, ELSE, MISSED], FULL)
    assert (found["mutants"], found["detected"], found["by_recorded_killer"]) == (3, 2, 1)
    assert (found["largest_share"], found["median_share"]) == (0.2, 0.2)
    assert (found["full_failing"], found["full_selected"], found["full_whole"]) == (8, 5, 1)
    assert found["full_mean"] == 0.625


def test_bounds() -> None:
    many = [SEEN] * 990
    assert problems(totals([*many, *[MISSED] * 10], FULL)) == []
    assert "at least 99%" in problems(totals([*many, *[MISSED] * 11], FULL))[0]
    assert "at least 500 mutants" in problems(totals([SEEN] * 499, FULL))[0]
    assert "at most 25%" in problems(totals([*many, replace(SEEN, share=0.26)], FULL))[0]


def test_what_is_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "FILE", tmp_path / "recall.json")
    found = [SEEN, MISSED]
    recall.write(totals(found, FULL), found, FULL)
    data = json.loads((tmp_path / "recall.json").read_text())
    assert data["totals"]["detected"] == 1
    assert [entry["key"] for entry in data["missed"]] == ["3"]
    assert [entry["selected"] for entry in data["full"]] == [4, 1]


def test_kills_of_cells_alone_are_counted() -> None:
    killed = Result("1", KILLED, "values:add-cpu-bool", "values", "", 0.1, 1, 1, ())
    by_cpp = replace(killed, killed_by="cpp:layout_test.strides", check="cpp")
    lived = replace(killed, verdict=SURVIVED, killed_by="")
    assert measure.kills_of([killed, killed, by_cpp, lived]) == {"values": {"bool": 2}}


def test_generated_sources_stand_for_what_they_are_made_from() -> None:
    assert measure.subject_of(SITE) == ("a.cpp", "f")
    rule = replace(SITE, file="generated/rules/index.cpp", function="gather")
    assert measure.subject_of(rule) == ("csrc/ops/rules/index.py", "gather")
    (text,) = measure.change_of(rule).texts
    line = text.content.splitlines()[min(text.lines) - 1]
    assert line.strip() in text.content.partition("def gather(")[2].partition("\ndef ")[0]


if __name__ == "__main__":
    run_this_file()
