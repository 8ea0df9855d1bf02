"""Which tests failed when they last ran: `build/reports/failed.json`, for --last-failed."""

import json
import os
from pathlib import Path

from tools.runner.events import GOOD, Event, Outcome, RunFinished, TestFinished


class History:
    """Reads the table, and as a consumer of events brings it up to date.

    Tests that a run does not have keep what is known of them.
    """

    def __init__(self, root: Path) -> None:
        self._path = root / "build" / "reports" / "failed.json"
        self._ended: dict[str, Outcome] = {}

    def failed(self) -> dict[str, str]:
        """Id -> outcome; empty when no run has been recorded."""
        if not self._path.is_file():
            return {}
        table: dict[str, str] = json.loads(self._path.read_text())
        return table

    def take(self, event: Event) -> None:
        """Note outcomes; write on RunFinished. What did not run is as unknown as before."""
        if isinstance(event, TestFinished) and event.outcome is not Outcome.NOT_RUN:
            self._ended[event.id] = event.outcome
        if isinstance(event, RunFinished):
            self._write()

    def _write(self) -> None:
        table = {test: how for test, how in self.failed().items() if test not in self._ended}
        table |= {test: how.value for test, how in self._ended.items() if how not in GOOD}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(table, indent=0, sort_keys=True) + "\n")
        fresh.replace(self._path)
