"""`kernels/<family>.h` and `native/<family>.h`: declarations of the hand-written functions."""

from __future__ import annotations

from collections.abc import Iterator

from tools.codegen import cpp
from tools.codegen.model import OpEntry, Schema
from tools.codegen.registry import Registry


def emit(registry: Registry) -> dict[str, str]:
    """A header per family that has such functions; the unit that defines them includes it."""
    files: dict[str, str] = {}
    for family in dict.fromkeys(entry.family for entry in registry.declared):
        entries = [entry for entry in registry.declared if entry.family == family]
        kernels = [line for entry in entries for line in _kernels(entry)]
        natives = [line for entry in entries for line in _natives(entry)]
        source = f"csrc/ops/{family}.yaml"
        if kernels:
            files[f"kernels/{family}.h"] = _file(source, "ceph::kernels", kernels)
        if natives:
            files[f"native/{family}.h"] = _file(source, "ceph::ops::impl", natives)
    return files


def _file(source: str, namespace: str, lines: list[str]) -> str:
    return (
        cpp.generated_note(source)
        + "#pragma once\n\n"
        + '#include "core/generator.h"\n#include "core/tensor.h"\n\n'
        + "#include <optional>\n#include <string_view>\n#include <tuple>\n#include <vector>\n\n"
        + f"namespace {namespace} {{\n\n"
        + "\n".join(dict.fromkeys(lines))
        + f"\n\n}}  // namespace {namespace}\n"
    )


def _kernels(entry: OpEntry) -> Iterator[str]:
    kind, schema = entry.implementation.kind, entry.schema
    if kind == "kernel":
        parameters = cpp.declarations(schema) + [f"const Tensor& {o}" for o in output_names(schema)]
    elif kind == "inplace_kernel":
        parameters = cpp.declarations(schema)
    else:
        return
    for name in entry.implementation.cases.values():
        yield _described(schema, cpp.listed(f"void {name}(", parameters, ");"))


def _natives(entry: OpEntry) -> Iterator[str]:
    if entry.implementation.kind not in ("view", "native"):
        return
    result = cpp.result_type(entry.schema.returns)
    for name in entry.implementation.cases.values():
        head = f"{result} {cpp.local_name(name)}("
        yield _described(entry.schema, cpp.listed(head, cpp.declarations(entry.schema), ");"))


def _described(schema: Schema, text: str) -> str:
    return f"{cpp.comment(str(schema))}\n{text}"


def output_names(schema: Schema) -> list[str]:
    """What a kernel calls the tensors it fills: `out`, or the results' own names."""
    if len(schema.returns) == 1:
        return ["out"]
    return [result.name or f"out{i}" for i, result in enumerate(schema.returns)]
