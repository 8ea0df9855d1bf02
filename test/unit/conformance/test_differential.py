"""Three ways: who differs is named by the rule, and shown on a small input."""

import io
import json
from collections import Counter

import pytest

from cepheid_conformance import differential
from cepheid_conformance.cells import Cell, Drawing
from cepheid_conformance.differential import Sides, Tally, classify, compare_cell, report


@pytest.mark.parametrize(
    ("ours", "peer", "same", "who"),
    [
        (True, True, True, None),
        (True, True, False, "unspecified"),
        (False, True, False, "ours"),
        (True, False, False, "peer"),
        (False, False, True, "oracle"),
        (False, False, False, "all"),
    ],
)
def test_the_rule(ours, peer, same, who):
    assert classify(ours, peer, same) == who


@pytest.mark.parametrize(
    ("ours", "peer", "who"),
    [
        ("", "", set()),
        ("wrong formula", "", {"ours"}),
        ("", "wrong formula", {"peer"}),
        ("wrong formula", "wrong formula", {"oracle"}),
        ("wrong formula", "float64 result", {"all"}),
        ("odd strides", "", {"unspecified"}),
    ],
)
def test_who_differs(ours, peer, who, specs, fake_bench):
    cell = Cell(specs["add"], "differential", "float32", "cpu")
    found = compare_cell(cell, Sides(fake_bench(ours), fake_bench(peer)), Drawing(0, 8))
    assert {item.who for item in found} >= who
    assert bool(found) == bool(who)
    assert all("import torch" in item.snippet for item in found)


def test_a_drawn_disagreement_is_shrunk(specs, fake_bench, monkeypatch):
    monkeypatch.setattr(differential, "fixed_calls", lambda spec, dtype: [])
    cell = Cell(specs["add"], "differential", "float32", "cpu")
    (found, *_) = compare_cell(cell, Sides(fake_bench("wrong formula"), fake_bench()), Drawing())
    assert found.input in {"self float32[1], other float32[1]", "self float32[], other float32[1]"}


def test_text_and_json_hold_every_disagreement(specs, fake_bench, tmp_path):
    cell = Cell(specs["add"], "differential", "float32", "cpu")
    drawn = Counter()
    sides = Sides(fake_bench("wrong formula"), fake_bench())
    found = compare_cell(cell, sides, Drawing(0, 4), drawn)
    stream = io.StringIO()
    tally = Tally(1, drawn, found)
    report(tally, stream)
    assert "1 ops: 4 drawn calls, of each 4 or more" in stream.getvalue()
    assert stream.getvalue().count("differs: ours") == len(found)
    assert f"1 cells: {len(found)} ours" in stream.getvalue()
    options = differential._parse(["--json", str(tmp_path / "found.json")])
    differential._write(options.json, options, tally)
    content = json.loads(options.json.read_text())
    assert [item["who"] for item in content["disagreements"]] == ["ours"] * len(found)
