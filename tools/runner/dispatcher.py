"""The spine of a run: takes the events of all executors, keeps the books, tells the reports."""

import queue
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from tools.runner import trace
from tools.runner.cells import STATIC_FOLDER, CellTable
from tools.runner.choice import Choice
from tools.runner.collect import Collection
from tools.runner.events import Event, PlanMade, RunFinished, Stage, TestFinished
from tools.runner.executor import Executor, Task
from tools.runner.hosts import Host, Losses, open_hosts
from tools.runner.launch import Launcher
from tools.runner.ledger import Closing, Ledger
from tools.runner.quarantine import Quarantine
from tools.runner.select import matches
from tools.runner.settings import Isolation, Part, Settings
from tools.runner.work import Far, Local, Work, Worker
from tools.sharding.durations import Durations


class Report(Protocol):
    """A consumer of events. It is called from one thread, in order."""

    def take(self, event: Event) -> None:
        """Note an event; on RunFinished write what is to be written."""


@dataclass(frozen=True)
class Schedule:
    """Tasks that run one after the other, and tasks that run `jobs` at a time after those.

    Hosts take part in the parallel ones only.
    """

    serial: tuple[Task, ...]
    parallel: tuple[Task, ...]


class Dispatcher:
    """Owns the event stream of one run."""

    def __init__(
        self,
        settings: Settings,
        reports: Sequence[Report],
        cells: CellTable,
        quarantine: Quarantine,
        durations: Durations,
    ) -> None:
        self._settings = settings
        self._durations = durations
        self._losses = Losses()
        self._quarantine = quarantine
        self._reports = reports
        self._cells = cells
        self._queue: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._ledger: Ledger | None = None
        self._started = time.monotonic()
        self.launcher = Launcher()
        self.hosts: list[Host] = []

    def emit(self, event: Event) -> None:
        """Add an event, from any thread."""
        self._queue.put(event)

    def stage(self, name: str, absent: str) -> None:
        """Sink of trace.listening."""
        self.emit(Stage(name, absent))

    @contextmanager
    def open(self, hosts: Sequence[str]) -> Iterator[None]:
        """Connect to further hosts; afterwards nothing that serves the run is left.

        Raises ValueError for a host that cannot be reached.
        """
        try:
            self.hosts += open_hosts(hosts, self._settings)
            yield
        finally:
            for host in self.hosts:
                host.close()
            self.launcher.close()

    def run(
        self, plan: PlanMade, collection: Collection, parts: Sequence[Part], choice: Choice
    ) -> None:
        """Run a plan to one outcome for each of its tests."""
        self.emit(plan)
        self._ledger = Ledger(plan)
        pseudo = collection.pseudo()
        for test in plan.ids:
            if attempt := pseudo.get(test):
                self.emit(TestFinished(test, attempt.outcome, 0.0, (attempt,)))
        ids = [test for test in plan.ids if test not in pseudo]
        if choice.sequences:
            self._run_schedule(replayed(ids, choice.sequences))
            return
        for first in (True, False):
            wave = [test for test in ids if (test in choice.first) is first]
            if wave or not first:
                self._run_schedule(make_schedule(self._settings, wave, parts))

    def finish(self, whole_conformance: bool, quarantine: tuple[str, ...]) -> RunFinished:
        """Close the books and let the reports write. Raises LedgerError when they don't balance."""
        self._deliver_all()
        assert self._ledger is not None
        self._cells.add_static(self._settings.folder / STATIC_FOLDER)
        summary = self._cells.summary()
        self._deliver(summary)
        closing = Closing(self.launcher.cancel.requested, summary, whole_conformance, quarantine)
        finished = self._ledger.close(closing, time.monotonic() - self._started)
        self._deliver(finished)
        return finished

    def _run_schedule(self, schedule: Schedule) -> None:
        count = len(schedule.serial) + len(schedule.parallel)
        stress = self._settings.stress.share(count, self._settings.limits.jobs)
        settings = replace(self._settings, stress=stress)

        def run_all(tasks: Sequence[Task]) -> None:
            for task in tasks:
                executor(task).run()

        def executor(task: Task) -> Executor:
            return Executor(settings, task, self.emit, self.launcher)

        seconds = self._durations.seconds
        workers: list[Worker] = [Local(executor, seconds) for _ in range(settings.limits.jobs)]
        for host in self.hosts:
            workers.append(Far(host, self.emit, self.launcher.cancel, self._losses))
        work = Work(schedule.parallel, seconds)
        with ThreadPoolExecutor(len(workers)) as pool:
            self._pump([pool.submit(run_all, schedule.serial)])
            self._pump([pool.submit(work.serve, worker) for worker in workers])

    def _pump(self, futures: Sequence[Future[None]]) -> None:
        """Deliver events until all futures are done; Ctrl-C stops the tests, not the report."""
        while not all(future.done() for future in futures):
            try:
                self._deliver(self._queue.get(timeout=0.1))
            except queue.Empty:
                continue
            except KeyboardInterrupt:
                self.launcher.cancel.request()
        for future in futures:
            future.result()
        self._deliver_all()

    def _deliver_all(self) -> None:
        while not self._queue.empty():
            self._deliver(self._queue.get())

    def _deliver(self, event: Event) -> None:
        if isinstance(event, TestFinished):
            assert self._ledger is not None
            event = self._quarantine.mark(self._losses.mark(event))
            self._ledger.enter(event)
            self._cells.add_test(event)
        for report in self._reports:
            report.take(event)


def replayed(ids: Sequence[str], sequences: Sequence[Sequence[str]]) -> Schedule:
    """The sequences of a record, one after the other; ids decided before are left out."""
    left = set(ids)
    kept = [tuple(test for test in sequence if test in left) for sequence in sequences]
    return Schedule(tuple(Task(sequence, ordered=True) for sequence in kept if sequence), ())


def make_schedule(settings: Settings, ids: Sequence[str], parts: Sequence[Part]) -> Schedule:
    """Serial files first; files of a part with `xdist` share a process pool; the rest one by one.

    Which of the parallel tasks comes first is decided by recorded durations (work.py).
    """
    trace.stage(trace.SERIAL)
    trace.stage(trace.PARALLEL)
    by_file: dict[str, list[str]] = {}
    for test in ids:
        by_file.setdefault(test.split("::")[0], []).append(test)
    alone = [file for file in by_file if matches(file, settings.groups.serial)]
    isolation = _isolation(settings, parts)

    def task(file: str) -> Task:
        whole = matches(file, settings.groups.whole)
        return Task(tuple(by_file.pop(file)), isolation=isolation[file], whole=whole)

    serial = [task(file) for file in alone]
    pools: list[Task] = []
    for part in parts:
        shared = [test for file in part.files for test in by_file.get(file, [])]
        if part.xdist and len(shared) > part.xdist and settings.isolation is None:
            pools.append(Task(tuple(shared), part.xdist))
            for file in part.files:
                by_file.pop(file, None)
    return Schedule((*serial, *pools), tuple(map(task, list(by_file))))


def _isolation(settings: Settings, parts: Sequence[Part]) -> dict[str, Isolation]:
    """How each file is run: a device is never forked, else what is asked for, else its part's."""
    found: dict[str, Isolation] = {}
    for part in parts:
        for file in part.files:
            spawn = matches(file, settings.groups.spawn)
            found[file] = Isolation.SPAWN if spawn else settings.isolation or part.isolation
    return found
