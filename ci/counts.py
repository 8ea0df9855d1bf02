"""What a stage found: how many checks or tests passed, failed and were skipped."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")


@dataclass(frozen=True)
class Counts:
    """Numbers of one stage or of all."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def of_output(lines: list[str], status: int) -> Counts:
    """The counts of a program: its last line `N passed, N failed, N skipped`, and its status.

    A program that fails without a failure of its own in that line, or without such a line, counts
    as one failure; one that succeeds without the line passed one check.
    """
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    match = _LINE.match(last)
    if match is None:
        return Counts(failed=1) if status else Counts(passed=1)
    found = Counts(int(match[1]), int(match[2]), int(match[3] or 0))
    return found + Counts(failed=1) if status and not found.failed else found
