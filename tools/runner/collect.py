"""Test ids, collected once: all files of one kind share a process, `jobs` processes at a time.

A file that cannot be collected is a pseudo test `file::<collection>` in the plan, so it can
neither be lost nor hide the others.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tools.runner.events import Attempt, Outcome
from tools.runner.launch import Job, Launcher
from tools.runner.select import filter_ids, matches
from tools.runner.settings import Isolation, Part, Settings

COLLECTION = "<collection>"
_LIMITS = {"idle": "its time limit", "memory": "its memory limit"}


@dataclass(frozen=True)
class Filters:
    """pytest's own -k and -m, and ids given by name."""

    keyword: str = ""
    markers: str = ""
    ids: tuple[str, ...] = ()

    def arguments(self, part_markers: str) -> tuple[str, ...]:
        """As pytest arguments; a part's marker expression is joined by `and`."""
        both = [f"({text})" for text in (part_markers, self.markers) if text]
        line = ["-m", " and ".join(both)] if both else []
        return (*line, *(["-k", self.keyword] if self.keyword else []))


@dataclass
class Collection:
    """Ids file by file; for what gives no ids (a file, a class) the error, or why it skips."""

    ids: dict[str, list[str]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    skips: dict[str, str] = field(default_factory=dict)
    deselected: int = 0

    def merge(self, other: "Collection") -> None:
        """Add what another process collected."""
        self.ids.update(other.ids)
        self.errors.update(other.errors)
        self.skips.update(other.skips)
        self.deselected += other.deselected

    def keep(self, wanted: Callable[[str], bool]) -> None:
        """Leave out ids, pseudo ids included, that are not wanted."""
        kept = {file: list(filter(wanted, ids)) for file, ids in self.ids.items()}
        self.ids = {file: ids for file, ids in kept.items() if ids}
        for table in (self.errors, self.skips):
            for file in [file for file in table if not wanted(f"{file}::{COLLECTION}")]:
                del table[file]

    def expect(self, ids: Sequence[str]) -> None:
        """Add ids that nothing collects any more: their outcome is missing."""
        known = set(self.all_ids())
        for test in ids:
            if test not in known:
                self.ids.setdefault(test.split("::")[0], []).append(test)

    def all_ids(self) -> list[str]:
        """Every id, pseudo ids included, sorted."""
        real = (test for ids in self.ids.values() for test in ids)
        return sorted([*self.pseudo(), *real])

    def pseudo(self) -> dict[str, Attempt]:
        """The ids that stand for a failed or skipped collection: decided before they run."""
        errors = {
            f"{file}::{COLLECTION}": Attempt(Outcome.ERROR, detail=text)
            for file, text in self.errors.items()
        }
        skips = {
            f"{file}::{COLLECTION}": Attempt(Outcome.SKIPPED, detail=text)
            for file, text in self.skips.items()
        }
        return skips | errors


def collect(
    settings: Settings, parts: Sequence[Part], filters: Filters, launcher: Launcher
) -> Collection:
    """Collect the ids of all parts."""
    batches = [batch for part in parts for batch in _batches(settings, part)]
    merged = Collection()
    with ThreadPoolExecutor(settings.limits.jobs) as pool:

        def one(batch: tuple[Part, tuple[str, ...]]) -> Collection:
            part, files = batch
            return _collect_files(settings, files, filters.arguments(part.markers), launcher)

        try:
            for found in pool.map(one, batches):
                merged.merge(found)
        except KeyboardInterrupt:
            launcher.cancel.request()
            raise
    kept = {file: filter_ids(ids, filters.ids) for file, ids in merged.ids.items()}
    merged.ids = {file: ids for file, ids in kept.items() if ids}
    return merged


def _batches(settings: Settings, part: Part) -> Iterable[tuple[Part, tuple[str, ...]]]:
    """A part's files, the judged ones apart (only they know --impl), in `jobs` heaps."""
    judged = [file for file in part.files if matches(file, settings.groups.judged)]
    others = [file for file in part.files if file not in set(judged)]
    for files in (judged, others):
        for first in range(settings.limits.jobs):
            if heap := tuple(files[first :: settings.limits.jobs]):
                yield part, heap


def _collect_files(
    settings: Settings, files: Sequence[str], arguments: tuple[str, ...], launcher: Launcher
) -> Collection:
    """One process for all files; after a crash the rest again, without the culprit."""
    merged = Collection()
    pending = list(files)
    while pending and not launcher.cancel.requested:
        found, culprit = _collect_once(settings, tuple(pending), arguments, launcher)
        merged.merge(found)
        if culprit is None:
            return merged
        pending = [file for file in pending if file not in found.errors]
        if culprit == "" and len(files) > 1:
            return _one_by_one(settings, pending, arguments, launcher, merged)
    return merged


def _one_by_one(
    settings: Settings,
    files: Sequence[str],
    arguments: tuple[str, ...],
    launcher: Launcher,
    merged: Collection,
) -> Collection:
    """Find which of the files ends the process before it is even named (a conftest does)."""
    for file in files:
        merged.merge(_collect_files(settings, (file,), arguments, launcher))
    return merged


def _collect_once(
    settings: Settings, files: tuple[str, ...], arguments: tuple[str, ...], launcher: Launcher
) -> tuple[Collection, str | None]:
    """What one process collected, and who ended it: None for nobody, "" when not known."""
    spawn = settings.isolation is Isolation.SPAWN
    isolation = Isolation.SPAWN if spawn else Isolation.FILE
    job = Job(files, arguments=("--collect-only", *arguments), isolation=isolation)
    process = launcher.process(settings, job)
    found = Collection()
    current, complete = "", False
    for message in process.messages():
        match message["event"]:
            case "collecting":
                current = message["file"]
            case "collect_error":
                found.errors[message["file"]] = message["longrepr"]
            case "collect_skip":
                found.skips[message["file"]] = message["longrepr"]
            case "collected":
                found.ids[message["file"]] = message["ids"]
            case "collection_end":
                complete, found.deselected = True, message["deselected"]
            case "exit":
                last = message
    if complete or last["cause"] == "stopped":
        process.discard()
        return found, None
    text = process.output(last["sections"], 0)
    ending = _LIMITS.get(last["cause"]) or last["signal"] or f"status {last['code']}"
    culprits = [current] if current else list(files) if len(files) == 1 else []
    errors = dict.fromkeys(culprits, f"collection ended by {ending}\n{text}")
    return Collection(errors=errors), current
