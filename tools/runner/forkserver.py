"""The warm server: imports what all test processes need once, then forks them on request.

Started as `python -m tools.runner.forkserver MODULE...` with one end of a socket pair as standard
input. A request is the path of a specification with three descriptors: standard input and output
of the supervisor to be, and a pipe for its wait status. The server forks the supervisor, and that
forks the test process, so the three stand in the same row as when they are spawned.

It has one thread and never runs a test: no lock is held and no device is open when it forks. What
tests share through it are imported modules only.
"""

import array
import gc
import importlib
import os
import selectors
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from tools.runner import channel, proc, supervisor
from tools.runner.supervisor import Link, Spec

REQUEST_BYTES = 8192
DESCRIPTORS = 3


class Server:
    """Forks until the other end of `control` is closed."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._pipes: dict[int, tuple[int, int]] = {}  # pidfd -> process, pipe for its status

    def serve(self) -> Path | None:
        """Returns a specification in a process that is to supervise it, None in the server."""
        self._control.send(channel.READY)
        while True:
            for key, _ in self._selector.select():
                if key.fd in self._pipes:
                    self._ended(key.fd)
                    continue
                text, descriptors = self._request()
                if not text:
                    return None
                if self._fork(descriptors):
                    return Path(os.fsdecode(text))

    def _request(self) -> tuple[bytes, list[int]]:
        text, descriptors, _, _ = socket.recv_fds(self._control, REQUEST_BYTES, DESCRIPTORS)
        return text, descriptors

    def _fork(self, descriptors: Sequence[int]) -> bool:
        """True in the child, which has only its own descriptors."""
        stdin, stdout, status = descriptors
        pid = os.fork()
        if pid == 0:
            os.setsid()
            self._close()
            os.dup2(stdin, 0)
            os.dup2(stdout, 1)
            for descriptor in descriptors:
                os.close(descriptor)
            return True
        os.close(stdin)
        os.close(stdout)
        pidfd = os.pidfd_open(pid)
        self._pipes[pidfd] = (pid, status)
        self._selector.register(pidfd, selectors.EVENT_READ)
        return False

    def _close(self) -> None:
        self._selector.close()
        self._control.close()
        for pidfd, (_, status) in self._pipes.items():
            os.close(pidfd)
            os.close(status)

    def _ended(self, pidfd: int) -> None:
        pid, status = self._pipes.pop(pidfd)
        self._selector.unregister(pidfd)
        os.close(pidfd)
        _, wait_status = os.waitpid(pid, 0)
        os.write(status, array.array("i", [os.waitstatus_to_exitcode(wait_status)]).tobytes())
        os.close(status)


def fork(spec: Spec, link: Link) -> int:
    """The test process as a fork of this one. The child returns from here by SystemExit only."""
    pid = os.fork()
    if pid == 0:
        _become_test(spec, link)
    return pid


def _become_test(spec: Spec, link: Link) -> NoReturn:
    """As `python -m pytest` would have begun."""
    proc.prctl(proc.PR_SET_CHILD_SUBREAPER, 0)
    proc.prctl(proc.PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (link.write, 1), (link.write, 2)):
        os.dup2(source, target)
    for descriptor in (nothing, link.write, link.output):
        os.close(descriptor)
    os.chdir(spec.cwd)
    os.environ.clear()
    os.environ.update(link.environment(spec))
    sys.argv = ["pytest", *spec.arguments]
    sys.exit(pytest.main())


def warm(modules: Sequence[str]) -> None:
    """Import `modules`; raises RuntimeError when that starts a thread."""
    for name in modules:
        importlib.import_module(name)
    threads = proc.threads()
    if threads != 1:
        raise RuntimeError(
            f"forkserver: expected 1 thread before the first fork; importing {', '.join(modules)} "
            f"started {threads - 1} more; take the module that does so out of [warm] imports"
        )
    gc.collect()
    gc.freeze()  # a collection in a child would copy every page


def main(modules: Sequence[str]) -> None:
    """Entry of the server, and of all that it forks."""
    control = socket.socket(fileno=os.dup(0))
    warm(modules)
    specification = Server(control).serve()
    if specification is not None:
        supervisor.supervise(specification, fork)


if __name__ == "__main__":
    main(sys.argv[1:])
