"""Run the planned tests of one file (or of several under pytest-xdist) to one outcome each.

A process that a test ends is followed by a fresh one with the remaining ids; what a failure means
is found out by further processes (investigate.py).
"""

import threading
import time
from collections.abc import Callable, Sequence
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
from tools.runner.investigate import Case, Investigation
from tools.runner.launch import Job, Launcher, Message, Process
from tools.runner.record import Record
from tools.runner.settings import Isolation, Settings

BLIND_LIMIT = 3
"""Tests of a file that may one after the other end their process before they begin."""

Emit = Callable[[Event], None]


@dataclass(frozen=True)
class Task:
    """What one slot of the runner does: planned ids, in one process or under pytest-xdist."""

    ids: tuple[str, ...]
    workers: int = 0
    ordered: bool = False  # one process for all files, in the order of the ids
    isolation: Isolation = Isolation.FILE
    whole: bool = False  # never divided between workers

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the ids, each once, in order."""
        return files_of(self.ids)


class Executor:
    """Runs one task."""

    def __init__(self, settings: Settings, task: Task, emit: Emit, launcher: Launcher) -> None:
        self._settings = settings
        self._task = task
        self._emit = emit
        self._launcher = launcher
        self._cancel = launcher.cancel
        self._lock = threading.Lock()
        self._running: Running | None = None
        self._given: set[str] = set()
        self._attempts: dict[str, list[Attempt]] = {test: [] for test in task.ids}
        self._before: dict[str, tuple[str, ...]] = {}
        self._round = 1

    def run(self) -> None:
        """Emit one TestFinished for every id of the task."""
        task = self._task
        trace.stage(trace.FILE)
        trace.stage(trace.TEST)
        self._emit(FileStarted(task.files, len(task.ids), task.workers))
        if task.workers and not self._settings.stress.active:
            self._process(task.ids, task.workers)
        if task.ordered:
            self._unit(task.ids)
            return
        for file in task.files:
            self._unit([test for test in task.ids if test.split("::")[0] == file])

    def rest(self, seconds: Callable[[str], float]) -> float:
        """Seconds that those tests take which this executor would give away."""
        with self._lock:
            return 0.0 if self._running is None else self._running.rest(seconds)

    def give(self, least: float, seconds: Callable[[str], float]) -> Task | None:
        """Give away the later half of the tests that have not begun, if they take `least` s."""
        with self._lock:
            running = self._running
            given = () if running is None else running.give(least, seconds)
            self._given.update(given)
        return replace(self._task, ids=given) if given else None

    def _unit(self, ids: Sequence[str]) -> None:
        """Ids that share processes: run what is undecided, as often as asked, and conclude."""
        begun = time.monotonic()
        self._file(self._unresolved(ids))
        while self._settings.stress.goes_on(self._round, time.monotonic() - begun):
            if self._cancel.requested:
                break
            self._round += 1
            self._file(self._unresolved(ids))
        self._round = 1
        self._conclude(ids)

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

    def _unresolved(self, ids: Sequence[str]) -> list[str]:
        """Ids without an attempt in this round."""
        with self._lock:
            kept = [test for test in ids if test not in self._given]
        return [test for test in kept if len(self._attempts[test]) < self._round]

    def _process(self, ids: tuple[str, ...], workers: int = 0) -> bool:
        """One process; its attempts are added. Returns False when it ended before any test began.

        An id that was alone in such a process has crashed.
        """
        ids = self._without_gone(ids)
        if not ids:
            return True
        task = self._task
        shared = not (task.ordered or task.whole or workers or self._settings.stress.active)
        job = Job(files_of(ids), ids, workers, (), task.ordered, task.isolation, shared)
        process = self._launcher.process(self._settings, job)
        record = Record(ids, workers)
        for message in process.messages():
            record.take(message)
            self._relay(message, record, process.folder.name)
            if shared:
                self._follow(message, process)
        decided = bool(record.attempts)
        for test, attempt in _with_output(process, record).items():
            self._attempts[test].append(attempt)
            self._before[test] = record.before.get(test, ())
        return decided

    def _follow(self, message: Message, process: Process) -> None:
        """Know what could be given away: nothing before the collection or after the end."""
        with self._lock:
            match message["event"]:
                case "collected":
                    self._running = Running(process, message["ids"])
                case "session_end" | "exit":
                    self._running = None

    def _without_gone(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Give the tests of files that were deleted their outcome; returns the others."""
        root = self._settings.root
        gone = {file for file in files_of(ids) if not (root / file).is_file()}
        for test in ids:
            if test.split("::")[0] in gone:
                detail = "planned, but its file is gone"
                self._attempts[test].append(Attempt(Outcome.MISSING, detail=detail))
        return tuple(test for test in ids if test.split("::")[0] not in gone)

    def _again(self, ids: tuple[str, ...]) -> dict[str, Attempt]:
        """Ids in the given order in one process, for an investigation."""
        job = Job(files_of(ids), ids, ordered=True, isolation=self._again_isolation())
        process = self._launcher.process(self._settings, job)
        record = Record(ids)
        for message in process.messages():
            record.take(message)
            if message.get("id") == ids[-1]:
                self._relay(message, record, process.folder.name)
        return _with_output(process, record)

    def _again_isolation(self) -> Isolation:
        """Tests that run again may see each other: that is what an investigation looks at."""
        spawn = self._task.isolation is Isolation.SPAWN
        return Isolation.SPAWN if spawn else Isolation.FILE

    def _relay(self, message: Message, record: Record, process: str) -> None:
        """Live events of a process."""
        match message["event"]:
            case "start":
                number = len(self._attempts[message["id"]]) + 1
                where = f"{process}.{message['pid']}"
                self._emit(TestStarted(message["id"], number, where))
            case "slow":
                self._emit(TestSlow(message["id"], message["seconds"]))
            case "finish" if message["id"] in record.attempts:
                attempt = record.attempts[message["id"]]
                number = len(self._attempts[message["id"]]) + 1
                event = AttemptFinished(message["id"], number, attempt.outcome, attempt.seconds)
                self._emit(event)

    def _conclude(self, ids: Sequence[str]) -> None:
        """Find out about what failed, then write the outcomes of one file."""
        limits = self._settings.limits
        ids = [test for test in ids if test not in self._given]
        cases = [Case(test, self._attempts[test], self._before.get(test, ())) for test in ids]
        if not self._settings.stress.active:
            investigation = Investigation(self._again, limits, lambda: self._cancel.requested)
            investigation.conclude(cases)
        for case in cases:
            if not case.attempts:
                case.attempts.append(Attempt(Outcome.NOT_RUN, detail=self._why_not_run()))
            self._emit(finished(case, limits.slow_s))

    def _why_not_run(self) -> str:
        if self._cancel.requested:
            return "the run was stopped before this test"
        limit = self._settings.limits.restart_limit
        return f"its file ended more than {limit} processes; the rest was not tried"


@dataclass(frozen=True)
class Running:
    """The process of a file whose tests may be given away, and their order in it."""

    process: Process
    order: Sequence[str]

    def rest(self, seconds: Callable[[str], float]) -> float:
        """Seconds of the tests that have not begun."""
        place, end = self.process.claims.read()
        return sum(map(seconds, self.order[place:end]))

    def give(self, least: float, seconds: Callable[[str], float]) -> tuple[str, ...]:
        """Take the later half, by time, from the process; nothing below `least` seconds."""

        def cut(place: int, end: int) -> int:
            times = [seconds(test) for test in self.order[place:end]]
            if sum(times) < least:
                return end
            half, behind = sum(times) / 2, 0.0
            while times and behind + times[-1] <= half:
                behind += times.pop()
            return place + len(times)

        start, end = self.process.claims.take_rest(cut)
        return tuple(self.order[start:end])


def files_of(ids: Sequence[str]) -> tuple[str, ...]:
    """The files of ids, each once, in order."""
    return tuple(dict.fromkeys(test.split("::")[0] for test in ids))


def finished(case: Case, slow_s: float) -> TestFinished:
    """The final event of a test."""
    attempts = case.attempts
    return TestFinished(
        id=case.test,
        outcome=case.outcome,
        seconds=sum(attempt.seconds for attempt in attempts),
        attempts=tuple(attempts),
        slow=max(attempt.seconds for attempt in attempts) > slow_s,
        properties=attempts[-1].properties,
        note=case.text,
    )


def _with_output(process: Process, record: Record) -> dict[str, Attempt]:
    """The attempts of a process that has ended, each bad one with what it wrote.

    A single id whose process ended before it began has crashed.
    """
    attempts, ids, end = record.attempts, record.ids, record.exit
    if not attempts and len(ids) == 1 and end["cause"] != "stopped":
        detail = f"{record.fault()[1]}; no test had begun"
        attempts = {ids[0]: Attempt(Outcome.CRASHED, detail=detail, cause=end["cause"])}
    found: dict[str, Attempt] = {}
    for test, attempt in attempts.items():
        if attempt.outcome not in GOOD and not attempt.output:
            number = record.numbers.get(test, 0)
            attempt = replace(attempt, output=process.output(end["sections"], number))
        found[test] = attempt
    if all(attempt.outcome in GOOD for attempt in found.values()):
        process.discard()
    return found
