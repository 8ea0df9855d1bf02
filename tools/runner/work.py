"""The parallel part of a schedule: tasks wait, longest first; an idle worker takes tests of others.

A worker that finds no task waiting takes the later half, by recorded time, of the tests that the
busiest worker has not begun. Each test has one owner at any moment (claims.py).
"""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from tools.runner.executor import Emit, Executor, Task
from tools.runner.hosts import Host, Losses
from tools.runner.launch import Cancel

STEAL_SECONDS = 4.0
"""A rest that is shorter is not worth another process: half of it must pay for one."""

IDLE_WAIT = 0.2

Seconds = Callable[[str], float]


class Worker(Protocol):
    """Runs tasks one at a time, and may be asked for a part of the one it has."""

    def run(self, task: Task) -> Task | None:
        """Bring the tests of a task to their outcomes; returns what a lost worker could not."""

    def give(self, least: float) -> Task | None:
        """Give away the later half of the tests not begun, if they take `least` seconds."""

    def rest(self) -> float:
        """Seconds that the tests not begun will take; 0 when none can be given away."""


class Local:
    """A worker on this host."""

    def __init__(self, make: Callable[[Task], Executor], seconds: Seconds) -> None:
        self._make = make
        self._seconds = seconds
        self._executor: Executor | None = None

    def run(self, task: Task) -> None:
        """As Worker."""
        self._executor = self._make(task)
        self._executor.run()

    def give(self, least: float) -> Task | None:
        """As Worker."""
        return None if self._executor is None else self._executor.give(least, self._seconds)

    def rest(self) -> float:
        """As Worker."""
        return 0.0 if self._executor is None else self._executor.rest(self._seconds)


class Far:
    """A worker on another host; what it has it keeps."""

    def __init__(self, host: Host, emit: Emit, cancel: Cancel, losses: Losses) -> None:
        self._host = host
        self._emit = emit
        self._cancel = cancel
        self._losses = losses

    def run(self, task: Task) -> Task | None:
        """As Worker."""
        left = self._host.run(task, self._emit, self._cancel)
        if left is not None:
            self._losses.note(left, self._host.loss)
        return left

    def give(self, _: float) -> Task | None:
        """As Worker."""
        return None

    def rest(self) -> float:
        """As Worker."""
        return 0.0


class Work:
    """What is still to run; shared by the workers."""

    def __init__(self, tasks: Sequence[Task], seconds: Seconds) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._tasks = sorted(tasks, key=self._weight)
        self._busy: list[Worker] = []

    def serve(self, worker: Worker) -> None:
        """Let a worker run tasks until there is none that it could have."""
        waiting = threading.Event()
        while (task := self._take(worker)) is not None or self._others(worker):
            if task is None:
                waiting.wait(IDLE_WAIT)
                continue
            if not self._run(worker, task):
                return

    def _run(self, worker: Worker, task: Task) -> bool:
        """False when the worker is lost; what it left waits again."""
        left: Task | None = None
        try:
            left = worker.run(task)
        finally:
            with self._lock:
                self._busy.remove(worker)
                if left is not None and left.ids:
                    self._tasks.append(left)
                    self._tasks.sort(key=self._weight)
        return left is None

    def _take(self, worker: Worker) -> Task | None:
        with self._lock:
            task = self._tasks.pop() if self._tasks else self._steal()
            if task is not None:
                self._busy.append(worker)
            return task

    def _steal(self) -> Task | None:
        victim = max(self._busy, key=lambda worker: worker.rest(), default=None)
        return None if victim is None else victim.give(STEAL_SECONDS)

    def _others(self, worker: Worker) -> bool:
        with self._lock:
            return any(other is not worker for other in self._busy)

    def _weight(self, task: Task) -> tuple[float, str]:
        return sum(map(self._seconds, task.ids)), task.ids[0]
