"""Record and replay: `record.json` of a report says what to run again, in which order, with what.

A sequence is the tests of one process in the order in which they began. A replay runs the sequences
one after the other, each in a process of its own, and says which outcomes differ.
"""

import json
import os
import platform
import secrets
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tools.runner.channel import PRIVATE_PREFIX
from tools.runner.events import (
    Event,
    PlanMade,
    RunFinished,
    RunStarted,
    TestFinished,
    TestStarted,
)

FILE = "record.json"
FORMAT = 1
HASH_SEED = "PYTHONHASHSEED"
SEED = "CEPHEID_SEED"
DRAWS = "CEPHEID_DRAWS"
LEVEL = "CEPHEID_LEVEL"

_PREFIXES = ("CEPHEID_", "PYTHON", "OMP_", "MKL_", "OPENBLAS_", "LC_")
_NAMES = frozenset({"LANG", "TZ", "PYTEST_ADDOPTS", "PYTEST_PLUGINS"})
_PLACES = frozenset(
    {
        "PYTHONPATH",
        "CEPHEID_CANDIDATE_PYTHON",
        "CEPHEID_ENV_DIR",
        "CEPHEID_RUN_DIR",
        "CEPHEID_TRACE_FILE",
    }
)
"""Where things are, which is another matter than what they do."""


@dataclass
class Record:
    """What a run was."""

    run: str = ""
    implementation: str = ""
    command: str = ""
    plan_hash: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    sequences: list[list[str]] = field(default_factory=list)
    outcomes: dict[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """All tests, in order."""
        return [test for sequence in self.sequences for test in sequence]


class Recorder:
    """A consumer of events that writes `record.json` at the end."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._path = folder / FILE
        self._record = Record(environment=environment(), facts=facts(root))
        self._processes: dict[str, list[str]] = {}
        self._begun: set[str] = set()

    def take(self, event: Event) -> None:
        """Note an event; write on RunFinished."""
        match event:
            case RunStarted():
                self._record.run = event.run
                self._record.implementation = event.implementation
                self._record.command = event.command
            case PlanMade():
                self._record.plan_hash = event.plan_hash
            case TestStarted() if event.id not in self._begun:
                self._begun.add(event.id)
                self._processes.setdefault(event.process, []).append(event.id)
            case TestFinished():
                self._record.outcomes[event.id] = event.outcome.value
            case RunFinished():
                self._write()

    def _write(self) -> None:
        never = [[test] for test in self._record.outcomes if test not in self._begun]
        self._record.sequences = [*self._processes.values(), *never]
        text = json.dumps({"format": FORMAT, **asdict(self._record)}, indent=1)
        self._path.write_text(text + "\n")


class Comparison:
    """A consumer of events that says at the end where a replay differs from its record."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._outcomes: dict[str, str] = {}

    def take(self, event: Event) -> None:
        """Note outcomes; print on RunFinished."""
        if isinstance(event, TestFinished):
            self._outcomes[event.id] = event.outcome.value
        if isinstance(event, RunFinished):
            sys.stdout.write("".join(f"replay: {line}\n" for line in self.lines()))
            sys.stdout.flush()

    def lines(self) -> list[str]:
        """The sum, and a line for each outcome that differs."""
        before = self._record.outcomes
        different = [
            f"{test}: {before[test]}, now {self._outcomes.get(test, 'without outcome')}"
            for test in sorted(before)
            if before[test] != self._outcomes.get(test)
        ]
        run = self._record.run
        return [f"{len(different)} of {len(before)} outcomes differ from {run}", *different]


def read(folder: Path) -> Record:
    """Read a report's record. Raises ValueError when there is none of this format."""
    path = folder / FILE
    try:
        data = json.loads(path.read_text())
        if data.pop("format") != FORMAT:
            raise ValueError(f"expected format {FORMAT}")
        return Record(**data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"--replay: expected a report folder with {FILE}; {error}") from error


def environment(variables: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables on which a test's behaviour may depend."""
    return {name: value for name, value in sorted(variables.items()) if _counts(name)}


def restore(record: Record) -> list[str]:
    """Set the variables as recorded; returns what else differs from the record, a line each."""
    for name in environment():
        if name not in record.environment:
            del os.environ[name]
    os.environ.update(record.environment)
    now = facts(Path.cwd())
    return [
        f"{name}: {record.facts[name]}, now {now.get(name, 'unknown')}"
        for name in record.facts
        if record.facts[name] != now.get(name)
    ]


def fix_judging(seed: int | None, draws: int | None, level: str | None) -> None:
    """Give the run its seeds and level, so that they can be recorded: the hash seed is drawn when
    not set."""
    os.environ.setdefault(HASH_SEED, str(secrets.randbelow(2**32)))
    for name, value in ((SEED, seed), (DRAWS, draws), (LEVEL, level)):
        if value is not None:
            os.environ[name] = str(value)


def facts(root: Path) -> dict[str, str]:
    """What a replay can't set: the interpreter, the machine's kind, the revision."""
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": str(os.cpu_count()),
        "revision": _revision(root),
    }


def _revision(root: Path) -> str:
    """The commit, with a plus when files differ from it; empty outside a repository."""
    command = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--abbrev=40"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def _counts(name: str) -> bool:
    if name.startswith(PRIVATE_PREFIX) or name in _PLACES:
        return False
    return name.startswith(_PREFIXES) or name in _NAMES
