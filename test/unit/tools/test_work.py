"""Stealing inside a host: who owns which test; longest first; files that are never divided."""

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tools.runner import run_this_file
from tools.runner.claims import Claims
from tools.runner.executor import Task
from tools.runner.work import Work

SLOW = """
import pytest, time
@pytest.mark.parametrize("number", range(12))
def test_slow(number): time.sleep(0.4)
"""
# So long that a rest is worth another process as long as there is one, whenever that is noticed.
DURATIONS = '{"version": 1, "families": {"test/%s/test_a.py": 5.0}, "tests": {}}'


def test_every_test_is_claimed_or_taken_and_none_twice(tmp_path: Path) -> None:
    claims = Claims(tmp_path / "claims")
    claims.create(400)
    mine: list[int] = []

    def claim() -> None:
        while claims.take_next():
            mine.append(len(mine))

    thread = threading.Thread(target=claim)
    thread.start()
    taken: list[int] = []
    for _ in range(30):
        start, end = claims.take_rest(lambda place, end: end - (end - place) // 10)
        taken += range(start, end)
    thread.join()
    assert Counter(mine + taken) == Counter(range(400))


def test_nothing_is_taken_from_a_process_that_has_claimed_all(tmp_path: Path) -> None:
    claims = Claims(tmp_path / "claims")
    claims.create(1)
    assert claims.take_next()
    assert not claims.take_next()
    assert claims.take_rest(lambda place, end: 0) == (1, 1)


class Recorder:
    """A worker that runs nothing."""

    def __init__(self, lost: bool = False) -> None:
        self.ran: list[Task] = []
        self._lost = lost

    def run(self, task: Task) -> Task | None:
        self.ran.append(task)
        return task if self._lost else None

    def give(self, _: float) -> Task | None:
        return None

    def rest(self) -> float:
        return 0.0


def test_the_longest_task_is_first() -> None:
    seconds = {"a": 1.0, "b": 5.0, "c": 3.0}
    work = Work([Task((name,)) for name in "abc"], seconds.__getitem__)
    worker = Recorder()
    work.serve(worker)
    assert [task.ids for task in worker.ran] == [("b",), ("c",), ("a",)]


def test_what_a_lost_worker_had_goes_to_another() -> None:
    work = Work([Task(("a",)), Task(("b",))], lambda _: 1.0)
    lost, other = Recorder(lost=True), Recorder()
    work.serve(lost)
    assert len(lost.ran) == 1
    work.serve(other)
    assert {task.ids for task in other.ran} == {("a",), ("b",)}


def processes(result: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for event in result.events:
        if event["type"] == "TestStarted":
            found.setdefault(event["process"], []).append(event["id"])
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "divided"), [("unit", True), ("whole", False)])
def test_idle_worker_takes_tests_of_a_long_file(scratch: Any, folder: str, divided: bool) -> None:
    scratch.write(f"test/{folder}/test_a.py", SLOW)
    scratch.write("ci/durations.json", DURATIONS % folder)
    result = scratch.run(f"test/{folder}", "--jobs", "2")
    assert result.last_line == "12 passed, 0 failed, 0 skipped"
    found = processes(result)
    assert (len(found) > 1) is divided
    assert max(Counter(test for ids in found.values() for test in ids).values()) == 1


if __name__ == "__main__":
    run_this_file()
