"""`register/<family>.cpp`: the dispatcher entries of a family, their kernels and registrations."""

from __future__ import annotations

from tools.codegen import cpp
from tools.codegen.emit.bodies import Kernel, kernels_of
from tools.codegen.emit.dtype_sets import DtypeSets
from tools.codegen.model import OpEntry, Schema
from tools.codegen.registry import Registry

COMPOSITE = "composite"


def emit(registry: Registry) -> dict[str, str]:
    """One unit per family."""
    return {f"register/{family}.cpp": _unit(registry, family) for family in registry.families}


def _unit(registry: Registry, family: str) -> str:
    entries = registry.of_family(family)
    sets = DtypeSets(registry.tags)
    kernels = [(entry, kernels_of(entry, sets)) for entry in entries]
    bodies = "\n".join(_section(entry, made) for entry, made in kernels)
    registrations = "\n".join(_registration(k) for _, made in kernels for k in made)
    return (
        cpp.generated_note(f"csrc/ops/{family}.yaml")
        + _includes(registry, entries)
        + "\nnamespace ceph::ops {\n\n"
        + f"namespace entries {{\n{_entries(entries)}}}  // namespace entries\n\n"
        + f"namespace {{\n\n{sets.definitions()}{bodies}\n"
        + f"const bool registered = [] {{\n{registrations}\n  return true;\n}}();\n\n"
        + "}  // namespace\n}  // namespace ceph::ops\n"
    )


def _includes(registry: Registry, entries: tuple[OpEntry, ...]) -> str:
    family = entries[0].family
    kinds = {entry.implementation.kind for entry in entries}
    headers = {f"generated/ops/{entry.name}.h" for entry in entries} | {"ops/structured.h"}
    if kinds & {"kernel", "inplace_kernel"}:
        headers.add(f"generated/kernels/{family}.h")
    if kinds & {"view", "native"}:
        headers.add(f"generated/native/{family}.h")
    if "inplace_kernel" in kinds:
        headers.add("kernels/copy.h")
    if "scalar" in kinds:
        headers.add("generated/pointwise/loops.h")
    if any(entry.check for entry in entries):
        headers.add("ops/checks.h")
    for entry in entries:
        if entry.implementation.kind == "each":
            headers.add(f"generated/ops/{entry.each.name}.h")
        if entry.implementation.kind == "composite":
            headers.add(f"generated/rules/{family}.h")
        if entry.implementation.kind == "kernel" and entry.shape is not None:
            headers.add(f"generated/rules/{registry.rules.functions[entry.shape.name].family}.h")
    return "".join(f'#include "{name}"\n' for name in sorted(headers))


def _entries(entries: tuple[OpEntry, ...]) -> str:
    schemas = [variant.schema for entry in entries for variant in entry.dispatched()]
    return "\n".join(map(_entry, schemas)) + "\n"


def _entry(schema: Schema) -> str:
    """Made before what other units register for it."""
    name = cpp.entry_name(schema)
    head = f"CEPH_EARLY OperatorEntry {name} = entry<signatures::{name}>("
    if len(head) > cpp.LINE_LENGTH:
        head = f"CEPH_EARLY OperatorEntry {name} =\n    entry<signatures::{name}>("
    text = f"{head}{cpp.quoted(str(schema))});"
    if len(text) <= cpp.LINE_LENGTH:
        return text
    return "\n".join([head, *cpp.quoted_lines(str(schema), "    ")]) + ");"


def _section(entry: OpEntry, kernels: list[Kernel]) -> str:
    texts = dict.fromkeys(text for kernel in kernels for text in (*kernel.helpers, kernel.text))
    return f"// ---- {entry.full_name}\n\n" + "\n".join(texts)


def _registration(kernel: Kernel) -> str:
    name = f"entries::{cpp.entry_name(kernel.schema)}"
    if kernel.keys == (COMPOSITE,):
        return cpp.listed(f"{name}.impl_composite(", [f"&{kernel.name}"], ");", indent="  ")
    arguments = ([f"DispatchKey::{key}", f"&{kernel.name}"] for key in kernel.keys)
    return "\n".join(cpp.listed(f"{name}.impl(", given, ");", indent="  ") for given in arguments)
