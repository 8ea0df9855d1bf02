"""What a stage found: how many checks or tests passed, failed, were skipped, and which failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.runner.events import GOOD, Outcome

_LINE = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
_BAD = "|".join(outcome.upper() for outcome in Outcome if outcome not in GOOD)
_TEST = re.compile(rf"^(?:{_BAD}) \S")  # the runner's terminal, and the C++ tests
_ERROR = re.compile(r"^ +E +")  # pytest's mark of what an assertion found
_LAST_LINES = 5


@dataclass(frozen=True)
class Counts:
    """Numbers of one stage or of all."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = ()  # a line for each that is known by name

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.failures + other.failures,
        )

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def of_output(lines: Sequence[str], status: int) -> Counts:
    """The counts of a program: its last line `N passed, N failed, N skipped`, and its status.

    A program that fails without a failure of its own in that line, or without such a line, counts
    as one failure; one that succeeds without the line passed one check.
    """
    said = [line.rstrip() for line in lines if line.strip()]
    match = _LINE.match(said[-1].strip()) if said else None
    if match is None:
        return Counts(failed=1, failures=_failures(said)) if status else Counts(passed=1)
    failed = int(match[2]) or int(status != 0)
    failures = _failures(said[:-1]) if failed else ()
    return Counts(int(match[1]), failed, int(match[3] or 0), failures)


def _failures(said: Sequence[str]) -> tuple[str, ...]:
    """The tests that failed, each with the first line of its error, or of all that is said of it;
    the last lines of a program that names none."""
    found: dict[str, str] = {}
    test = ""
    for line in said:
        if _TEST.match(line):
            test = line
            found.setdefault(test, "")
        elif not line.startswith(" "):
            test = ""
        elif test and (not found[test] or (_ERROR.match(line) and not _ERROR.match(found[test]))):
            found[test] = line
    causes = {test: _ERROR.sub("", line).strip() for test, line in found.items()}
    named = tuple(f"{test}: {cause}" if cause else test for test, cause in causes.items())
    return named or tuple(said[-_LAST_LINES:])
