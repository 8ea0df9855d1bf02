"""The pytest plugin inside a test process: says what happens, decides nothing.

Loaded by `-p tools.runner.plugin`. It also limits a run to the planned ids, and counts for the
supervisor the processes and threads that a test leaves behind.
"""

import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest

from tools.runner import channel, guard, isolate, machine, output, proc
from tools.runner.claims import Claims

MARKERS = (
    "timeout(seconds): kill the test after so many seconds, at most the runner's maximum",
    "slow: takes more than a few seconds; left out of the smoke group",
    "smoke: one of the conformance cells of the smoke group",
)
SPAWNING = frozenset(
    {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.spawn"}
)


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers; start reporting when a supervisor listens."""
    for line in MARKERS:
        config.addinivalue_line("markers", line)
    path = os.environ.get(channel.EVENTS_VARIABLE)
    if path is not None:
        config.pluginmanager.register(Reporter(config, channel.Channel(path)), "cepheid-runner")


class Watch:
    """Notices what a test leaves behind: processes by a scan after a fork, threads by name."""

    def __init__(self) -> None:
        self._spawned = False
        self._supervisor = os.getppid()
        self._session = os.getpid()
        self._processes: set[int] = set()
        self._threads: set[threading.Thread] = set()
        sys.addaudithook(self._audit)

    def processes(self) -> list[int]:
        """Processes that appeared since the last call, below this one or orphaned."""
        if not self._spawned and not _multiprocessing_children():
            return []
        self._spawned = False
        me = os.getpid()
        orphans = {pid for pid, parent in proc.parents().items() if parent == self._supervisor}
        new = (proc.descendants(me) | orphans) - self._processes - {me, self._session}
        self._processes |= new
        return sorted(new)

    def threads(self) -> list[str]:
        """Names of new threads that would keep the process from ending."""
        blocking = {
            thread
            for thread in threading.enumerate()
            if not thread.daemon and thread is not threading.main_thread()
        }
        new = blocking - self._threads
        self._threads = blocking
        return sorted(thread.name for thread in new)

    def forked(self) -> None:
        """In a new fork of the process: nothing has been started here."""
        self._spawned = False

    def _audit(self, event: str, _: tuple[Any, ...]) -> None:
        if event in SPAWNING:
            self._spawned = True


class Reporter:
    """One object per process: the only process, an xdist worker, or the xdist controller."""

    def __init__(self, config: pytest.Config, events: channel.Channel) -> None:
        self._events = events
        self._path = os.environ[channel.EVENTS_VARIABLE]
        self._claims = _read_claims()
        self._isolation: isolate.Isolation | None = None
        self._worker = hasattr(config, "workerinput")
        self._controller = not self._worker and config.getoption("dist", "no") != "no"
        self._token = os.environ[channel.TOKEN_VARIABLE]
        self._planned = _read_planned()
        self._items: dict[str, pytest.Item] = {}
        self._timeouts: dict[str, float | None] = {}
        self._faults: dict[str, str] = {}
        self._deselected = 0
        self._number = 0
        self._watch = Watch()
        self._guard = guard.Guard()
        self._stacks = _register_stacks()
        events.send("ready")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Silence the terminal reporter: the supervisor's side reports."""
        reporter = session.config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None:
            session.config.pluginmanager.unregister(reporter)

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Name the file being imported, so that a crash in it can be attributed."""
        if isinstance(collector, pytest.Module):
            self._events.send("collecting", file=collector.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Pass on a collection error (a module may also skip itself)."""
        if not report.passed:
            name = "collect_error" if report.failed else "collect_skip"
            text = channel.clip(report.longreprtext)
            self._events.send(name, file=report.nodeid, longrepr=text)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Count what -k and -m left out."""
        self._deselected += len(items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the planned ids, in the file's own order or in that given."""
        planned = self._planned
        if planned is not None:
            items[:] = [item for item in items if item.nodeid in planned]
            if os.environ[channel.ORDER_VARIABLE] == "given":
                items.sort(key=lambda item: planned[item.nodeid])
        self._refuse_bad_timeouts(items)
        if channel.ISOLATE_VARIABLE in os.environ:
            self._isolate(items)
        self._items = {item.nodeid: item for item in items}

    def pytest_collection_finish(self) -> None:
        """Say which ids there are, file by file."""
        if self._controller:
            return
        files: dict[str, list[str]] = {}
        for nodeid in self._items:
            files.setdefault(nodeid.split("::")[0], []).append(nodeid)
        for file, ids in files.items():
            self._events.send("collected", file=file, ids=ids)
        self._events.send("collection_end", deselected=self._deselected)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Pass over a test that the runner has given to another process; fork if asked to."""
        if self._claims is not None and not self._claims.take_next():
            return True
        if self._isolation is None:
            return None
        self._isolation.run(item, self._begin_fork, self._leave_fork)
        self._number += 1
        self._events.send("left", id=item.nodeid)
        return True

    def _isolate(self, items: list[pytest.Item]) -> None:
        """Be ready to fork; files that cannot be forked are errors."""
        try:
            self._isolation = isolate.Isolation()
        except RuntimeError as error:
            for file in {item.nodeid.split("::")[0] for item in items}:
                self._events.send("collect_error", file=file, longrepr=str(error))
            items.clear()

    def _begin_fork(self) -> None:
        self._events = channel.Channel(self._path)
        self._stacks = _register_stacks()
        self._watch.forked()
        self._events.send("ready")

    def _leave_fork(self) -> None:
        self._events.send("leaving")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins: its time limit and its declared properties travel along."""
        if self._controller:
            return
        self._number += 1
        self._events.send(
            "start",
            id=nodeid,
            number=self._number,
            timeout=self._timeouts[nodeid],
            properties=self._items[nodeid].user_properties,
        )
        self._mark(self._number)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note when the exception speaks of the machine."""
        report = yield
        if call.excinfo is not None and report.failed:
            self._faults[report.nodeid] = machine.fault(call.excinfo.value)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One phase (setup, call, teardown) ended."""
        if self._controller:
            return
        self._events.send(
            "phase",
            id=report.nodeid,
            when=report.when,
            outcome=report.outcome,
            expected=getattr(report, "wasxfail", None),
            seconds=report.duration,
            longrepr=_text_of(report),
            infrastructure=self._faults.pop(report.nodeid, ""),
            properties=report.user_properties if report.when == "teardown" else [],
        )

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """A test ended, its teardown included."""
        if self._controller:
            return
        self._mark(0)
        processes, threads = self._watch.processes(), self._watch.threads()
        replaced = self._guard.replaced()
        self._events.send(
            "finish", id=nodeid, processes=processes, threads=threads, replaced=replaced
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str) -> None:
        """pytest-xdist lost the worker that ran this test."""
        self._events.send("worker_crash", id=crashitem)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """The session was ended from inside (KeyboardInterrupt, pytest.exit)."""
        self._events.send("aborted", reason=excinfo.exconly())

    def pytest_internalerror(self, excrepr: object) -> None:
        """pytest or a plugin failed."""
        self._events.send("internal_error", longrepr=channel.clip(str(excrepr)))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> Iterator[None]:
        """After every other plugin's end of session: only the interpreter's end is left."""
        yield
        if not self._worker:
            self._events.send("session_end", status=int(exitstatus))

    def _refuse_bad_timeouts(self, items: list[pytest.Item]) -> None:
        """A mark that asks for too much is an error of its test, not of the whole file."""
        for item in list(items):
            try:
                self._timeouts[item.nodeid] = _timeout_of(item)
            except ValueError as error:
                items.remove(item)
                self._events.send("collect_error", file=item.nodeid, longrepr=str(error))

    def _mark(self, number: int) -> None:
        """Divide the output stream; under xdist pytest's own capture does that."""
        if self._worker or not self._events.owned:
            return
        try:
            sys.stdout.flush()
            sys.stderr.flush()
            os.write(1, output.mark(self._token, number))
        except (OSError, ValueError):  # a test closed the stream: its output ends there
            return


def _multiprocessing_children() -> bool:
    """True when multiprocessing has children: its spawn method raises no audit event."""
    module = sys.modules.get("multiprocessing")
    return module is not None and bool(module.active_children())


def _read_claims() -> Claims | None:
    path = os.environ.get(channel.CLAIMS_VARIABLE)
    return None if path is None else Claims(Path(path))


def _read_planned() -> dict[str, int] | None:
    """Planned id -> its place."""
    path = os.environ.get(channel.IDS_VARIABLE)
    if path is None:
        return None
    return {test: place for place, test in enumerate(Path(path).read_text().split("\0"))}


def _register_stacks() -> TextIO:
    """Let SIGUSR1 write the stacks of all threads, native code with the GIL held included."""
    folder = Path(os.environ[channel.STACKS_VARIABLE])
    file = (folder / f"stacks.{os.getpid()}").open("w")
    faulthandler.register(signal.SIGUSR1, file=file, all_threads=True, chain=False)
    return file


def _timeout_of(item: pytest.Item) -> float | None:
    mark = item.get_closest_marker("timeout")
    if mark is None:
        return None
    seconds = float(mark.args[0] if mark.args else mark.kwargs["seconds"])
    most = float(os.environ[channel.MAX_TIMEOUT_VARIABLE])
    if not 0 < seconds <= most:
        raise ValueError(f"timeout: expected seconds in (0, {most:g}]; got {seconds:g}")
    return seconds


def _text_of(report: pytest.TestReport) -> str:
    """The failure's text, or the reason of a skip."""
    if report.skipped and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    text = report.longreprtext
    if report.failed:
        sections = "".join(f"\n----- {title} -----\n{body}" for title, body in report.sections)
        text += channel.clip(sections)
    return channel.clip(text)
