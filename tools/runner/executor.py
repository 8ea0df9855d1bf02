"""Run the planned tests of one file (or of several under pytest-xdist) to one outcome each.

A process that a test ends is followed by a fresh one with the remaining ids; a test that fails is
tried once more, alone, in a fresh process.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from tools.runner import trace
from tools.runner.events import (
    GOOD,
    Attempt,
    AttemptFinished,
    Event,
    FileStarted,
    Outcome,
    TestFinished,
    TestSlow,
    TestStarted,
)
from tools.runner.launch import Cancel, Job, Message, Process
from tools.runner.record import Record
from tools.runner.settings import Settings

BLIND_LIMIT = 3
"""Tests of a file that may one after the other end their process before they begin."""

Emit = Callable[[Event], None]
_FINAL = frozenset({Outcome.ERROR, Outcome.MISSING, Outcome.NOT_RUN})


@dataclass(frozen=True)
class Task:
    """What one slot of the runner does: planned ids, in one process or under pytest-xdist."""

    ids: tuple[str, ...]
    workers: int = 0

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the ids, each once, in order."""
        return tuple(dict.fromkeys(test.split("::")[0] for test in self.ids))


class Executor:
    """Runs one task."""

    def __init__(self, settings: Settings, task: Task, emit: Emit, cancel: Cancel) -> None:
        self._settings = settings
        self._task = task
        self._emit = emit
        self._cancel = cancel
        self._attempts: dict[str, list[Attempt]] = {test: [] for test in task.ids}

    def run(self) -> None:
        """Emit one TestFinished for every id of the task."""
        task = self._task
        trace.stage(trace.FILE)
        trace.stage(trace.TEST)
        self._emit(FileStarted(task.files, len(task.ids), task.workers))
        pending = list(task.ids)
        if task.workers:
            self._process(tuple(pending), task.workers)
            pending = self._unresolved(pending)
        for file in task.files:
            self._file([test for test in pending if test.split("::")[0] == file])
            self._conclude([test for test in task.ids if test.split("::")[0] == file])

    def _file(self, pending: list[str]) -> None:
        """Processes until every pending id has an attempt.

        When one ends without naming a test, ids go alone until one is decided. If several in a
        row end so, it is the file that ends them (a conftest, an import), and the rest shares it.
        """
        processes = blind = 0
        while pending and not self._cancel.requested:
            if processes > self._settings.limits.restart_limit:
                return
            ids = pending[:1] if blind else pending
            blind = 0 if self._process(tuple(ids)) else blind + 1
            processes += 1
            if blind > BLIND_LIMIT:
                self._share_blame(ids[0], pending[1:])
            pending = self._unresolved(pending)

    def _share_blame(self, blamed: str, others: list[str]) -> None:
        for test in others:
            self._attempts[test].append(self._attempts[blamed][-1])

    def _unresolved(self, ids: list[str]) -> list[str]:
        return [test for test in ids if not self._attempts[test]]

    def _process(self, ids: tuple[str, ...], workers: int = 0) -> bool:
        """One process; its attempts are added. Returns False when it ended before any test began.

        An id that was alone in such a process has crashed.
        """
        files = tuple(dict.fromkeys(test.split("::")[0] for test in ids))
        process = Process(self._settings, Job(files, ids, workers), self._cancel)
        record = Record(ids, workers)
        for message in process.messages():
            record.take(message)
            self._relay(message, record)
        decided = bool(record.attempts)
        if not decided and len(ids) == 1 and record.exit["cause"] != "stopped":
            detail = f"{record.fault()[1]}; no test had begun"
            text = process.output(record.exit["sections"], 0)
            record.attempts = {ids[0]: Attempt(Outcome.CRASHED, 0, detail, text)}
        self._keep(process, record)
        return decided

    def _keep(self, process: Process, record: Record) -> None:
        """Add the attempts, each bad one with what it wrote."""
        for test, attempt in record.attempts.items():
            if attempt.outcome not in GOOD and not attempt.output:
                number = record.numbers.get(test, 0)
                text = process.output(record.exit["sections"], number)
                attempt = replace(attempt, output=text)
            self._attempts[test].append(attempt)
        if all(attempt.outcome in GOOD for attempt in record.attempts.values()):
            process.discard()

    def _relay(self, message: Message, record: Record) -> None:
        """Live events of a process."""
        match message["event"]:
            case "start":
                number = len(self._attempts[message["id"]]) + 1
                self._emit(TestStarted(message["id"], number))
            case "slow":
                self._emit(TestSlow(message["id"], message["seconds"]))
            case "finish" if message["id"] in record.attempts:
                attempt = record.attempts[message["id"]]
                number = len(self._attempts[message["id"]]) + 1
                event = AttemptFinished(message["id"], number, attempt.outcome, attempt.seconds)
                self._emit(event)

    def _conclude(self, ids: list[str]) -> None:
        """Retry what failed, then write the outcomes of one file."""
        failed = [test for test in ids if self._worth_a_retry(test)]
        if len(failed) <= self._settings.limits.retry_limit:
            for test in failed:
                if not self._cancel.requested:
                    self._process((test,))
        for test in ids:
            self._emit(self._finished(test))

    def _worth_a_retry(self, test: str) -> bool:
        attempts = self._attempts[test]
        return bool(attempts) and attempts[0].outcome not in GOOD | _FINAL

    def _finished(self, test: str) -> TestFinished:
        attempts = self._attempts[test] or [Attempt(Outcome.NOT_RUN, detail=self._why_not_run())]
        last = attempts[-1]
        outcome = last.outcome
        if len(attempts) > 1 and outcome in GOOD:
            outcome = Outcome.FLAKY
        seconds = sum(attempt.seconds for attempt in attempts)
        slow = max(attempt.seconds for attempt in attempts) > self._settings.limits.slow_s
        return TestFinished(test, outcome, seconds, tuple(attempts), slow, last.properties)

    def _why_not_run(self) -> str:
        if self._cancel.requested:
            return "the run was stopped before this test"
        limit = self._settings.limits.restart_limit
        return f"its file ended more than {limit} processes; the rest was not tried"
