"""The whole of `csrc/ops`, read and checked: what every emitter is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.codegen.check import Context, check_entries
from tools.codegen.model import OpEntry, RuleNames, Tags
from tools.codegen.parse import parse_family, parse_rule_names, parse_tags
from tools.codegen.problems import CodegenError, Problem
from tools.codegen.rules import RuleBook, load_rules
from tools.codegen.rules_emit import CompiledRules, compile_rules

# Ops that the generated code itself calls: the copy into an output, the clone of an operand.
SUPPORT_OPS = ("copy_", "clone", "empty_like", "expand")


@dataclass(frozen=True)
class Registry:
    """Entries in file order, what they may name, and the rules compiled to C++."""

    entries: tuple[OpEntry, ...]
    tags: Tags
    rule_names: RuleNames
    rules: RuleBook
    compiled: CompiledRules

    @property
    def families(self) -> tuple[str, ...]:
        """Those with entries, in the order of their files."""
        return tuple(dict.fromkeys(entry.family for entry in self.entries))

    def of_family(self, family: str) -> tuple[OpEntry, ...]:
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
    check_entries(entries, Context(tags, rule_names, rules, dtypes), problems)
    compiled = compile_rules(rules, entries, problems)
    if problems:
        raise CodegenError(problems)
    return Registry(tuple(entries), tags, rule_names, rules, compiled)


def select_ops(registry: Registry, names: Iterable[str], file: str) -> Registry:
    """The ops named (by op or by overload) and what they need; raises CodegenError on unknown ones."""
    wanted = set(names)
    known = {name for e in registry.entries for name in (e.name, e.full_name)}
    unknown = sorted(wanted - known)
    if unknown:
        raise CodegenError([Problem(file, 1, name, "no such op; check its spelling") for name in unknown])
    keep = {e.full_name for e in registry.entries if {e.name, e.full_name} & {*wanted, *SUPPORT_OPS}}
    pending = list(keep)
    while pending:
        entry = next(e for e in registry.entries if e.full_name == pending.pop())
        for name in registry.compiled.ops_called(entry) - keep:
            keep.add(name)
            pending.append(name)
    kept = tuple(e for e in registry.entries if e.full_name in keep)
    return Registry(kept, registry.tags, registry.rule_names, registry.rules, registry.compiled)
