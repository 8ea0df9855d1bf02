"""`rules/<family>.{h,cpp}`: the rules that entries name, and those which these call, as C++."""

from __future__ import annotations

from tools.codegen.registry import Registry
from tools.codegen.rules_emit import emit_family


def emit(registry: Registry) -> dict[str, str]:
    """Header and unit of each family of rules."""
    kept = _needed(registry)
    files: dict[str, str] = {}
    for family in registry.rules.families:
        files |= emit_family(registry.compiled, family, kept)
    return files


def _needed(registry: Registry) -> frozenset[str]:
    names: set[str] = set()
    for entry in registry.entries:
        if entry.implementation.kind == "kernel" and entry.shape is not None:
            names.add(entry.shape.name)
        if entry.implementation.kind == "composite":
            names.add(entry.implementation.single)
        if (derivative := registry.derivatives.get(entry.full_name)) is not None:
            names |= derivative.calls.rules
    for name in tuple(names):
        names |= registry.compiled.calls(name).rules
    return frozenset(names)
