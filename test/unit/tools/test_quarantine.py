"""Quarantine: tolerated failures have an owner and an end, and name a test that exists."""

import datetime
from pathlib import Path
from typing import Any

import pytest

from tools.runner import exit_codes, quarantine, run_this_file
from tools.runner.events import Attempt, Outcome, TestFinished

TODAY = datetime.date(2026, 12, 1)
SCRATCH_TEST = "def test_good(): pass\ndef test_bad(): assert False\n"


def table(pattern: str, expires: datetime.date | str, /, **changes: str) -> str:
    texts = {"pattern": pattern, "owner": "o", "reason": "r", "issue": "#1", **changes}
    lines = [f'{name} = "{text}"' for name, text in texts.items()]
    return "\n".join(["[[test]]", *lines, f"expires = {expires}", ""])


def loaded(folder: Path, *tables: str) -> quarantine.Quarantine:
    path = folder / "quarantine.toml"
    path.write_text("\n".join(tables))
    return quarantine.load(path, ["test/conformance/**"], TODAY)


@pytest.mark.parametrize(
    ("pattern", "test", "expected"),
    [
        ("test/a.py::test_b", "test/a.py::test_b", True),
        ("test/a.py::test_b", "test/a.py::test_bc", False),
        ("test/a.py::test_b*", "test/a.py::test_b[x/y]", True),
        ("test/a.py::test_b[1]", "test/a.py::test_b[1]", True),
        ("test/a.py", "test/a.py::test_b", True),
        ("test/**", "test/u/a.py::test_b", True),
        ("test/a.py", "test/b.py::test_b", False),
    ],
)
def test_patterns(tmp_path: Path, pattern: str, test: str, expected: bool) -> None:
    found = loaded(tmp_path, table(pattern, TODAY))
    assert (found.entry(test) is not None) is expected


def test_longer_than_two_weeks_is_refused(tmp_path: Path) -> None:
    day = TODAY + datetime.timedelta(days=14)
    assert len(loaded(tmp_path, table("test/a.py", day)).entries) == 1
    with pytest.raises(ValueError, match="expected an expiry within 14 days"):
        loaded(tmp_path, table("test/a.py", day + datetime.timedelta(days=1)))


@pytest.mark.parametrize("missing", ["pattern", "owner", "reason", "issue"])
def test_each_field_is_needed(tmp_path: Path, missing: str) -> None:
    with pytest.raises(ValueError, match=r"expected a \[\[test\]\] with pattern, owner"):
        loaded(tmp_path, table("test/a.py", TODAY, **{missing: ""}))


@pytest.mark.parametrize("text", ["[[tests]]", "[test]", "[[test]", 'tests = "all"'])
def test_tables_that_would_be_overlooked_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"quarantine\.toml: "):
        loaded(tmp_path, text)


def test_cells_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected no cell"):
        loaded(tmp_path, table("test/conformance/ops/test_values.py", TODAY))


def test_expired_entry_is_a_problem_and_tolerates_nothing(tmp_path: Path) -> None:
    found = loaded(tmp_path, table("test/a.py", TODAY - datetime.timedelta(days=1)))
    assert found.entries == ()
    assert found.problems(tmp_path, [], []) == ("test/a.py: expired on 2026-11-30",)


def test_unmatched_entry_is_a_problem_where_it_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "a.py").touch()
    found = loaded(tmp_path, table("test/a.py::test_x", TODAY), table("test/gone.py", TODAY))
    gone = "test/gone.py: names no test"
    assert found.problems(tmp_path, [], ["test/b.py::t"]) == (gone,)
    assert found.problems(tmp_path, ["test/a.py"], ["test/a.py::test_x"]) == (gone,)
    assert found.problems(tmp_path, ["test/a.py"], ["test/a.py::test_y"]) == (
        "test/a.py::test_x: names no test",
        gone,
    )


def test_lost_tests_are_not_tolerated(tmp_path: Path) -> None:
    found = loaded(tmp_path, table("test/a.py", TODAY))
    for outcome in Outcome:
        event = TestFinished("test/a.py::t", outcome, 0.0, (Attempt(outcome),))
        good = {Outcome.PASSED, Outcome.SKIPPED, Outcome.XFAILED}
        expected = outcome not in good | {Outcome.MISSING, Outcome.NOT_RUN}
        assert bool(found.mark(event).quarantined) is expected


def test_committed_file_is_in_order() -> None:
    root = Path(__file__).parents[3]
    today = datetime.datetime.now().date()
    quarantine.load(root / quarantine.FILE, ["test/conformance/**"], today)


@pytest.mark.slow
def test_failure_in_quarantine_does_not_fail_the_run(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", SCRATCH_TEST)
    today = datetime.datetime.now().date()
    scratch.write("ci/quarantine.toml", table("test/unit/test_a.py::test_b*", today))
    result = scratch.run()
    assert result.status == exit_codes.PASSED
    assert result.last_line == "1 passed, 0 failed, 1 skipped"
    assert "1 in quarantine did not pass" in result.text
    end = result.finished["test/unit/test_a.py::test_bad"]
    assert end["outcome"] == "failed"
    assert end["quarantined"] == f"r (o; #1; until {today})"


@pytest.mark.slow
def test_entry_that_names_nothing_fails_the_run(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", SCRATCH_TEST)
    today = datetime.datetime.now().date()
    scratch.write("ci/quarantine.toml", table("test/unit/test_a.py::test_gone", today))
    assert scratch.run("test_a.py::test_good").status == exit_codes.PASSED
    scratch.write("test/unit/test_a.py", "def test_good(): pass\n")
    result = scratch.run("test_a.py")
    assert result.status == exit_codes.QUARANTINE
    assert "test/unit/test_a.py::test_gone: names no test" in result.text


if __name__ == "__main__":
    run_this_file()
