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
    taken: set[tuple[str, ...]] = set()
    functions = "\n".join(_function(schema, taken) for schema in schemas)
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


def _function(schema: Schema, taken: set[tuple[str, ...]]) -> str:
    arguments = _unambiguous(schema, _defaults_last(_parameters(schema)), taken)
    parameters = [cpp.declaration(a, with_default=True) for a in arguments]
    result = cpp.result_type(schema.returns)
    head = cpp.listed(f"inline {result} {cpp.function_name(schema)}(", parameters, ") {")
    name = cpp.entry_name(schema)
    declared = f"constexpr TypedOp<signatures::{name}> op("
    op = cpp.listed(declared, [f"entries::{name}"], ");", indent="  ")
    call = cpp.listed("  return op.call(", cpp.names(schema), ");")
    return f"{cpp.comment(str(schema))}\n{head}\n{op}\n{call}\n}}\n"


def _unambiguous(
    schema: Schema, arguments: list[Argument], taken: set[tuple[str, ...]]
) -> list[Argument]:
    """The arguments, without those defaults by which a call would fit an overload before it too."""
    name = cpp.function_name(schema)
    types = [name, *(cpp.argument_type(a.type) for a in arguments)]
    count = len(arguments)
    while count > 0 and arguments[count - 1].has_default and tuple(types[:count]) not in taken:
        count -= 1
    taken |= {tuple(types[: n + 1]) for n in range(count, len(arguments) + 1)}
    return [*map(_required, arguments[:count]), *arguments[count:]]


def _required(argument: Argument) -> Argument:
    return Argument(
        argument.name, argument.type, kwarg_only=argument.kwarg_only, alias=argument.alias
    )


def _defaults_last(arguments: list[Argument]) -> list[Argument]:
    """An option without default after one with: C++ then asks for every earlier one."""
    last = max((i for i, a in enumerate(arguments) if not a.has_default), default=-1)
    return [a if i > last else _required(a) for i, a in enumerate(arguments)]
