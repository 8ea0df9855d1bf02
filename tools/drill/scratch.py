"""A scratch tree with its own tests and groups, and a runner process over it."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
RUN = (
    "import sys; from pathlib import Path; from tools.runner.main import main; "
    "sys.exit(main(sys.argv[3:], Path(sys.argv[1]), Path(sys.argv[2])))"
)
GROUPS = """
[limits]
jobs = 2
timeout_s = 60
max_timeout_s = 90
slow_s = 60
exit_s = 6
memory_mib = 2048
retry_limit = 25
retries = 3
retry_s = 30
order_s = 20
restart_limit = 100

[files]
tests = ["test/**/test_*.py"]
serial = ["test/serial/**"]
whole = ["test/whole/**"]
judged = ["test/conformance/**"]
spawn = ["test/gpu/**"]

[warm]
imports = []

[groups.smoke]
help = "fast"
parts = [{ files = ["test/unit/**"], markers = "not slow" }]

[groups.pool]
help = "under pytest-xdist"
parts = [{ files = ["test/unit/**"], xdist = 2 }]

[groups.isolated]
help = "a process for each test"
parts = [{ files = ["test/unit/**"], isolation = "test" }]

[groups.conformance]
help = "cells"
parts = [{ files = ["test/conformance/**"] }]
"""


@dataclass(frozen=True)
class Result:
    """What a run left behind."""

    status: int
    text: str
    folder: Path

    @property
    def events(self) -> list[dict[str, Any]]:
        """The JSON lines."""
        lines = (self.folder / "events.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    @property
    def finished(self) -> dict[str, dict[str, Any]]:
        """The final event of each test, by id."""
        return {event["id"]: event for event in self.events if event["type"] == "TestFinished"}

    @property
    def outcomes(self) -> dict[str, str]:
        """Outcome by the id behind the last slash."""
        return {test.rpartition("/")[2]: end["outcome"] for test, end in self.finished.items()}

    @property
    def last_line(self) -> str:
        """The counts."""
        return self.text.splitlines()[-1]


class Scratch:
    """A tree of tests outside of the repository."""

    def __init__(self, root: Path) -> None:
        """Write groups and settings into `root`."""
        self.root = root
        self._runs = 0
        root.mkdir(parents=True, exist_ok=True)
        (root / "groups.toml").write_text(GROUPS)
        (root / "pytest.ini").write_text("[pytest]\naddopts = -p no:hypothesispytest\n")

    def write(self, path: str, text: str) -> None:
        """Write one file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The runner over this tree."""
        groups = str(self.root / "groups.toml")
        return [sys.executable, "-c", RUN, str(self.root), groups, *arguments]

    def environment(self, **more: str) -> dict[str, str]:
        """Ours, without what selects tests, and with `more`.

        The folder of pytest's own temporary folders is ours alone: at its end a session removes
        those of others too, and can take longer for that than the time limit of a fault.
        """
        kept = {name: value for name, value in os.environ.items() if name != "TESTS_TO_INCLUDE"}
        temporary = self.root / "temporary"
        temporary.mkdir(exist_ok=True)
        own = {"PYTHONPATH": str(REPOSITORY), "PYTEST_DEBUG_TEMPROOT": str(temporary)}
        return {**kept, **own, "COLUMNS": "200", **more}

    def run(self, *arguments: str, **variables: str) -> Result:
        """Run to the end."""
        self._runs += 1
        folder = self.root / "reports" / str(self._runs)
        done = subprocess.run(
            self.command(["--report-dir", str(folder), *arguments]),
            cwd=self.root,
            env=self.environment(**variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Result(done.returncode, done.stdout, folder)
