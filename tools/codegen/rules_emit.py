"""Rules as C++: `rules/<family>.{h,cpp}`, and which ops each composite calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tools.codegen import cpp
from tools.codegen.model import OpEntry
from tools.codegen.problems import Problem
from tools.codegen.rules import Kind, RuleBook, RuleFunction
from tools.codegen.rules_body import Emitted, emit_body, parameter_type, value_type
from tools.codegen.rules_expr import Calls, OpIndex, RuleError


@dataclass(frozen=True)
class CompiledRules:
    """Each function's C++, and what it calls."""

    book: RuleBook
    bodies: Mapping[str, Emitted]

    def calls(self, name: str) -> Calls:
        """What a function calls, directly or through other rules."""
        total = Calls()
        pending, seen = [name], {name}
        while pending:
            body = self.bodies.get(pending.pop())
            if body is None:
                continue
            total.ops |= body.calls.ops
            total.entries |= body.calls.entries
            total.rules |= body.calls.rules
            pending += [rule for rule in body.calls.rules if rule not in seen]
            seen |= body.calls.rules
        return total

    def ops_called(self, entry: OpEntry) -> set[str]:
        """The full names of the entries that a composite entry needs; empty for others."""
        if entry.implementation.kind != "composite":
            return set()
        return set(self.calls(entry.implementation.single).entries)


def compile_rules(
    book: RuleBook, entries: Iterable[OpEntry], problems: list[Problem]
) -> CompiledRules:
    """All functions as C++; what is outside the subset becomes a problem with its line."""
    index = OpIndex(entries)
    bodies: dict[str, Emitted] = {}
    for function in book.functions.values():
        try:
            bodies[function.name] = emit_body(function, book, index)
        except RuleError as error:
            problems.append(Problem(function.file, error.line, function.name, error.text))
    return CompiledRules(book, bodies)


def _result(kind: Kind) -> str:
    return "void" if kind.base == "None" else value_type(kind)


def _head(function: RuleFunction, api: str, tail: str, body: str | None = None) -> str:
    parameters = [
        f"{parameter_type(p.kind, names_op=function.names_op and i == 0)} {cpp.local_name(p.name)}"
        for i, p in enumerate(function.parameters)
    ]
    if body is not None:
        parameters = [cpp.named_if_used(p, body) for p in parameters]
    head = f"{api}{_result(function.returns)} {cpp.local_name(function.name)}("
    return cpp.listed(head, parameters, tail)


def emit_family(compiled: CompiledRules, family: str, kept: frozenset[str]) -> dict[str, str]:
    """Header and unit of one family: the functions of `kept`."""
    functions = [f for f in compiled.book.of_family(family) if f.name in kept]
    if not functions:
        return {}
    source = f"csrc/ops/rules/{family}.py"
    declarations = "\n".join(_declaration(f) for f in functions)
    header = (
        cpp.generated_note(source)
        + '#pragma once\n\n#include "core/generator.h"\n#include "core/tensor.h"\n\n'
        + "#include <optional>\n#include <string_view>\n#include <tuple>\n#include <vector>\n\n"
        + f"namespace ceph::rules {{\n\n{declarations}\n}}  // namespace ceph::rules\n"
    )
    definitions = "\n".join(
        f"{_head(f, '', ') {', compiled.bodies[f.name].text)}\n{compiled.bodies[f.name].text}}}\n"
        for f in functions
    )
    unit = (
        cpp.generated_note(source)
        + "".join(f'#include "{name}"\n' for name in _includes(compiled, family, functions))
        + f"\nnamespace ceph::rules {{\n\n{definitions}\n}}  // namespace ceph::rules\n"
    )
    return {f"rules/{family}.h": header, f"rules/{family}.cpp": unit}


def _declaration(function: RuleFunction) -> str:
    comment = "".join(f"// {line}".rstrip() + "\n" for line in function.docstring.splitlines())
    return comment + _head(function, "CEPH_API ", ");")


def _includes(compiled: CompiledRules, family: str, functions: Iterable[RuleFunction]) -> list[str]:
    headers = {"ops/rules/support.h", f"generated/rules/{family}.h"}
    for function in functions:
        calls = compiled.bodies[function.name].calls
        headers |= {f"generated/ops/{name}.h" for name in calls.ops}
        families = {compiled.book.functions[rule].family for rule in calls.rules}
        headers |= {f"generated/rules/{other}.h" for other in families}
    return sorted(headers)
