"""The way from a test process to its supervisor: JSON lines through a named pipe.

It is opened by name, not inherited, so that a test which closes every descriptor, or whose
own file gets the same number, loses no event: the identity of the descriptor is checked before
each write. A lock keeps lines of several processes (pytest-xdist) apart, and a leading newline
keeps a line that a crash cut short from swallowing the next.
"""

import fcntl
import json
import os
from typing import Any

PRIVATE_PREFIX = "CEPHEID_RUNNER_"
EVENTS_VARIABLE = f"{PRIVATE_PREFIX}EVENTS"
STACKS_VARIABLE = f"{PRIVATE_PREFIX}STACKS"
TOKEN_VARIABLE = f"{PRIVATE_PREFIX}TOKEN"
IDS_VARIABLE = f"{PRIVATE_PREFIX}IDS"
ORDER_VARIABLE = f"{PRIVATE_PREFIX}ORDER"
ISOLATE_VARIABLE = f"{PRIVATE_PREFIX}ISOLATE"
CLAIMS_VARIABLE = f"{PRIVATE_PREFIX}CLAIMS"
MAX_TIMEOUT_VARIABLE = f"{PRIVATE_PREFIX}MAX_TIMEOUT"
READY = b"ready"
CLIP_CHARACTERS = 256 * 1024


class Channel:
    """Writes events of this process only: a forked copy of it stays silent."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._pid = os.getpid()
        self._fd = -1
        self._identity = (-1, -1)
        self._open()

    @property
    def owned(self) -> bool:
        """False in a fork of the process that opened the channel."""
        return os.getpid() == self._pid

    def send(self, event: str, **fields: Any) -> None:
        """Write one event; blocks while the supervisor is behind."""
        if not self.owned:
            return
        line = json.dumps({"event": event, "pid": self._pid, **fields}, default=repr)
        data = b"\n" + line.encode() + b"\n"
        if not self._intact():
            self._open()
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        try:
            while data:
                data = data[os.write(self._fd, data) :]
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _open(self) -> None:
        self._fd = os.open(self._path, os.O_WRONLY | os.O_CLOEXEC)
        status = os.fstat(self._fd)
        self._identity = (status.st_dev, status.st_ino)

    def _intact(self) -> bool:
        try:
            status = os.fstat(self._fd)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._identity


def clip(text: str, cap: int = CLIP_CHARACTERS) -> str:
    """`text`, its middle left out when it is longer than `cap` characters."""
    if len(text) <= cap:
        return text
    half = cap // 2
    return f"{text[:half]}\n[... {len(text) - cap} characters left out ...]\n{text[-half:]}"
