"""Flow 8, the test run: its named stages, recorded as they are reached."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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


@contextmanager
def listening(sink: Sink) -> Iterator[None]:
    """Send every stage reached inside the block, in any thread, to `sink`."""
    _sinks.append(sink)
    try:
        yield
    finally:
        _sinks.remove(sink)
