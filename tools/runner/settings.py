"""What a run is told: limits, groups, the implementation under judgement, folders."""

import os
import sys
import tomllib
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from tools.runner.channel import MAX_TIMEOUT_VARIABLE, PRIVATE_PREFIX

GROUPS_FILE = Path(__file__).with_name("groups.toml")
REPOSITORY = Path(__file__).resolve().parents[2]
IMPLEMENTATION_VARIABLE = "CEPHEID_IMPL"
CANDIDATE_VARIABLE = "CEPHEID_CANDIDATE_PYTHON"
PEER_VARIABLE = "CEPHEID_PEER_PYTHON"
RUN_VARIABLE = "CEPHEID_RUN_DIR"


@dataclass(frozen=True)
class Limits:
    """The table [limits] of groups.toml; each row is explained there."""

    jobs: int
    timeout_s: float
    max_timeout_s: float
    slow_s: float
    exit_s: float
    memory_mib: float
    retry_limit: int
    retries: int
    retry_s: float
    order_s: float
    restart_limit: int


class Isolation(StrEnum):
    """How far the tests of a file are kept apart."""

    FILE = "file"  # a fork of the warm server for each file
    TEST = "test"  # and in that a fork for each test
    SPAWN = "spawn"  # a fresh interpreter for each file


@dataclass(frozen=True)
class Part:
    """Files of a group that are selected and run in the same way."""

    files: tuple[str, ...]
    markers: str = ""
    xdist: int = 0
    isolation: Isolation = Isolation.FILE


@dataclass(frozen=True)
class Groups:
    """groups.toml as typed values; globs are relative to the root of the run."""

    limits: Limits
    tests: tuple[str, ...]
    serial: tuple[str, ...]
    whole: tuple[str, ...]
    judged: tuple[str, ...]
    spawn: tuple[str, ...]
    warm: tuple[str, ...]  # modules that the warm server imports
    groups: dict[str, tuple[Part, ...]]
    help: dict[str, str]


@dataclass(frozen=True)
class Implementation:
    """Who is judged: its name, and the interpreter that imports it."""

    name: str
    python: str = sys.executable

    @classmethod
    def parse(cls, text: str, variable: str = CANDIDATE_VARIABLE) -> "Implementation":
        """`cepheid`, `torch`, `package[:factory]`, or `NAME=PYTHON` for an own interpreter.

        Without an interpreter it is the one that the environment variable names, else ours.
        Raises ValueError for an empty name or an interpreter that is no file.
        """
        name, _, python = text.partition("=")
        python = python or os.environ.get(variable) or sys.executable
        if not name or not Path(python).is_file():
            raise ValueError(
                f"--impl: expected NAME, package[:factory] or NAME=PYTHON with an existing "
                f"interpreter; got {text!r}"
            )
        return cls(name, python)


@dataclass(frozen=True)
class Stress:
    """How often each test runs: `repeat` times, or until `seconds` have passed."""

    repeat: int = 1
    seconds: float = 0.0

    @property
    def active(self) -> bool:
        """True when tests run more than once, whatever their outcome."""
        return self.repeat > 1 or self.seconds > 0

    def goes_on(self, rounds: int, seconds: float) -> bool:
        """True when another round is to follow."""
        return rounds < self.repeat or seconds < self.seconds

    def share(self, tasks: int, jobs: int) -> "Stress":
        """The part of one of several tasks."""
        return replace(self, seconds=self.seconds * min(jobs, tasks) / max(tasks, 1))


@dataclass(frozen=True)
class Settings:
    """Everything that a process under test depends on."""

    root: Path
    folder: Path  # of this run's reports
    implementation: Implementation
    groups: Groups
    limits: Limits
    stress: Stress = Stress()
    pytest_arguments: tuple[str, ...] = ()
    python: str = sys.executable  # runs pytest; never the candidate's
    isolation: Isolation | None = None  # of all files, in place of their parts' own

    def environment(self) -> dict[str, str]:
        """Variables of every process under test; output is unbuffered so that a crash keeps it.

        What a runner around this one told its own processes is not passed on.
        """
        path = [str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])]
        inherited = {name: value for name, value in os.environ.items() if not _private(name)}
        return {
            **inherited,
            "PYTHONPATH": os.pathsep.join(path),
            "PYTHONUNBUFFERED": "1",
            IMPLEMENTATION_VARIABLE: self.implementation.name,
            CANDIDATE_VARIABLE: self.implementation.python,
            RUN_VARIABLE: str(self.folder),
            MAX_TIMEOUT_VARIABLE: str(self.limits.max_timeout_s),
        }


def _private(variable: str) -> bool:
    return variable.startswith(PRIVATE_PREFIX)


def load_groups(path: Path) -> Groups:
    """Read groups.toml; raises ValueError naming the table that is wrong."""
    data = tomllib.loads(path.read_text())
    try:
        return Groups(
            limits=Limits(**data["limits"]),
            tests=tuple(data["files"]["tests"]),
            serial=tuple(data["files"]["serial"]),
            whole=tuple(data["files"]["whole"]),
            judged=tuple(data["files"]["judged"]),
            spawn=tuple(data["files"]["spawn"]),
            warm=tuple(data["warm"]["imports"]),
            groups={name: _parts(table) for name, table in data["groups"].items()},
            help={name: table["help"] for name, table in data["groups"].items()},
        )
    except (KeyError, TypeError) as error:
        raise ValueError(
            f"{path}: expected the tables limits, files, warm, groups; {error}"
        ) from error


def with_limits(
    limits: Limits, jobs: int | None, timeout_s: float | None, memory_mib: float | None
) -> Limits:
    """`limits` with those values replaced that are given."""
    return replace(
        limits,
        jobs=limits.jobs if jobs is None else jobs,
        timeout_s=limits.timeout_s if timeout_s is None else timeout_s,
        memory_mib=limits.memory_mib if memory_mib is None else memory_mib,
    )


def _parts(table: dict[str, Any]) -> tuple[Part, ...]:
    return tuple(map(_part, table["parts"]))


def _part(table: dict[str, Any]) -> Part:
    isolation = Isolation(table.get("isolation", Isolation.FILE))
    return Part(**{**table, "files": tuple(table["files"]), "isolation": isolation})
