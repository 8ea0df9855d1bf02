"""Which files a run is about: names, globs and groups, before any test is collected."""

import fnmatch
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from tools.runner.settings import Groups, Part

INCLUDE_VARIABLE = "TESTS_TO_INCLUDE"


class SelectionError(Exception):
    """A name or a filter that selects nothing."""


@dataclass(frozen=True)
class Selection:
    """Files with the way to run them; the first part that names a file has it."""

    parts: tuple[Part, ...]
    ids: tuple[str, ...] = ()  # node ids given by name: nothing else of their files runs
    whole: frozenset[str] = frozenset()  # groups selected without a filter


def merge_names(arguments: Sequence[str], variable: str | None = None) -> list[str]:
    """Names of the command line, then those of TESTS_TO_INCLUDE, each once.

    The variable holds names separated by commas or white space.
    """
    text = os.environ.get(INCLUDE_VARIABLE, "") if variable is None else variable
    return list(dict.fromkeys([*arguments, *filter(None, re.split(r"[,\s]+", text))]))


def select(root: Path, groups: Groups, names: Sequence[str]) -> Selection:
    """Resolve names. A name is a group, a path (`file`, `folder`, `file::test`), a glob over
    paths, or a part of a path.

    Raises SelectionError for a name without a file.
    """
    files = find_files(root, groups.tests)
    parts: list[Part] = []
    ids: list[str] = []
    for name in names:
        if name in groups.groups:
            parts += _group_parts(groups.groups[name], files)
            continue
        file, _, test = name.partition("::")
        found = _named_files(root, files, file)
        if not found:
            known = ", ".join(groups.groups)
            raise SelectionError(f"{name}: no test file has this name; groups are {known}")
        parts.append(Part(tuple(found)))
        ids += [f"{path}::{test}" for path in found if test]
    whole = frozenset(name for name in names if name in groups.groups)
    return Selection(_each_file_once(parts), tuple(ids), whole)


def find_files(root: Path, globs: Sequence[str]) -> list[str]:
    """Test files below `root`, as sorted POSIX paths relative to it."""
    found: set[str] = set()
    for glob in globs:
        found |= {path.relative_to(root).as_posix() for path in root.glob(glob)}
    return sorted(found)


def matches(path: str, globs: Iterable[str]) -> bool:
    """True when one glob matches the whole path; `**` crosses folders, `*` does not."""
    return any(_pattern(glob).fullmatch(path) for glob in globs)


def filter_ids(ids: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Ids that are one of `wanted`, a parameter of it, or inside it (a class).

    Files that no wanted id names are kept whole.
    """
    if not wanted:
        return list(ids)
    files = {name.split("::")[0] for name in wanted}
    return [
        id
        for id in ids
        if id.split("::")[0] not in files
        or any(id == name or id.startswith((f"{name}[", f"{name}::")) for name in wanted)
    ]


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*/?|\*|\?)", glob)
    table = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(table.get(piece, re.escape(piece)) for piece in pieces))


def _group_parts(parts: Sequence[Part], files: Sequence[str]) -> list[Part]:
    """A group's parts with their globs resolved."""
    return [
        replace(part, files=tuple(file for file in files if matches(file, part.files)))
        for part in parts
    ]


def _named_files(root: Path, files: Sequence[str], name: str) -> list[str]:
    path = Path(os.path.relpath(Path.cwd() / name, root)).as_posix()
    for candidate in (path, Path(name).as_posix()):
        if (root / candidate).is_file():
            return [candidate]
        inside = [file for file in files if file.startswith(candidate + "/")]
        if inside:
            return inside
    if re.search(r"[*?\[]", name):
        return [file for file in files if matches(file, [name]) or fnmatch.fnmatch(file, name)]
    return [file for file in files if name in file]


def _each_file_once(parts: Sequence[Part]) -> tuple[Part, ...]:
    seen: set[str] = set()
    kept: list[Part] = []
    for part in parts:
        fresh = tuple(file for file in part.files if file not in seen)
        seen |= set(fresh)
        if fresh:
            kept.append(replace(part, files=fresh))
    return tuple(kept)
