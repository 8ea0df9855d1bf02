"""The trace as JSON lines, one stage a line: what CEPHEID_TRACE_FILE asks for (docs/flows.md)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

Event: TypeAlias = dict[str, object]


def writer(path: str) -> Callable[[Event], None]:
    """A listener that appends each event as one line to the file at `path`.

    A line is one write in append mode, so several processes may share the file.
    """

    def write(event: Event) -> None:
        line = json.dumps(event, default=str) + "\n"
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(line)

    return write


def read(path: str) -> list[Event]:
    """The events of a trace file in the order of their times; [] if nothing was recorded."""
    file = Path(path)
    if not file.exists():
        return []
    events: list[Event] = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return sorted(events, key=lambda event: float(str(event["t"])))
