"""What one change may break: patterns of conformance cells, and files of other tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tools.targets.cells import EVERY_CELL, Pattern
from tools.targets.changes import Change
from tools.targets.functions import changed, digests, functions
from tools.targets.graph import Graph
from tools.targets.reach import Reached, ReachMap

_PUBLIC = "lib/cepheid/__init__.py"
_JUDGE = "lib/cepheid_conformance/"
_FAMILY = re.compile(r"lib/cepheid_conformance/(?:samples|oracle|drawn)/(\w+)\.py")
_KIND = re.compile(r"(?:lib/cepheid_conformance/checks/|test/conformance/ops/test_)(\w+)\.py")
_RULES = re.compile(r"csrc/ops/rules/(\w+)\.py")
_ENTRIES = re.compile(r"csrc/ops/(\w+)\.yaml")


@dataclass(frozen=True)
class Scope:
    """Cells that a change may break, and other test files with their distance from it.
    `everything` when nobody can tell; `why` says how it was found out."""

    why: str
    cells: tuple[Pattern, ...] = ()
    files: dict[str, int] = field(default_factory=dict)
    everything: bool = False


class Scopes:
    """Finds the scopes of changes in one tree."""

    def __init__(self, root: Path, reach: ReachMap, graph: Graph | None = None) -> None:
        self._root = root
        self._reach = reach
        self._graph = Graph.of_tree(root) if graph is None else graph

    def of(self, change: Change) -> Scope:
        """What a change may break."""
        path = change.path
        if path.endswith(".md"):
            return Scope("documentation", (), self._below("test/unit/docs/", path))
        if path.startswith("csrc/"):
            why, cells = self._native(change)
            return Scope(why, cells, self._dependents(_PUBLIC) | self._dependents(path))
        if path.startswith(("lib/cepheid/", "tools/codegen/")):
            files = self._dependents(path)
            return Scope("what the package is made of", (EVERY_CELL,), files)
        if path.startswith((_JUDGE, "test/conformance/")):
            why, cells = self._judge(path)
            return Scope(why, cells, self._dependents(path))
        if path.startswith("test/cpp/"):
            return Scope("C++ tests; ci/run cpp runs them all")
        if path.endswith(".py") and path.startswith(("test/", "tools/", "ci/", "lib/")):
            return Scope("what imports or names it", (), self._dependents(path))
        if path.startswith(("test/", "tools/", "ci/")) and (files := self._dependents(path)):
            return Scope("what names it", (), files)
        return Scope("no rule knows it: every test", (EVERY_CELL,), {}, everything=True)

    def _dependents(self, path: str) -> dict[str, int]:
        return {
            name: distance
            for name, distance in self._graph.dependents(path).items()
            if name.startswith("test/") and name.rsplit("/", 1)[-1].startswith("test_")
        }

    def _below(self, folder: str, path: str) -> dict[str, int]:
        inside = {name: 1 for name in self._graph.texts if name.startswith(f"{folder}test_")}
        return self._dependents(path) | inside

    def _judge(self, path: str) -> tuple[str, tuple[Pattern, ...]]:
        if (family := _FAMILY.fullmatch(path)) and family[1] in self._families:
            ops = self._families[family[1]]
            return f"cells of the ops of {family[1]}.yaml", (Pattern(ops=ops),)
        if (kind := _KIND.fullmatch(path)) and self._is_kind(kind[1]):
            return f"cells of the kind {kind[1]}", (Pattern(kinds=frozenset({kind[1]})),)
        if path.startswith(_JUDGE) or path.endswith("conftest.py"):
            return "every cell: the judge itself", (EVERY_CELL,)
        return "the test itself", ()

    def _is_kind(self, name: str) -> bool:
        return (self._root / "test" / "conformance" / "ops" / f"test_{name}.py").is_file()

    @cached_property
    def _families(self) -> dict[str, frozenset[str]]:
        """Ops by the entry file that lists them."""
        return {
            path.stem: frozenset(
                each.name for each in functions(f"csrc/ops/{path.name}", path.read_text())
            )
            for path in sorted((self._root / "csrc" / "ops").glob("*.yaml"))
        }

    def _native(self, change: Change) -> tuple[str, tuple[Pattern, ...]]:
        path = change.path
        names: set[str] = set()
        for text in change.texts:
            names |= changed(path, text.content, text.lines)
        if entries := _ENTRIES.fullmatch(path):
            return self._of_entries(entries[1], names)
        if not names or "" in names:
            return self._around(path)
        return self._of_functions(change, names)

    def _of_entries(self, family: str, names: set[str]) -> tuple[str, tuple[Pattern, ...]]:
        """Changed op entries: their ops, and the composites that call them."""
        ops = self._families.get(family, frozenset())
        if not ops:
            return "every cell: a table of op entries", (EVERY_CELL,)
        if names and "" not in names:
            ops = self._with_callers(frozenset(names))
        found = [self._reach.of_function(f"csrc/ops/{family}.yaml", name) for name in names]
        measured = self._patterns(entry[0] for entry in found if entry)
        return f"cells of {len(ops)} ops", (Pattern(ops=ops), *measured)

    def _with_callers(self, ops: frozenset[str]) -> frozenset[str]:
        """Ops, and those whose rule calls one of them, and so on."""
        found = set(ops)
        while True:
            called = {re.escape(op.split(".")[0]) for op in found}
            calls = re.compile(rf"\bops\.(?:{'|'.join(sorted(called))})\(")
            rules = {name for name, text in self._rule_texts.items() if calls.search(text)}
            more = {op for op, text in self._entry_texts.items() if _words(text) & rules} - found
            if not more:
                return frozenset(found)
            found |= more

    @cached_property
    def _rule_texts(self) -> dict[str, str]:
        folder = self._root / "csrc" / "ops" / "rules"
        return {
            each.name: each.text
            for path in sorted(folder.glob("*.py"))
            for each in functions(path.name, path.read_text())
        }

    @cached_property
    def _entry_texts(self) -> dict[str, str]:
        folder = self._root / "csrc" / "ops"
        return {
            each.name: each.text
            for path in sorted(folder.glob("*.yaml"))
            for each in functions(path.name, path.read_text())
        }

    def _of_functions(self, change: Change, names: set[str]) -> tuple[str, tuple[Pattern, ...]]:
        """What reached them when they were measured; what reaches their file, where one was not,
        or where it has become another between then and the change."""
        found = {name: self._reach.of_function(change.path, name) for name in names}
        reached = [entry[0] for _, entry in sorted(found.items()) if entry]
        before = change.before and digests(change.path, change.before.content)
        fresh = all(
            entry is not None and (not before or before.get(name, entry[1]) == entry[1])
            for name, entry in found.items()
        )
        if not fresh:
            return self._around(change.path, reached)
        return f"what reached {', '.join(sorted(names))}", self._patterns(reached)

    def _around(self, path: str, own: Sequence[Reached] = ()) -> tuple[str, tuple[Pattern, ...]]:
        """What reaches the rest of the file, else of its folder, else of anything."""
        if rules := _RULES.fullmatch(path):
            ops = self._families.get(rules[1], frozenset())
            reached = [*own, *self._reach.below(f"{path}:")]
            more = (Pattern(ops=ops),) if ops else (EVERY_CELL,)
            return f"cells of {rules[1]}.yaml", (*more, *self._patterns(reached))
        folder = path.rpartition("/")[0]
        for prefix in (f"{path}:", f"{folder}/"):
            if reached := self._reach.below(prefix):
                return f"what reached {prefix}*", self._patterns([*own, *reached])
        return "every cell: nothing was measured near it", (EVERY_CELL,)

    def _patterns(self, reached: Iterable[Reached]) -> tuple[Pattern, ...]:
        """The cells, and those that are newer than the map: kinds where their op is reached, and
        ops wherever."""
        found: dict[Pattern, None] = {}
        kinds, ops = self._unmeasured
        for each in reached:
            found[Pattern(pairs=each.pairs, dtypes=each.dtypes)] = None
            if kinds:
                found[Pattern(ops=frozenset(op for op, _ in each.pairs), kinds=kinds)] = None
        if ops:
            found[Pattern(ops=ops)] = None
        return tuple(found)

    @cached_property
    def _unmeasured(self) -> tuple[frozenset[str], frozenset[str]]:
        """Kinds and ops of the tree that the map doesn't know."""
        folder = self._root / "test" / "conformance" / "ops"
        kinds = {path.stem.removeprefix("test_") for path in folder.glob("test_*.py")}
        known = {kind for row in self._reach.seconds.values() for kind in row}
        ops = {op for family in self._families.values() for op in family}
        return frozenset(kinds - known), frozenset(ops - self._reach.seconds.keys())


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))
