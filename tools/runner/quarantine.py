"""ci/quarantine.toml: tests whose failures don't fail a run, for two weeks at most.

    [[test]]
    pattern = "test/unit/tools/test_run.py::test_stop*"   # `*` in the part behind `::`
    owner = "who mends it"
    reason = "what is seen"
    issue = "where it is followed"
    expires = 2026-12-14

The tests run and are reported. An entry that is expired, or names no test, fails the run.
"""

import datetime
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tools.runner.events import GOOD, Outcome, TestFinished
from tools.runner.select import matches

FILE = Path("ci") / "quarantine.toml"
LONGEST = datetime.timedelta(days=14)
REPEATS = 50
"""How often `--quarantined` runs each test: evidence to release or to mend it."""

_ALWAYS_BAD = frozenset({Outcome.MISSING, Outcome.NOT_RUN})


@dataclass(frozen=True)
class Entry:
    """One table of the file."""

    pattern: str
    owner: str
    reason: str
    issue: str
    expires: datetime.date

    def __str__(self) -> str:
        return f"{self.reason} ({self.owner}; {self.issue}; until {self.expires})"

    @property
    def file(self) -> str:
        """The part of the pattern that names files."""
        return self.pattern.partition("::")[0]

    def matches(self, test: str) -> bool:
        """True for the ids that the entry covers; a file alone covers all of its tests."""
        file, _, name = test.partition("::")
        return matches(file, [self.file]) and self._name.fullmatch(name) is not None

    @cached_property
    def _name(self) -> re.Pattern[str]:
        name = self.pattern.partition("::")[2] or "*"
        return re.compile(".*".join(map(re.escape, name.split("*"))), re.DOTALL)


@dataclass(frozen=True)
class Quarantine:
    """The entries in force, and what is wrong with the others."""

    entries: tuple[Entry, ...] = ()
    expired: tuple[str, ...] = ()

    def entry(self, test: str) -> Entry | None:
        """The entry that covers a test."""
        return next((entry for entry in self.entries if entry.matches(test)), None)

    def mark(self, event: TestFinished) -> TestFinished:
        """The event with the reason for which its failure is tolerated."""
        if event.outcome in GOOD | _ALWAYS_BAD:
            return event
        entry = self.entry(event.id)
        return event if entry is None else replace(event, quarantined=str(entry))

    def problems(self, root: Path, whole: Iterable[str], ids: Sequence[str]) -> tuple[str, ...]:
        """Expired entries, and those that name no test: no file at all, or no id of the files
        that were collected whole."""
        collected = set(whole)
        unmatched = [
            f"{entry.pattern}: names no test"
            for entry in self.entries
            if not any(entry.matches(test) for test in ids)
            and (_covers(entry, collected) or not any(root.glob(entry.file)))
        ]
        return (*self.expired, *unmatched)


def _covers(entry: Entry, collected: Iterable[str]) -> bool:
    return any(matches(file, [entry.file]) for file in collected)


def load(path: Path, judged: Sequence[str], today: datetime.date) -> Quarantine:
    """Read the file; none is an empty one.

    Raises ValueError for a table of another shape, an expiry more than 14 days ahead, or a file
    of conformance cells: a known deviation is an entry of the implementation's capability file.
    """
    if not path.is_file():
        return Quarantine()
    entries = [_entry(path, table) for table in _tables(path)]
    for entry in entries:
        if entry.expires - today > LONGEST:
            raise ValueError(f"{path}: {entry.pattern}: expected an expiry within 14 days")
        if matches(entry.file, judged):
            raise ValueError(f"{path}: {entry.pattern}: expected no cell; see capabilities/")
    expired = [entry for entry in entries if entry.expires < today]
    return Quarantine(
        entries=tuple(entry for entry in entries if entry not in expired),
        expired=tuple(f"{entry.pattern}: expired on {entry.expires}" for entry in expired),
    )


def _tables(path: Path) -> list[dict[str, Any]]:
    try:
        content = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from error
    tables = content.pop("test", [])
    if content or not isinstance(tables, list):
        found = ", ".join(content) or "another shape"
        raise ValueError(f"{path}: expected [[test]] tables only; got {found}")
    return tables


def _entry(path: Path, table: dict[str, Any]) -> Entry:
    names = [field.name for field in fields(Entry)]
    texts = all(
        isinstance(value, str) and value for name, value in table.items() if name != "expires"
    )
    if sorted(table) != sorted(names) or not texts or type(table["expires"]) is not datetime.date:
        raise ValueError(f"{path}: expected a [[test]] with {', '.join(names)}; got {table}")
    return Entry(**table)
