"""Recorded test durations: `ci/durations.json`, read, written and merged.

The file keeps the median of each family (the tests of one file), and single tests only where they
differ from it enough to matter, so that it stays small enough to commit.
"""

import json
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

VERSION = 1
DEFAULT_SECONDS = 0.05
NOTABLE_SECONDS = 0.25
_DIGITS = 3


def family(test: str) -> str:
    """The family of a test id: its file."""
    return test.split("::")[0]


@dataclass(frozen=True)
class Durations:
    """Seconds by test id, and the median by family."""

    tests: dict[str, float] = field(default_factory=dict)
    families: dict[str, float] = field(default_factory=dict)

    def seconds(self, test: str) -> float:
        """Known seconds; else the family's median; else the median of all families."""
        known = self.tests.get(test, self.families.get(family(test)))
        return self._default() if known is None else known

    def merge(self, measured: Mapping[str, float]) -> "Durations":
        """A new table in which measured tests replace what was known of them and their family."""
        groups: dict[str, list[float]] = {}
        for test, seconds in measured.items():
            groups.setdefault(family(test), []).append(seconds)
        families = {**self.families}
        for name, values in groups.items():
            families[name] = round(statistics.median(values), _DIGITS)
        tests = {name: value for name, value in self.tests.items() if name not in measured}
        for test, seconds in measured.items():
            if abs(seconds - families[family(test)]) >= NOTABLE_SECONDS:
                tests[test] = round(seconds, _DIGITS)
        return Durations(tests, families)

    def keep(self, ids: Iterable[str]) -> "Durations":
        """Without tests and families that exist no more."""
        known = set(ids)
        files = {family(test) for test in known}
        return Durations(
            {test: value for test, value in self.tests.items() if test in known},
            {name: value for name, value in self.families.items() if name in files},
        )

    def _default(self) -> float:
        values = self.families.values()
        return statistics.median(values) if values else DEFAULT_SECONDS


def read(path: Path) -> Durations:
    """Read a durations file; a missing file is an empty table.

    Raises ValueError for a file of another version or shape.
    """
    if not path.is_file():
        return Durations()
    data = json.loads(path.read_text())
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise ValueError(f"{path}: expected an object with version {VERSION}; write it anew")
    return Durations(dict(data["tests"]), dict(data["families"]))


def write(path: Path, durations: Durations) -> None:
    """Write sorted, one entry a line, so that a diff shows what changed."""
    data = {
        "version": VERSION,
        "families": dict(sorted(durations.families.items())),
        "tests": dict(sorted(durations.tests.items())),
    }
    path.write_text(json.dumps(data, indent=1) + "\n")
