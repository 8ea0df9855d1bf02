"""The whole of `csrc/ops`, read and checked: what every emitter is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tools.codegen.check import Context, check_entries
from tools.codegen.derivatives import Derivative, compile_derivatives
from tools.codegen.model import OpEntry, RuleNames, Tags
from tools.codegen.parse import parse_family, parse_rule_names, parse_tags
from tools.codegen.problems import CodegenError, Problem
from tools.codegen.rules import RuleBook, load_rules
from tools.codegen.rules_emit import CompiledRules, compile_rules
from tools.codegen.scalar import read_functions

_OP_HEADER = re.compile(r'^#include "generated/ops/(\w+)\.h"', re.MULTILINE)


@dataclass(frozen=True)
class Registry:
    """Entries in file order, what they may name, and the rules compiled to C++.

    `declared` are all entries of the files; a selective build has fewer `entries`, but its
    hand-written units define the kernels of all and include their declarations.
    """

    entries: tuple[OpEntry, ...]
    declared: tuple[OpEntry, ...]
    tags: Tags
    rule_names: RuleNames
    rules: RuleBook
    compiled: CompiledRules
    derivatives: Mapping[str, Derivative]

    @property
    def families(self) -> tuple[str, ...]:
        """Those with entries, in the order of their files."""
        return tuple(dict.fromkeys(entry.family for entry in self.entries))

    def of_family(self, family: str) -> tuple[OpEntry, ...]:
        """The entries of one family."""
        return tuple(entry for entry in self.entries if entry.family == family)

    def by_name(self) -> Mapping[str, tuple[OpEntry, ...]]:
        """Overloads grouped by the op's name."""
        grouped: dict[str, list[OpEntry]] = {}
        for entry in self.entries:
            grouped.setdefault(entry.name, []).append(entry)
        return {name: tuple(entries) for name, entries in grouped.items()}


def read_registry(source: Path, shown: str = "csrc/ops") -> Registry:
    """Reads and checks everything; raises CodegenError with every problem found."""
    problems: list[Problem] = []
    tags = parse_tags(source / "tags.yaml", f"{shown}/tags.yaml")
    rule_names = parse_rule_names(source / "rules.yaml", f"{shown}/rules.yaml")
    entries: list[OpEntry] = []
    for path in sorted(source.glob("*.yaml")):
        if path.stem not in ("tags", "rules"):
            entries += parse_family(path, f"{shown}/{path.name}", tags, problems)
    rules = load_rules(source / "rules", f"{shown}/rules", problems)
    dtypes = frozenset(name for names in tags.dtype_sets.values() for name in names)
    functions = read_functions(source.parent / "kernels" / "generic")
    check_entries(entries, Context(tags, rule_names, rules, dtypes, functions), problems)
    compiled = compile_rules(rules, entries, problems)
    derivatives = compile_derivatives(rules, entries, problems)
    if problems:
        raise CodegenError(problems)
    every = tuple(entries)
    return Registry(every, every, tags, rule_names, rules, compiled, derivatives)


def ops_called_from(folder: Path) -> frozenset[str]:
    """The ops whose headers hand-written C++ below the folder includes."""
    sources = (path for suffix in ("*.h", "*.cpp") for path in folder.rglob(suffix))
    return frozenset(
        name for path in sources for name in _OP_HEADER.findall(path.read_text(encoding="utf-8"))
    )


def _called(registry: Registry, entry: OpEntry) -> set[str]:
    """The full names of the entries that an entry and its derivative need."""
    called = registry.compiled.ops_called(entry)
    if entry.implementation.kind == "each":
        called |= {e.full_name for e in registry.declared if e.name == entry.each.name}
    if (derivative := registry.derivatives.get(entry.full_name)) is not None:
        called |= derivative.calls.entries
        for rule in derivative.calls.rules:
            called |= registry.compiled.calls(rule).entries
    return called


def select_ops(registry: Registry, names: Iterable[str], needed: Iterable[str]) -> Registry:
    """The ops named (by op or overload), the needed ones, and what the rules of all these call."""
    wanted = {*names, *needed}
    by_name = {e.full_name: e for e in registry.entries}
    keep = {e.full_name for e in registry.entries if {e.name, e.full_name} & wanted}
    pending = list(keep)
    while pending:
        called = _called(registry, by_name[pending.pop()]) - keep
        keep |= called
        pending += called
    return replace(registry, entries=tuple(by_name[name] for name in by_name if name in keep))


def read_selection(file: Path, registry: Registry) -> list[str]:
    """The ops that a file names, one a line, # for comments; CodegenError on unknown names."""
    known = {name for e in registry.entries for name in (e.name, e.full_name)}
    lines = file.read_text(encoding="utf-8").splitlines()
    numbered = [(n, line.partition("#")[0].strip()) for n, line in enumerate(lines, start=1)]
    unknown = [
        Problem(file.name, n, name, "no such op; check its spelling")
        for n, name in numbered
        if name and name not in known
    ]
    if unknown:
        raise CodegenError(unknown)
    return [name for _, name in numbered if name]
