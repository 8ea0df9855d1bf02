"""What has changed: files, and the lines of them, from git or from names."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True)
class Text:
    """A file's content, and which of its lines (from 1) have changed."""

    content: str
    lines: frozenset[int]


@dataclass(frozen=True)
class Change:
    """A changed file, before and after; neither is known of a file that was only named."""

    path: str
    before: Text | None = None
    after: Text | None = None

    @property
    def texts(self) -> tuple[Text, ...]:
        """What is known of the file."""
        return tuple(text for text in (self.before, self.after) if text is not None)


def since(root: Path, base: str) -> list[Change]:
    """What differs between a commit and the working tree, files git doesn't know yet included.

    Raises ValueError when git can't tell.
    """
    text = _git(root, "diff", "--unified=0", "--no-renames", "--no-color", "--no-ext-diff", base)
    found = [_change(root, base, path, hunks) for path, hunks in _hunks(text).items()]
    names = _git(root, "diff", "--name-only", "--no-renames", "-z", base).split("\0")
    names += _git(root, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    known = {change.path for change in found}
    return found + [Change(name) for name in names if name and name not in known]


def named(root: Path, names: Sequence[str]) -> list[Change]:
    """Files given by name, as paths from the root. Raises ValueError for one outside of it."""
    found = []
    for name in names:
        path = (Path.cwd() / name).resolve()
        if not path.is_relative_to(root.resolve()):
            raise ValueError(f"--changed-files: expected files below {root}; got {name}")
        found.append(Change(path.relative_to(root.resolve()).as_posix()))
    return found


def _hunks(diff: str) -> dict[str, list[tuple[range, range]]]:
    """Changed lines of each file, before and after."""
    found: dict[str, list[tuple[range, range]]] = {}
    old = new = path = ""
    in_header = False
    for line in diff.splitlines():
        if line.startswith("diff --git "):
            in_header = True
        elif in_header and line.startswith("--- "):
            old = line[4:].removeprefix("a/").rstrip("\t")
        elif in_header and line.startswith("+++ "):
            new = line[4:].removeprefix("b/").rstrip("\t")
            path = old if new == "/dev/null" else new
        elif hunk := _HUNK.match(line):
            in_header = False
            first, count, second, other = (
                1 if each is None else int(each) for each in hunk.groups()
            )
            pair = range(first, first + count), range(second, second + other)
            found.setdefault(path, []).append(pair)
    return found


def _change(root: Path, base: str, path: str, hunks: Sequence[tuple[range, range]]) -> Change:
    lines = [frozenset(line for pair in hunks for line in pair[side]) for side in (0, 1)]
    here = root / path
    existed = bool(_git(root, "ls-tree", "--name-only", base, "--", path))
    return Change(
        path,
        Text(_git(root, "show", f"{base}:./{path}"), lines[0]) if existed else None,
        Text(here.read_text(errors="replace"), lines[1]) if here.is_file() else None,
    )


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "core.quotePath=false", *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise ValueError(f"--changed: git must tell what changed; {' '.join(arguments)}: {said}")
    return done.stdout.decode(errors="replace")
