"""What is wrong with the entries: collected, so that one run names every mistake."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One mistake; `op` is empty where the mistake belongs to a file, not to an entry."""

    file: str
    line: int
    op: str
    text: str

    def __str__(self) -> str:
        subject = f"{self.op}: " if self.op else ""
        return f"{self.file}:{self.line}: {subject}{self.text}"


class CodegenError(Exception):
    """The entries can't be used; `problems` says why, in the order of the files."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(problems)
        super().__init__("\n".join(map(str, self.problems)))
