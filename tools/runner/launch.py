"""Start supervised pytest processes, forked or spawned, and read what their supervisors say."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tools.runner import channel
from tools.runner.claims import Claims
from tools.runner.select import matches
from tools.runner.settings import REPOSITORY, Isolation, Settings
from tools.runner.warm import ONE_THREAD, Forked, WarmServer

Message = dict[str, Any]
_numbers = itertools.count(1)

PYTEST = (
    *("-p", "tools.runner.plugin", "-p", "no:cacheprovider"),
    *("-q", "--no-header", "--continue-on-collection-errors"),
)


class Cancel:
    """One switch that ends every supervised process of the run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inputs: set[IO[bytes]] = set()
        self._set = False

    @property
    def requested(self) -> bool:
        """True once the run is to stop."""
        return self._set

    def request(self) -> None:
        """Close the supervisors' standard inputs: each ends its tree and reports."""
        with self._lock:
            self._set = True
            for stream in self._inputs:
                stream.close()
            self._inputs.clear()

    def add(self, stream: IO[bytes]) -> None:
        """Have `stream` closed on request, or now when that has been."""
        with self._lock:
            if self._set:
                stream.close()
            else:
                self._inputs.add(stream)

    def remove(self, stream: IO[bytes]) -> None:
        """The process has ended by itself."""
        with self._lock:
            self._inputs.discard(stream)
            stream.close()


@dataclass(frozen=True)
class Job:
    """One pytest process: which files, which ids of them, how."""

    files: tuple[str, ...]
    ids: tuple[str, ...] | None = None  # None: all
    workers: int = 0
    arguments: tuple[str, ...] = ()
    ordered: bool = False  # the ids run in the given order, not in that of their files
    isolation: Isolation = Isolation.FILE
    shared: bool = False  # the runner may take tests away while it runs


class Launcher:
    """Starts the processes of one run, and stops them."""

    def __init__(self) -> None:
        self.cancel = Cancel()
        self._server = WarmServer()

    def process(self, settings: Settings, job: Job) -> "Process":
        """A process that is ready to run."""
        return Process(settings, job, self.cancel, self._server)

    def close(self) -> None:
        """No further process will be started."""
        self._server.close()


class Process:
    """A supervised pytest process; iterate over its messages, the last is `exit`."""

    def __init__(self, settings: Settings, job: Job, cancel: Cancel, server: WarmServer) -> None:
        self.folder = settings.folder / "processes" / f"{next(_numbers):04d}"
        self.folder.mkdir(parents=True)
        self._settings = settings
        self._job = job
        self._cancel = cancel
        self._server = server
        self.claims = Claims(self.folder / "claims")

    def messages(self) -> Iterator[Message]:
        """Run to the end. A supervisor that dies has its `exit` said for it."""
        specification = self.folder / "spec.json"
        specification.write_text(json.dumps(self._specification()))
        process = self._start(specification)
        assert process.stdin is not None and process.stdout is not None
        self._cancel.add(process.stdin)
        last: Message = {}
        with process.stdout:
            for line in process.stdout:
                last = json.loads(line)
                yield last
        self._cancel.remove(process.stdin)
        status = process.wait()
        if status != 0 or last.get("event") != "exit":
            yield _exit_without_supervisor(status)

    def output(self, sections: dict[str, list[int]], number: int) -> str:
        """What the test that was `number` in this process wrote; 0: outside all tests."""
        offset, size = sections.get(str(number), (0, 0))
        path = self.folder / "output.log"
        if not path.exists():  # its supervisor ended at once
            return ""
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(size).decode(errors="replace")

    def discard(self) -> None:
        """Remove the folder: nothing in it is worth keeping."""
        shutil.rmtree(self.folder)

    def _start(self, specification: Path) -> subprocess.Popen[bytes] | Forked:
        """The supervisor: a fork of the warm server, or a fresh interpreter.

        pytest-xdist starts interpreters of its own, so a pool gains nothing by a fork.
        """
        if self._job.isolation is not Isolation.SPAWN and not self._job.workers:
            return self._server.fork(self._settings, specification)
        return subprocess.Popen(
            [sys.executable, "-S", "-P", "-m", "tools.runner.supervisor", str(specification)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def _specification(self) -> dict[str, Any]:
        limits = self._settings.limits
        environment = self._settings.environment()
        if self._job.ids is not None:
            ids = self.folder / "ids"
            ids.write_text("\0".join(self._job.ids))
            environment[channel.IDS_VARIABLE] = str(ids)
            environment[channel.ORDER_VARIABLE] = "given" if self._job.ordered else "file"
            if self._job.shared:
                self.claims.create(len(self._job.ids))
                environment[channel.CLAIMS_VARIABLE] = str(self.claims.path)
            if self._job.isolation is Isolation.TEST:
                environment |= {channel.ISOLATE_VARIABLE: "1", **ONE_THREAD}
        return {
            "python": self._settings.python,
            "arguments": arguments(self._settings, self._job),
            "cwd": str(self._settings.root),
            "environment": environment,
            "folder": str(self.folder),
            "timeout": limits.timeout_s,
            "slow": limits.slow_s,
            "exit_grace": limits.exit_s,
            "memory_mib": limits.memory_mib,
        }


def _exit_without_supervisor(status: int) -> Message:
    """The last message when the supervisor itself ended: by a test's hand, or short of memory."""
    return {
        "event": "exit",
        "cause": "supervisor",
        "code": max(status, 0),
        "signal": signal.Signals(-status).name if status < 0 else "",
        "test": "",
        "seconds": 0.0,
        "mib": 0.0,
        "stacks": "",
        "leaks": [],
        "suspects": [],
        "sections": {},
    }


def arguments(settings: Settings, job: Job) -> list[str]:
    """The pytest command line of a job."""
    line = [*PYTEST, f"--rootdir={settings.root}"]
    line += ["-n", str(job.workers), "--dist", "load"] if job.workers else ["--capture=no"]
    if all(matches(file, settings.groups.judged) for file in job.files):
        line.append(f"--impl={settings.implementation.name}")
    return [*line, *settings.pytest_arguments, *job.arguments, *_existing(settings.root, job.files)]


def _existing(root: Path, files: Sequence[str]) -> list[str]:
    """Absolute paths, so that no file name can read as an option."""
    return [str(root / file) for file in files]
