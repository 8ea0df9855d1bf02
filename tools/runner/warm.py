"""The runner's side of the warm server (forkserver.py)."""

import array
import os
import socket
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tools.runner import channel
from tools.runner.settings import Settings

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Where forks follow: a pool of threads that starts at import would not survive one."""


class WarmServerError(RuntimeError):
    """The server could not start; its own words are on standard error."""


@dataclass(frozen=True)
class Forked:
    """A supervisor that the server has forked, as far as subprocess.Popen's user needs it."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    status: int

    def wait(self) -> int:
        """Its exit status; negative for a signal, that of SIGKILL when the server is lost."""
        with os.fdopen(self.status, "rb") as pipe:
            data = pipe.read()
        return array.array("i", data)[0] if data else -9


class WarmServer:
    """One server for a run; it starts with the first request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def fork(self, settings: Settings, specification: Path) -> Forked:
        """Have a specification supervised. Raises WarmServerError when the server cannot start."""
        stdin, to_child = os.pipe()
        from_child, stdout = os.pipe()
        status, say_status = os.pipe()
        passed = [stdin, stdout, say_status]
        try:
            with self._lock:
                self._send(settings, os.fsencode(specification), passed)
        finally:
            for descriptor in passed:
                os.close(descriptor)
        return Forked(os.fdopen(to_child, "wb", 0), os.fdopen(from_child, "rb"), status)

    def close(self) -> None:
        """End the server; what it forked goes on."""
        with self._lock:
            if self._control is not None and self._process is not None:
                self._control.close()
                self._process.wait()
            self._control = self._process = None

    def _send(self, settings: Settings, text: bytes, descriptors: list[int]) -> None:
        """Ask; a server that was lost (a test may kill anything) is replaced by a new one."""
        if self._process is not None and self._process.poll() is not None:
            self._control = None
        if self._control is None:
            self._start(settings)
        assert self._control is not None
        socket.send_fds(self._control, [text], descriptors)

    def _start(self, settings: Settings) -> None:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        modules = settings.groups.warm
        with there:
            self._process = subprocess.Popen(
                [settings.python, "-m", "tools.runner.forkserver", *modules],
                cwd=settings.root,
                env={**settings.environment(), **ONE_THREAD},
                stdin=there.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        if here.recv(len(channel.READY)) != channel.READY:
            status = self._process.wait()
            raise WarmServerError(
                f"the warm server ended with status {status} before its first fork"
            )
        self._control = here
