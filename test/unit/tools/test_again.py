"""Runs that follow earlier ones: failed first, last failed, stress, record and replay."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from tools.runner import exit_codes, recording, run_this_file
from tools.runner.settings import Stress

pytestmark = pytest.mark.slow

HALF = """
import pytest
@pytest.mark.parametrize("n", range(6))
def test_n(n): assert n not in (2, 4)
"""
GOOD = "def test_good(): pass\n"
COUNTED = """
from pathlib import Path
COUNT = Path(__file__).with_name("count")
def test_count():
    count = int(COUNT.read_text()) if COUNT.exists() else 0
    COUNT.write_text(str(count + 1))
    assert count % 3
def test_good(): pass
"""
ORDER = """
import os, sys
STATE = sys.modules["os"].__dict__.setdefault("_drill", set())
def test_z(): STATE.add("z")
def test_victim(): assert "z" not in STATE
def test_seed(): assert os.environ["CEPHEID_SEED"] == "12"
"""


def begun(result: Any) -> list[str]:
    tests = [event["id"] for event in result.events if event["type"] == "TestStarted"]
    return [test.rpartition("::")[2] for test in tests]


def test_failed_tests_come_first_or_alone(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", GOOD)
    scratch.write("test/unit/test_b.py", HALF)
    scratch.run()
    first = scratch.run("--failed-first", "--jobs", "1")
    assert begun(first)[:2] == ["test_n[2]", "test_n[4]"]
    assert len(first.outcomes) == 7
    last = scratch.run("--last-failed")
    assert set(last.outcomes) == {"test_b.py::test_n[2]", "test_b.py::test_n[4]"}
    assert set(scratch.run("test_b", "--last-failed", "-k", "2").outcomes) == {
        "test_b.py::test_n[2]"
    }


def test_last_failed_without_a_failure_selects_nothing(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", HALF)
    scratch.run()
    scratch.write("test/unit/test_a.py", HALF.replace("not in (2, 4)", "< 6"))
    assert scratch.run("--last-failed").status == exit_codes.PASSED
    result = scratch.run("--last-failed")
    assert result.status == exit_codes.EMPTY_SELECTION
    assert "every test passed when it last ran" in result.text


def test_repeated_tests_keep_every_attempt(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", COUNTED)
    result = scratch.run("--repeat", "6")
    assert result.status == exit_codes.FLAKY
    flaky = result.finished["test/unit/test_a.py::test_count"]
    outcomes = [attempt["outcome"] for attempt in flaky["attempts"]]
    assert outcomes == 2 * ["failed", "passed", "passed"]
    assert flaky["note"] == "2 of 6 attempts failed"
    assert len(result.finished["test/unit/test_a.py::test_good"]["attempts"]) == 6


def test_tests_repeat_for_a_time(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", GOOD)
    result = scratch.run("--for", "3s")
    assert result.status == exit_codes.PASSED
    (end,) = result.finished.values()
    assert len(end["attempts"]) >= 2


def test_quarantined_tests_run_fifty_times(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", GOOD)
    assert "nothing is in quarantine" in scratch.run("--quarantined").text
    scratch.write(
        "ci/quarantine.toml",
        '[[test]]\npattern = "test/unit/test_a.py::test_good"\nowner = "o"\nreason = "r"\n'
        f'issue = "i"\nexpires = {datetime.datetime.now().date()}\n',
    )
    (end,) = scratch.run("--quarantined", "--repeat", "3").finished.values()
    assert len(end["attempts"]) == 3


def test_replay_runs_the_recorded_order(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", ORDER)
    scratch.write("test/unit/test_b.py", GOOD)
    first = scratch.run("--seed", "12")
    record = recording.read(first.folder)
    assert sorted(map(sorted, record.sequences)) == [
        [f"test/unit/test_a.py::test_{name}" for name in ("seed", "victim", "z")],
        ["test/unit/test_b.py::test_good"],
    ]
    assert record.environment["CEPHEID_SEED"] == "12"
    assert first.outcomes["test_a.py::test_victim"] == "order_dependent"

    record.sequences[0].reverse()
    record.sequences[1].reverse()
    text = json.loads((first.folder / recording.FILE).read_text())
    text["sequences"] = record.sequences
    (first.folder / recording.FILE).write_text(json.dumps(text))
    again = scratch.run("--replay", str(first.folder))
    assert begun(again) == [test.rpartition("::")[2] for test in record.ids]
    assert again.status == exit_codes.PASSED
    assert "replay: 1 of 4 outcomes differ from 1" in again.text
    assert "replay: test/unit/test_a.py::test_victim: order_dependent, now passed" in again.text


def test_recorded_test_that_is_gone_is_missing(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", COUNTED)
    first = scratch.run("-k", "good")
    scratch.write("test/unit/test_a.py", "def test_other(): pass\n")
    again = scratch.run("--replay", str(first.folder))
    assert again.outcomes == {"test_a.py::test_good": "missing"}


def test_folder_without_a_record_is_refused(scratch: Any, tmp_path: Path) -> None:
    result = scratch.run("--replay", str(tmp_path))
    assert result.status == exit_codes.USAGE
    assert "--replay: expected a report folder with record.json" in result.text


def test_variables_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in recording.environment():
        monkeypatch.delenv(name)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    record = recording.Record(environment={"TZ": "UTC"}, facts={"python": "2.7"})
    monkeypatch.setenv("TZ", "CET")
    lines = recording.restore(record)
    assert recording.environment() == {"TZ": "UTC"}
    assert lines[0].startswith("python: 2.7, now 3.")


@pytest.mark.parametrize(
    ("stress", "rounds", "seconds", "expected"),
    [
        (Stress(), 1, 0.0, False),
        (Stress(3), 2, 9.0, True),
        (Stress(3), 3, 0.0, False),
        (Stress(seconds=5.0), 100, 4.9, True),
        (Stress(seconds=5.0), 1, 5.1, False),
        (Stress(seconds=60.0).share(tasks=4, jobs=2), 1, 29.0, True),
        (Stress(seconds=60.0).share(tasks=4, jobs=2), 1, 31.0, False),
    ],
)
def test_rounds(stress: Stress, rounds: int, seconds: float, expected: bool) -> None:
    assert stress.goes_on(rounds, seconds) is expected


if __name__ == "__main__":
    run_this_file()
