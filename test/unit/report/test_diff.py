"""The diff of two runs: each kind of change is found once, and nothing else is."""

import json
from pathlib import Path

import pytest

from tools.runner import exit_codes
from tools.runner.events import Attempt, Outcome, RunFinished, RunStarted, TestFinished
from tools.runner.report import diff

Rows = dict[str, tuple[Outcome, float]]
GOOD = (Outcome.PASSED, 1.0)


def _write(folder: Path, rows: Rows, cell: str = "pass") -> Path:
    folder.mkdir()
    (folder / "static_cells").mkdir()
    key = {"op": "add", "check": "values", "dtype": "int8", "device": "cpu", "impl": "cepheid"}
    (folder / "static_cells" / "a.jsonl").write_text(json.dumps({**key, "verdict": cell}))
    tests = [
        TestFinished(name, outcome, seconds, (Attempt(outcome, seconds, f"{name} says"),))
        for name, (outcome, seconds) in rows.items()
    ]
    end = RunFinished({}, len(rows), 0, 0, 1.0, 0, "every planned test passed")
    events = [RunStarted(folder.name, "cepheid", "run_test.py", str(folder)), *tests, end]
    lines = [json.dumps({**event.to_json(), "t": 1.0}) for event in events]
    (folder / "events.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def _names(changes: list[diff.Change]) -> list[str]:
    return [change.name for change in changes]


def test_every_kind_of_change(tmp_path: Path) -> None:
    before = {
        "f::broken": GOOD,
        "f::repaired": (Outcome.CRASHED, 1.0),
        "f::worse": (Outcome.FAILED, 1.0),
        "f::slow": GOOD,
        "f::quick": (Outcome.PASSED, 9.0),
        "f::same": GOOD,
        "f::old": GOOD,
    }
    after = {
        **before,
        "f::broken": (Outcome.TIMEOUT, 1.0),
        "f::repaired": GOOD,
        "f::worse": (Outcome.FLAKY, 1.0),
        "f::slow": (Outcome.PASSED, 3.0),
        "f::quick": GOOD,
        "f::new": GOOD,
        "f::new_bad": (Outcome.FAILED, 1.0),
    }
    del after["f::old"]
    runs = [_write(tmp_path / "a", before), _write(tmp_path / "b", after, "unsupported")]
    found = diff.compare(*map(diff.read_run, runs))
    assert _names(found.failures) == ["f::broken", "f::new_bad"]
    assert found.failures[0].detail == "f::broken says"
    assert _names(found.fixed) == ["f::repaired"]
    assert _names(found.otherwise) == ["f::worse"]
    assert _names(found.slower) == ["f::slow"] and _names(found.faster) == ["f::quick"]
    assert _names(found.new) == ["f::new", "f::new_bad"] and _names(found.removed) == ["f::old"]
    assert found.verdicts == [diff.Change("add / values / int8 / cpu", "pass", "unsupported")]


def test_text_page_and_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = _write(tmp_path / "a", {"f::a": GOOD, "f::b": GOOD})
    after = _write(tmp_path / "b", {"f::a": GOOD, "f::b": (Outcome.FAILED, 1.0)})
    assert diff.main([str(before), str(before)]) == exit_codes.PASSED
    assert "new failures: 0; fixed: 0" in capsys.readouterr().out
    assert diff.main([str(before), str(after)]) == exit_codes.FAILED
    text = capsys.readouterr().out
    assert "New failures: 1\n  f::b: passed -> failed\n" in text
    assert "f::b says" in (after / diff.PAGE_FILE).read_text()


def test_an_unfinished_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, part = _write(tmp_path / "a", {"f::a": GOOD}), _write(tmp_path / "b", {"f::a": GOOD})
    lines = (part / "events.jsonl").read_text().splitlines()
    (part / "events.jsonl").write_text("\n".join(lines[:-1]))
    assert diff.main([str(whole), str(part)]) == exit_codes.USAGE
    assert "expected a finished run" in capsys.readouterr().err
    assert diff.main([str(whole), str(tmp_path / "none")]) == exit_codes.USAGE
