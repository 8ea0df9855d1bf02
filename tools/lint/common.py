"""What every check shares: a problem, the files of the tree, C++ text without its comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

SKIPPED_FOLDERS = frozenset({"build", "dist", "node_modules"})
CPP_SUFFIXES = (".cpp", ".h", ".c")


@dataclass(frozen=True, order=True)
class Problem:
    """One finding of a check; `line` is 0 where the whole file is meant."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.text}"


def tree(root: Path, suffixes: Iterable[str] = ()) -> Iterator[Path]:
    """The files below `root` that have one of `suffixes` (all if none), in order.

    Hidden folders other than .ci and .github, caches and build outputs are left out.
    """
    wanted = tuple(suffixes)
    for entry in sorted(root.iterdir()):
        if entry.is_symlink():
            continue
        if entry.is_dir():
            if _is_source_folder(entry.name):
                yield from tree(entry, wanted)
        elif not wanted or entry.suffix in wanted:
            yield entry


def _is_source_folder(name: str) -> bool:
    if name.startswith("."):
        return name in {".ci", ".github"}
    return name not in SKIPPED_FOLDERS and name != "__pycache__" and not name.endswith(".egg-info")


def relative(path: Path, root: Path) -> str:
    """`path` as it is written in a report: from the root, with slashes."""
    return path.relative_to(root).as_posix()


_CPP_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/"""
    r"""|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)


def blank_cpp(text: str, *, keep_strings: bool = False) -> str:
    """`text` with comments (and strings) replaced by spaces; lines and columns stay in place."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        if keep_strings and not found.startswith(("//", "/*")):
            return found
        return re.sub(r"[^\n]", " ", found)

    return _CPP_TOKEN.sub(blank, _protect_digit_separators(text))


def _protect_digit_separators(text: str) -> str:
    """1'000 holds no character literal; the quote becomes a digit so that columns stay."""
    return re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "0", text)


def line_of(text: str, offset: int) -> int:
    """The line number, from 1, of `offset` in `text`."""
    return text.count("\n", 0, offset) + 1
