"""What a page holds: all cells and tests in little room, and text that can't become markup."""

import itertools
import json
from pathlib import Path

import pytest

from tools.runner.cells import VERDICTS, Cell, CellTable
from tools.runner.events import Attempt, Outcome, TestFinished
from tools.runner.report import columns, mutation
from tools.runner.report.grid import ORDER, grids, runs, shared_prefixes, verdict_kinds
from tools.runner.report.html import script_json

SNIPPET = "import torch\nprint(torch.add(1, 2))"


def test_each_cell_keeps_its_verdict_reason_and_test() -> None:
    table = CellTable()
    wanted = {}
    axes = (("add", "mul"), ("dtype", "values"), ("bool", "float32"), ("cpu",))
    verdicts = itertools.cycle(VERDICTS)
    for place, key in enumerate(itertools.product(*axes)):
        if place != 5:
            table.cells[(*key, "cepheid")] = Cell(next(verdicts), f"why {place % 3}", f"t{place}")
            wanted[place] = table.cells[(*key, "cepheid")]
    numbers = {f"t{place}": place for place in range(8)}
    found = grids(table, numbers)
    (grid,) = found["grids"]
    reasons, tests = _expand(grid["reasons"]), _expand(grid["tests"])
    assert len(grid["verdicts"]) == len(reasons) == len(tests) == 8
    for place in range(8):
        name = ORDER[ord(grid["verdicts"][place]) - ord("a")]
        if place == 5:
            assert (name, reasons[place], tests[place]) == ("blank", 0, 0)
            continue
        assert name == wanted[place].verdict
        assert found["reasons"][reasons[place]] == wanted[place].reason
        assert numbers[wanted[place].test] == tests[place] - 1


def _expand(packed: list[int]) -> list[int]:
    pairs = zip(packed[::2], packed[1::2], strict=True)
    return [value for value, count in pairs for _ in range(count)]


def test_runs_and_prefixes() -> None:
    assert runs([]) == []
    assert runs([3, 3, 0, 3]) == [3, 2, 0, 1, 3, 1]
    assert shared_prefixes(["a/b", "a/c", "x"]) == [0, "a/b", 2, "c", 0, "x"]


def test_every_outcome_and_verdict_has_a_look() -> None:
    assert [kind["name"] for kind in columns.outcome_kinds()] == [kind.value for kind in Outcome]
    assert [kind["name"] for kind in verdict_kinds()] == [*VERDICTS, "blank"]
    tones = {kind["name"]: kind["tone"] for kind in columns.outcome_kinds()}
    assert (tones["passed"], tones["flaky"], tones["crashed"]) == ("good", "unsteady", "bad")


def _failed(number: int, detail: str) -> TestFinished:
    attempt = Attempt(Outcome.FAILED, 0.5, detail)
    return TestFinished(f"f::t{number:04d}", Outcome.FAILED, 0.5, (attempt,))


def test_a_failure_has_its_message_snippet_and_command() -> None:
    tests = [_failed(0, f"1 ULP too many\nreproduce:\n{SNIPPET}\n")]
    details = columns.columns(tests, "torch")["details"][0]
    assert details["attempts"][0]["detail"] == "1 ULP too many"
    assert details["attempts"][0]["snippet"] == SNIPPET
    assert details["rerun"] == "python3 run_test.py f::t0000 --impl torch"


def test_only_tests_worth_a_look_have_details() -> None:
    passed = TestFinished("f::a", Outcome.PASSED, 0.1, (Attempt(Outcome.PASSED),))
    noted = TestFinished("f::b", Outcome.PASSED, 0.1, (Attempt(Outcome.PASSED),), note="see f::a")
    assert list(columns.columns([passed, noted], "cepheid")["details"]) == [1]


def test_long_texts_say_what_is_missing() -> None:
    text = "start" + "x" * 10 * columns.TEXT_LIMIT + "end"
    tests = [_failed(number, text) for number in range(columns.FULL_DETAILS + 1)]
    details = columns.columns(tests, "cepheid")["details"]
    first, last = (details[n]["attempts"][0]["detail"] for n in (0, columns.FULL_DETAILS))
    assert len(first) < columns.TEXT_LIMIT + 100 and len(last) < columns.LAST_LINES + 100
    left_out = len(text) - columns.TEXT_LIMIT
    assert f"[{left_out} characters are in events.jsonl only]" in first
    assert first.startswith("start") and first.endswith("end")


def test_text_cannot_end_the_script_element() -> None:
    hostile = "</script><script>alert(1)</script><!--"
    assert "<" not in script_json({"a": hostile})
    assert json.loads(script_json({"a": hostile})) == {"a": hostile}


def _mutant(verdict: str, **more: object) -> dict[str, object]:
    return {"id": "m", "kind": "source", "class": "M1", "verdict": verdict, "op": "add", **more}


def test_score_is_summed_by_op_class_and_check() -> None:
    mutants = [
        _mutant("killed", check="values"),
        _mutant("killed", check=None, ops=["mul", "add"]),
        _mutant("survived", ops=["mul"], **{"class": "M2"}),
        _mutant("equivalent", reason="both round alike"),
    ]
    found = mutation.summarise({"format": 1, "mutants": mutants})
    assert found["total"] == {"killed": 2, "survived": 1, "equivalent": 1}
    assert found["by"]["op"] == {
        "add": {"killed": 2, "equivalent": 1},
        "mul": {"killed": 1, "survived": 1},
    }
    assert found["by"]["class"]["M2"] == {"survived": 1}
    assert found["kills"] == {"values": 1, "(not a cell)": 1}
    assert [row["verdict"] for row in found["alive"]] == ["survived", "equivalent"]
    assert found["alive"][0]["ops"] == ["mul"] and found["alive"][1]["reason"]


def test_absent_score_is_not_measured(tmp_path: Path) -> None:
    assert mutation.read_score(tmp_path) is None
    path = tmp_path / mutation.FILE
    path.parent.mkdir(parents=True)
    path.write_text('{"format": 2, "mutants": []}')
    with pytest.raises(ValueError, match="expected format 1; got 2"):
        mutation.read_score(tmp_path)
