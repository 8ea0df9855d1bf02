"""Process trees and memory, read from /proc; signals to whole trees.

The supervisor is a subreaper, so whatever a test starts stays among its descendants, new sessions
and double forks included.
"""

import ctypes
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

PROC = Path("/proc")
PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 2**20
KILL_ROUNDS = 50
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def prctl(option: int, value: int) -> None:
    """Call prctl(2); raises OSError where the kernel refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl: option {option} refused")


def parents() -> dict[int, int]:
    """Parent of every process that is alive (a zombie is not)."""
    found: dict[int, int] = {}
    for entry in PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text(errors="replace")
        except OSError:  # it ended meanwhile
            continue
        state, parent = text.rpartition(")")[2].split()[:2]
        if state not in "ZX":
            found[int(entry.name)] = int(parent)
    return found


def descendants(root: int) -> set[int]:
    """All living processes below `root`."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents().items():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    queue = [root]
    while queue:
        for pid in children.get(queue.pop(), []):
            found.add(pid)
            queue.append(pid)
    return found


def threads() -> int:
    """Threads of this process, those of native code included."""
    return len(list((PROC / "self" / "task").iterdir()))


def own_mib(pid: int) -> float:
    """Resident memory that is not shared with a file, in MiB; 0 for a process that ended."""
    try:
        resident, shared = (PROC / str(pid) / "statm").read_text().split()[1:3]
    except OSError:
        return 0.0
    return (int(resident) - int(shared)) * PAGE_MIB


def command_line(pid: int) -> str:
    """The command of a process, for a report."""
    try:
        words = (PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return "(ended)"
    return b" ".join(words).decode(errors="replace").strip()[:300]


def send(pids: Iterable[int], number: signal.Signals) -> None:
    """Send one signal to each process that still exists."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def reap() -> dict[int, int]:
    """Collect the wait status of every child that has ended."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status


def wait_gone(root: int, seconds: float, ended: dict[int, int]) -> set[int]:
    """Wait until `root` has no living descendant; returns those left after `seconds`.

    Wait statuses collected meanwhile are added to `ended`.
    """
    deadline = time.monotonic() + seconds
    while True:
        ended.update(reap())
        left = descendants(root)
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)


def kill_tree(root: int, grace: float, ended: dict[int, int]) -> None:
    """End all descendants of `root`: SIGTERM, `grace` seconds, then SIGKILL.

    SIGKILL is repeated, since a tree can grow while it is killed; a process that the kernel does
    not end for ten seconds (one in uninterruptible sleep) is left.
    """
    send(descendants(root), signal.SIGTERM)
    for _ in range(KILL_ROUNDS):
        left = wait_gone(root, grace, ended)
        if not left:
            return
        send(left, signal.SIGKILL)
        grace = 0.2
