"""Which Python files depend on a file: by import, or by naming it.

Tools are often started as `python -m tools.lint` and read data files by name; so besides imports
each dotted module name and each file name in a text counts as a dependency: too many rather than
too few.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

FOLDERS = ("ci", "lib", "test", "tools")
_PACKAGES = ("lib/", "test/conformance/", "")
_MENTION = re.compile(r"\b(?:tools|ci|cepheid\w*)(?:\.\w+)*")
_FILE_NAME = re.compile(r"[\w-]+\.[a-z][\w.]*")


@dataclass(frozen=True)
class Graph:
    """Python files of a tree by path from its root, each with its text."""

    texts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_tree(cls, root: Path) -> Graph:
        """All Python files of the folders that hold any, and run_test.py."""
        files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.py"))]
        files += sorted(root.glob("*.py"))
        return cls(
            {
                path.relative_to(root).as_posix(): path.read_text(errors="replace")
                for path in files
                if "__pycache__" not in path.parts
            }
        )

    def dependents(self, path: str) -> dict[str, int]:
        """Files that depend on one, itself included, with their distance."""
        found = {path: 0}
        queue = deque([path])
        while queue:
            here = queue.popleft()
            for user in sorted(self._users_of(here)):
                if user not in found:
                    found[user] = found[here] + 1
                    queue.append(user)
        return found

    def _users_of(self, path: str) -> set[str]:
        if path.endswith("conftest.py"):
            folder = path.removesuffix("conftest.py")
            return {other for other in self.texts if other.startswith(folder)} - {path}
        if path in self.texts:
            return self._importers.get(path, set()) - {path}
        return self._namers.get(path.rsplit("/", 1)[-1], set()) - {path}

    @cached_property
    def _modules(self) -> dict[str, str]:
        """Path by dotted name, from each folder that stands on a path of imports."""
        found: dict[str, str] = {}
        for path in self.texts:
            name = path.removesuffix(".py").removesuffix("/__init__")
            prefix = next(each for each in _PACKAGES if name.startswith(each))
            found[name.removeprefix(prefix).replace("/", ".")] = path
        return found

    @cached_property
    def _importers(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path, text in self.texts.items():
            for name in _names(path, text):
                for target in self._targets(path, name):
                    found[target].add(path)
        return found

    def _targets(self, path: str, name: str) -> Iterator[str]:
        """A module, the packages around it, or a file beside the one that imports it."""
        parts = name.split(".")
        for size in range(1, len(parts) + 1):
            if target := self._modules.get(".".join(parts[:size])):
                yield target
        if f"{name}.__main__" in self._modules:
            yield self._modules[f"{name}.__main__"]
        beside = f"{path.rpartition('/')[0]}/{parts[0]}.py"
        if beside in self.texts:
            yield beside

    @cached_property
    def _namers(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path, text in self.texts.items():
            for name in set(_FILE_NAME.findall(text)):
                found[name].add(path)
        return found


def _names(path: str, text: str) -> set[str]:
    """Dotted names that a file imports or mentions."""
    found = set(_MENTION.findall(text))
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return found  # what it mentions is all that is known of a broken file
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= set(_from(path, node))
    return found


def _from(path: str, node: ast.ImportFrom) -> Iterable[str]:
    module = node.module or ""
    if node.level:
        package = path.removeprefix("lib/").split("/")[: -node.level]
        module = ".".join([*package, *filter(None, [module])])
    return [module, *(f"{module}.{each.name}" for each in node.names)]
