"""The whole of `csrc/ops`, read and checked: what every emitter is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tools.codegen.check import Context, check_entries
from tools.codegen.model import OpEntry, RuleNames, Tags
from tools.codegen.parse import parse_family, parse_rule_names, parse_tags
from tools.codegen.problems import CodegenError, Problem
from tools.codegen.rules import RuleBook, load_rules
from tools.codegen.rules_emit import CompiledRules, compile_rules
from tools.codegen.scalar import read_functions

# Ops that are called by name from C++: by the support of generated code (copy_) and by the binding
# (indexing, printing, conversion).
SUPPORT_OPS = (
    *("_local_scalar_dense", "_to_copy", "as_strided", "clone", "contiguous", "copy_", "detach"),
    *("empty", "empty_like", "expand", "fill_", "index", "index_put", "nonzero", "permute"),
    *("select", "slice", "to", "transpose", "unsqueeze"),
)


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
    if problems:
        raise CodegenError(problems)
    return Registry(tuple(entries), tuple(entries), tags, rule_names, rules, compiled)


def select_ops(registry: Registry, names: Iterable[str], file: str) -> Registry:
    """The ops named (by op or overload) and what they need; CodegenError on unknown names."""
    wanted = set(names)
    known = {name for e in registry.entries for name in (e.name, e.full_name)}
    unknown = sorted(wanted - known)
    if unknown:
        raise CodegenError(
            [Problem(file, 1, name, "no such op; check its spelling") for name in unknown]
        )
    wanted |= set(SUPPORT_OPS)
    keep = {e.full_name for e in registry.entries if {e.name, e.full_name} & wanted}
    by_name = {e.full_name: e for e in registry.entries}
    pending = list(keep)
    while pending:
        called = registry.compiled.ops_called(by_name[pending.pop()]) - keep
        keep |= called
        pending += called
    return replace(registry, entries=tuple(by_name[name] for name in by_name if name in keep))
