"""One test in a fork of its session's process, which has imported everything and run nothing.

The parent waits. When the fork does not come to its own end, the parent ends in the same way, so
that the supervisor sees the fault as that of any test process; no verdict is passed on here.
"""

import faulthandler
import gc
import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

import pytest
from _pytest.runner import runtestprotocol

from tools.runner import proc


class Isolation:
    """Forks of one pytest process. Raises RuntimeError when that has more than one thread."""

    def __init__(self) -> None:
        threads = proc.threads()
        if threads != 1:
            raise RuntimeError(
                f"--isolation test: expected 1 thread before the first test; importing the test "
                f"file started {threads - 1} more, which no fork would have; run this file with "
                f"--isolation file"
            )
        gc.collect()
        gc.freeze()  # a collection in a fork would copy every page
        # Shared memory, since a test may close every descriptor.
        self._came_to_its_end = mmap.mmap(-1, 1)

    def run(self, item: pytest.Item, begin: Callable[[], None], leave: Callable[[], None]) -> None:
        """Run `item` from setup to teardown in a fork; `begin` and `leave` are called there."""
        self._came_to_its_end[0] = 0
        _flush()
        pid = os.fork()
        if pid == 0:
            self._in_fork(item, begin, leave)
        _, status = os.waitpid(pid, 0)
        if not self._came_to_its_end[0] or status:
            _end_like(status)

    def _in_fork(
        self, item: pytest.Item, begin: Callable[[], None], leave: Callable[[], None]
    ) -> NoReturn:
        proc.prctl(proc.PR_SET_PDEATHSIG, signal.SIGKILL)
        begin()
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        runtestprotocol(item, nextitem=None)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        leave()
        for thread in threading.enumerate():
            if not thread.daemon and thread is not threading.current_thread():
                thread.join()
        self._came_to_its_end[0] = 1
        _flush()
        os._exit(0)  # to take the interpreter apart costs more than most tests


def _end_like(status: int) -> NoReturn:
    """End as the fork did: by the same signal, or with the same status."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        os._exit(code)
    faulthandler.disable()
    if -code not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    os._exit(128 - code)  # a signal that does not end a process


def _flush() -> None:
    """What is buffered belongs to this process alone."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # a test closed the stream
        return
