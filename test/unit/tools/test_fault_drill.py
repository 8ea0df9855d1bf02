"""Planted faults: each is named rightly and in time, and no other test is lost."""

from typing import Any

import pytest

from tools.drill import faults, judge
from tools.runner import run_this_file

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def drill(tmp_path_factory: pytest.TempPathFactory) -> judge.Pass:
    return judge.run(tmp_path_factory.mktemp("drill"))


@pytest.mark.parametrize("test", faults.EXPECTED)
def test_outcome(drill: judge.Pass, test: str) -> None:
    assert drill.result.outcomes[test] == faults.EXPECTED[test]


def test_no_test_is_lost(drill: judge.Pass) -> None:
    assert drill.lost == []
    plan = next(event for event in drill.result.events if event["type"] == "PlanMade")
    assert sorted(drill.result.finished) == sorted(plan["ids"])
    assert set(drill.result.outcomes) == set(faults.EXPECTED)


def test_faults_are_dealt_with_in_time(drill: judge.Pass) -> None:
    told = {"timeout", "crashed", "leak"}
    expected = {test for test, outcome in faults.FAULTS.items() if outcome in told}
    # A supervisor that is killed at once has not passed on that the test began.
    assert set(drill.seconds) >= expected - {"test_endings.py::test_kills_its_supervisor"}
    assert drill.late == []


def test_sums_follow_from_the_outcomes(drill: judge.Pass) -> None:
    outcomes = list(drill.result.outcomes.values())
    passed, skipped = outcomes.count("passed"), outcomes.count("skipped")
    failed = len(outcomes) - passed - skipped
    assert drill.result.status == 1
    assert drill.result.last_line == f"{passed} passed, {failed} failed, {skipped} skipped"


DETAILS = {
    "test_endings.py::test_segfault": "SIGSEGV",
    "test_endings.py::test_stack_overflow": "SIGSEGV",
    "test_endings.py::test_abort": "SIGABRT",
    "test_endings.py::test_killed": "SIGKILL",
    "test_endings.py::test_kills_its_group": "SIGKILL",
    "test_endings.py::test_exit_zero": "status 0",
    "test_endings.py::test_exit_three": "status 3",
    "test_endings.py::test_kills_its_supervisor": "its supervisor ended (SIGKILL)",
    "test_endings.py::test_keyboard_interrupt": "KeyboardInterrupt: from inside",
    "test_endings.py::test_pytest_exit": "enough",
    "test_endings.py::test_sys_exit": "SystemExit",
    "test_endings.py::test_recursion": "RecursionError",
    "test_hangs.py::test_hang_with_gil": "still running after 5.",
    "test_leaks.py::test_own_session": "time.sleep(60)",
    "test_thread.py::test_thread": "left running: thread worker",
    "test_joined.py::test_spawn": "left running: a process",
    "test_memory.py::test_blow_up": "resident memory reached",
    "test_descriptors.py::test_uses_up_descriptors": "Too many open files",
    "test_surroundings.py::test_replaces_pytest": "_pytest.runner.CallInfo.from_call",
    "test_surroundings.py::test_replaces_time": "time.sleep",
    "test_at_exit.py::test_crash_at_exit": "after the end of this test: process ended by SIGSEGV",
    "test_deleted.py::test_gone": "its file is gone",
    "test_disk.py::test_disk_full": "No space left on device",
    "test_endless.py::<collection>": "collection ended by its time limit",
    "test_import_error.py::<collection>": "no_such_module",
    "test_too_long.py::test_never::<collection>": "expected seconds in (0, 90]; got 1000",
    "test_skipped_file.py::<collection>": "not here",
}


def attempts_of(drill: judge.Pass, test: str) -> list[dict[str, Any]]:
    attempts: list[dict[str, Any]] = drill.result.finished[f"test/unit/{test}"]["attempts"]
    return attempts


@pytest.mark.parametrize("test", DETAILS)
def test_detail_says_what_happened(drill: judge.Pass, test: str) -> None:
    assert any(DETAILS[test] in attempt["detail"] for attempt in attempts_of(drill, test))


@pytest.mark.parametrize(("test", "other"), [("victim", "polluter"), ("brittle", "enabler")])
def test_order_dependence_names_the_other_test(drill: judge.Pass, test: str, other: str) -> None:
    note = drill.result.finished[f"test/unit/test_order.py::test_{test}"]["note"]
    assert note.endswith(f"after test/unit/test_order.py::test_{other}")


@pytest.mark.parametrize("test", ["test_hang_with_gil", "test_hang_without_gil"])
def test_stacks_of_a_hang_are_kept(drill: judge.Pass, test: str) -> None:
    assert test in attempts_of(drill, f"test_hangs.py::{test}")[0]["stacks"]


def test_output_of_a_crash_is_kept(drill: judge.Pass) -> None:
    attempts = attempts_of(drill, "test_endings.py::test_exit_zero")
    assert [attempt["output"].strip() for attempt in attempts] == ["last words", "last words"]


def test_large_output_keeps_head_and_tail(drill: judge.Pass) -> None:
    output = attempts_of(drill, "test_output.py::test_much_output")[0]["output"]
    assert output.startswith("HEAD") and output.rstrip().endswith("TAIL")
    assert "bytes left out" in output and len(output) < 200_000


def test_failure_is_tried_again_and_a_crash_once(drill: judge.Pass) -> None:
    assert len(attempts_of(drill, "test_endings.py::test_sys_exit")) == 4
    assert len(attempts_of(drill, "test_endings.py::test_abort")) == 2
    assert len(attempts_of(drill, "test_import_error.py::<collection>")) == 1


if __name__ == "__main__":
    run_this_file()
