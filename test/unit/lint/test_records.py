"""Stale records are named with their dates."""

import json

from tools.lint import records
from tools.lint.main import ROOT
from tools.runner import run_this_file


def test_only_records_of_other_sources_are_named(tmp_path):
    for name, value in (("new.json", "now"), ("old.json", "then")):
        content = {"source_hash": value, "date": "2026-11-30"}
        (tmp_path / name).write_text(json.dumps(content))
    files = ("new.json", "old.json")
    (line,) = records.stale(tmp_path, files, lambda: "now")
    assert line == "measured on other sources: old.json of 2026-11-30"
    assert not list(records.stale(tmp_path, files[:1], lambda: "now"))


def test_the_records_of_the_tree_can_be_compared():
    assert not [line for line in records.lines(ROOT) if "not compared" in line]


if __name__ == "__main__":
    run_this_file()
