"""Flow 8, the test run: its named stages, recorded as they are reached.

They go to the listeners of this process and, where CEPHEID_TRACE_FILE names a file, to it in the
format of docs/flows.md.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ARGUMENTS = "arguments merged with TESTS_TO_INCLUDE"
SELECTION = "selection and groups"
TARGETS = "target determination"
SHARDING = "sharding"
SERIAL = "serial files"
PARALLEL = "parallel files"
FILE = "pytest per file"
TEST = "per-test subprocess, timeout, retry"

FLOW = (ARGUMENTS, SELECTION, TARGETS, SHARDING, SERIAL, PARALLEL, FILE, TEST)
"""In the order in which a run first reaches them, files that run alone aside (FILE follows
SERIAL as soon as a serial file exists)."""

NO_TARGETS = "no --changed is given; every named test runs"
FLOW_NUMBER = 8
FILE_VARIABLE = "CEPHEID_TRACE_FILE"

Sink = Callable[[str, str], None]
_sinks: list[Sink] = []


def stage(name: str, absent: str = "") -> None:
    """Record that stage `name` is reached; `absent` says why its part does not exist yet.

    Raises ValueError when the flow has no such stage.
    """
    if name not in FLOW:
        raise ValueError(f"stage: expected one of {FLOW}; got {name!r}; add it to trace.FLOW")
    for sink in _sinks:
        sink(name, absent)
    if path := os.environ.get(FILE_VARIABLE):
        _append(Path(path), name, absent)


def _append(path: Path, name: str, absent: str) -> None:
    """One write in append mode: several processes may share the file."""
    record = {
        "flow": FLOW_NUMBER,
        "stage": name,
        "status": "absent" if absent else "done",
        "reason": absent,
        "t": time.time(),
        "pid": os.getpid(),
    }
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")


@contextmanager
def listening(sink: Sink) -> Iterator[None]:
    """Send every stage reached inside the block, in any thread, to `sink`."""
    _sinks.append(sink)
    try:
        yield
    finally:
        _sinks.remove(sink)
