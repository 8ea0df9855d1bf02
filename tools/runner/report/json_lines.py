"""Every event of a run, one JSON object a line, and the measured durations."""

import json
import time
from pathlib import Path

from tools.runner.events import GOOD, Event, RunFinished, TestFinished


class JsonLines:
    """Writes `events.jsonl` as the run goes, `durations.json` at its end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = (folder / "events.jsonl").open("w")
        self._durations: dict[str, float] = {}

    def take(self, event: Event) -> None:
        """Write the event and its time; it is on disk when this returns."""
        data = {**event.to_json(), "t": round(time.time(), 3)}
        self._file.write(json.dumps(data, default=repr) + "\n")
        self._file.flush()
        if isinstance(event, TestFinished) and event.outcome in GOOD:
            self._durations[event.id] = round(event.seconds, 4)
        if isinstance(event, RunFinished):
            self._file.close()
            text = json.dumps(self._durations, indent=0, sort_keys=True)
            (self._folder / "durations.json").write_text(text + "\n")
