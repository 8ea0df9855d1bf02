"""One process between the runner and one pytest process: watches it from outside.

Started as `python -S -P -m tools.runner.supervisor SPEC`, or forked by the warm server
(forkserver.py). It relays the test process's events as JSON lines on its own standard output, ends
a test that takes too long or too much memory (stacks first, then the whole tree), finds what was
left running, and says how the process ended. It stops, and takes the tree with it, when its
standard input is closed.
"""

import json
import os
import secrets
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.runner import channel, output, proc

TICK = 0.05
SCAN_EVERY = 0.5  # a look through all of /proc is dear
LEAK_GRACE = 1.0


@dataclass(frozen=True)
class Spec:
    """What to run, and the limits."""

    python: str
    arguments: list[str]  # of pytest
    cwd: str
    environment: dict[str, str]
    folder: str
    timeout: float
    slow: float
    exit_grace: float  # between the end of the session and that of the process
    memory_mib: float
    grace: float = 1.0  # between SIGTERM and SIGKILL


@dataclass(frozen=True)
class Link:
    """What joins the supervisor and the test process; made before either of them runs."""

    events: Path  # a named pipe
    token: str  # divides the output
    output: int  # the supervisor's end
    write: int  # the test's end

    @classmethod
    def make(cls, folder: Path) -> "Link":
        """Pipes and a secret for one process."""
        events = folder / "events"
        os.mkfifo(events)
        return cls(events, secrets.token_hex(output.TOKEN_BYTES // 2), *os.pipe())

    def environment(self, spec: Spec) -> dict[str, str]:
        """All variables of the test process."""
        own = {
            channel.EVENTS_VARIABLE: str(self.events),
            channel.STACKS_VARIABLE: spec.folder,
            channel.TOKEN_VARIABLE: self.token,
        }
        return {**spec.environment, **own}


Start = Callable[[Spec, Link], int]
"""Starts the test process as a child, in a session of its own; returns its id."""


@dataclass
class Running:
    """A test between its start and its finish."""

    pid: int
    since: float
    limit: float
    slow_said: bool = False


@dataclass
class Verdict:
    """Why the supervisor ended the process; `cause` is empty when it ended by itself."""

    cause: str = ""
    test: str = ""
    seconds: float = 0.0
    mib: float = 0.0
    stacks: str = ""


@dataclass
class State:
    """What is known about the process under test."""

    running: dict[str, Running] = field(default_factory=dict)
    last_test: str = ""
    last_event: float = field(default_factory=time.monotonic)
    ready: set[int] = field(default_factory=set)
    ended: bool = False
    leaving: bool = False  # an isolated test is over, its process is not
    worker_crashed: bool = False
    owner: dict[int, str] = field(default_factory=dict)  # left process -> test
    named: set[int] = field(default_factory=set)  # left processes that a test's end has named
    mib: float = 0.0


class Supervisor:
    """Runs one test process to its end."""

    def __init__(self, spec: Spec, link: Link) -> None:
        self._spec = spec
        self._link = link
        self._folder = Path(spec.folder)
        self._log = output.OutputLog(self._folder / "output.log", link.token)
        self._selector = selectors.DefaultSelector()
        self._partial = b""
        self._state = State()
        self._statuses: dict[int, int] = {}
        self._tree: set[int] = set()
        self._next_scan = 0.0
        self._stopped = False
        self._suspects: set[str] = set()

    def run(self, pid: int) -> None:
        """Watch, clean up, report."""
        events = os.open(self._link.events, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        os.set_blocking(self._link.output, False)
        self._selector.register(events, selectors.EVENT_READ, self._read_events)
        self._selector.register(self._link.output, selectors.EVENT_READ, self._read_output)
        self._selector.register(0, selectors.EVENT_READ, self._read_control)
        verdict = self._watch(pid)
        status = self._finish(pid, verdict)
        self._drain(events)
        regular = not verdict.cause and self._regular(status)
        leaks = self._leaks(regular)
        self._drain_output()
        self._report(status, verdict, leaks)

    def _watch(self, pid: int) -> Verdict:
        """Relay and check until the process ends or has to be ended."""
        while True:
            for key, _ in self._selector.select(TICK):
                read: Callable[[int], object] = key.data
                read(key.fd)
            self._statuses.update(proc.reap())
            if pid in self._statuses:
                return Verdict()
            verdict = self._overdue() or self._over_memory(pid)
            if verdict is not None:
                return verdict

    def _overdue(self) -> Verdict | None:
        now = time.monotonic()
        if self._stopped:
            return Verdict("stopped")
        for test, running in self._state.running.items():
            seconds = now - running.since
            if seconds > running.limit:
                return Verdict("timeout", test, seconds)
            if seconds > self._spec.slow and not running.slow_said:
                running.slow_said = True
                _emit({"event": "slow", "id": test, "seconds": seconds})
        idle = now - self._state.last_event
        over = self._state.ended or self._state.leaving
        if over and idle > self._spec.exit_grace:
            return Verdict("exit_hang", self._state.last_test, idle)
        if not self._state.running and idle > self._spec.timeout:
            return Verdict("idle", self._state.last_test, idle)
        return None

    def _over_memory(self, pid: int) -> Verdict | None:
        if time.monotonic() >= self._next_scan:
            self._scan(pid)
        mib = sum(map(proc.own_mib, self._tree | {pid}))
        self._state.mib = max(self._state.mib, mib)
        if mib <= self._spec.memory_mib:
            return None
        return Verdict("memory", self._current_test(), mib=mib)

    def _scan(self, pid: int) -> None:
        """Look up the tree; a process that is new belongs to the test that runs."""
        self._tree = proc.descendants(os.getpid())
        self._next_scan = time.monotonic() + SCAN_EVERY
        for new in self._tree - self._state.ready - {pid}:
            self._state.owner.setdefault(new, self._current_test())

    def _current_test(self) -> str:
        return next(iter(self._state.running), self._state.last_test)

    def _finish(self, pid: int, verdict: Verdict) -> int:
        """Make sure that the process is gone; returns its wait status."""
        if verdict.cause:
            if verdict.cause != "stopped":
                verdict.stacks = self._stacks(verdict.test, pid)
            self._suspect(proc.descendants(os.getpid()))
            proc.kill_tree(os.getpid(), self._spec.grace, self._statuses)
        return self._statuses.get(pid, 0)

    def _stacks(self, test: str, pid: int) -> str:
        """Ask the process that runs `test` for the stacks of all its threads."""
        running = self._state.running.get(test)
        target = running.pid if running is not None else pid
        if target not in self._state.ready:
            return ""
        path = self._folder / f"stacks.{target}"
        proc.send([target], signal.SIGUSR1)
        deadline = time.monotonic() + 1.0
        size = -1
        while time.monotonic() < deadline and (size <= 0 or path.stat().st_size != size):
            size = path.stat().st_size
            time.sleep(TICK)
        return path.read_text(errors="replace")

    def _regular(self, status: int) -> bool:
        """True when the process came to the end of its session and of itself."""
        return self._state.ended and not self._state.worker_crashed and not os.WIFSIGNALED(status)

    def _suspect(self, pids: set[int]) -> None:
        """Tests whose processes lived when the end was irregular: leaks, or fixtures in use.

        Which of the two shows when they run again in a process that ends regularly.
        """
        self._suspects |= {self._state.owner[pid] for pid in pids if pid in self._state.owner}

    def _leaks(self, regular: bool) -> list[dict[str, Any]]:
        """Processes that outlived the test process; they are ended."""
        left = proc.wait_gone(os.getpid(), LEAK_GRACE, self._statuses)
        if not regular:
            self._suspect(left)
            proc.kill_tree(os.getpid(), self._spec.grace, self._statuses)
            return []
        owner = self._state.owner
        leaks = [
            {"process": proc.command_line(pid), "test": owner.get(pid, self._state.last_test)}
            for pid in sorted(left)
        ]
        proc.kill_tree(os.getpid(), self._spec.grace, self._statuses)
        return leaks

    def _report(self, status: int, verdict: Verdict, leaks: list[dict[str, Any]]) -> None:
        self._log.close()
        code = os.waitstatus_to_exitcode(status)
        _emit(
            {
                "event": "exit",
                "code": max(code, 0),
                "signal": signal.Signals(-code).name if code < 0 else "",
                **vars(verdict),
                "mib": self._state.mib,
                "running": list(self._state.running),
                "leaks": leaks,
                "suspects": sorted(self._suspects),
                "sections": self._log.sections,
            }
        )

    def _drain(self, events: int) -> None:
        while self._read_events(events):
            continue

    def _drain_output(self) -> None:
        while self._read_output(self._link.output):
            continue

    def _read_output(self, fd: int) -> bool:
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        if not data and fd in self._selector.get_map():
            self._selector.unregister(fd)
        self._log.feed(data)
        return bool(data)

    def _read_control(self, fd: int) -> None:
        if not os.read(fd, 1 << 10):
            self._selector.unregister(fd)
            self._stopped = True

    def _read_events(self, fd: int) -> bool:
        try:
            self._partial += os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        *lines, self._partial = self._partial.split(b"\n")
        for line in filter(None, lines):
            self._state.last_event = time.monotonic()
            try:
                event = json.loads(line)
            except ValueError:  # cut short by a crash; its test has no finish event
                continue
            self._take(event)
            _emit(event)
        return True

    def _take(self, event: dict[str, Any]) -> None:
        """Keep the state that the limits need."""
        state = self._state
        match event["event"]:
            case "ready":
                state.ready.add(event["pid"])
                state.owner.pop(event["pid"], None)
            case "start":
                limit = event["timeout"] or self._spec.timeout
                state.running[event["id"]] = Running(event["pid"], time.monotonic(), limit)
                state.last_test = event["id"]
            case "finish":
                state.running.pop(event["id"], None)
                for pid in set(event["processes"]) - state.named:
                    state.owner[pid] = event["id"]
                    state.named.add(pid)
            case "leaving" | "left":
                state.leaving = event["event"] == "leaving"
            case "worker_crash":
                state.running.pop(event["id"], None)
                state.worker_crashed = True
            case "session_end":
                state.ended = True


def _emit(event: dict[str, Any]) -> None:
    """One line to the runner; a runner that is gone ends us through standard input."""
    try:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        return


def spawn(spec: Spec, link: Link) -> int:
    """A fresh interpreter."""
    process = subprocess.Popen(
        [spec.python, "-m", "pytest", *spec.arguments],
        cwd=spec.cwd,
        env=link.environment(spec),
        stdin=subprocess.DEVNULL,
        stdout=link.write,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=_before_exec,
    )
    process.returncode = 0  # it is reaped here, with all other children
    return process.pid


def _before_exec() -> None:
    """The test process ends with us, and hears SIGINT even if our caller ignored it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    proc.prctl(proc.PR_SET_PDEATHSIG, signal.SIGKILL)


def supervise(path: Path, start: Start) -> None:
    """Run what the specification, a JSON file, says."""
    proc.prctl(proc.PR_SET_CHILD_SUBREAPER, 1)
    spec = Spec(**json.loads(path.read_text()))
    link = Link.make(Path(spec.folder))
    pid = start(spec, link)
    os.close(link.write)
    Supervisor(spec, link).run(pid)


if __name__ == "__main__":
    supervise(Path(sys.argv[1]), spawn)
