"""`ops/<name>.h`: the public C++ functions of one op, all overloads and variants."""

from __future__ import annotations

from collections.abc import Sequence

from tools.codegen import cpp
from tools.codegen.model import Argument, OpEntry, Schema
from tools.codegen.registry import Registry


def emit(registry: Registry) -> dict[str, str]:
    """One header per op name."""
    return {f"ops/{name}.h": _header(entries) for name, entries in registry.by_name().items()}


def _header(entries: Sequence[OpEntry]) -> str:
    schemas = [variant.schema for entry in entries for variant in entry.dispatched()]
    sources = sorted({entry.source.file for entry in entries})
    extern = "\n".join(f"extern CEPH_API OperatorEntry {cpp.entry_name(s)};" for s in schemas)
    aliases = "\n".join(map(cpp.signature_alias, schemas))
    functions = "\n".join(map(_function, schemas))
    return (
        cpp.generated_note(*sources)
        + "#pragma once\n\n"
        + '#include "core/dispatcher.h"\n\n'
        + "namespace ceph::ops {\n\n"
        + f"namespace signatures {{\n{aliases}\n}}  // namespace signatures\n\n"
        + f"namespace entries {{\n{extern}\n}}  // namespace entries\n\n"
        + functions
        + "\n}  // namespace ceph::ops\n"
    )


def _parameters(schema: Schema) -> list[Argument]:
    """Outputs first, so that the options after the operands keep their defaults."""
    outputs = [a for a in schema.arguments if cpp.is_output(a)]
    return outputs + [a for a in schema.arguments if not cpp.is_output(a)]


def _function(schema: Schema) -> str:
    parameters = [
        cpp.declaration(a, with_default=True) for a in _defaults_last(_parameters(schema))
    ]
    result = cpp.result_type(schema.returns)
    head = cpp.listed(f"inline {result} {cpp.function_name(schema)}(", parameters, ") {")
    name = cpp.entry_name(schema)
    declared = f"constexpr TypedOp<signatures::{name}> op("
    op = cpp.listed(declared, [f"entries::{name}"], ");", indent="  ")
    call = cpp.listed("  return op.call(", cpp.names(schema), ");")
    return f"{cpp.comment(str(schema))}\n{head}\n{op}\n{call}\n}}\n"


def _defaults_last(arguments: list[Argument]) -> list[Argument]:
    """An option without default after one with: C++ then asks for every earlier one."""
    last = max((i for i, a in enumerate(arguments) if not a.has_default), default=-1)
    return [
        a if i > last else Argument(a.name, a.type, kwarg_only=a.kwarg_only, alias=a.alias)
        for i, a in enumerate(arguments)
    ]
