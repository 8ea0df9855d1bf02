"""`python/<family>.cpp`: FASTCALL functions and methods of every op, around the argument parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.codegen import cpp
from tools.codegen.emit.python_params import conversion, params
from tools.codegen.model import PUBLIC_MODULES, Argument, OpEntry, Schema
from tools.codegen.registry import Registry

# Factories that write nothing, so that a large result is no long call.
_NO_WORK = ("empty", "empty_strided", "empty_like")


@dataclass(frozen=True)
class _Callable:
    """One name that Python sees: a function or a method, with its overloads."""

    name: str
    entries: tuple[OpEntry, ...]
    method: bool
    inplace: bool = False

    @property
    def module(self) -> str:
        """The attribute of `_C` that holds it."""
        return self.entries[0].module or "functions"

    @property
    def python_name(self) -> str:
        return self.entries[0].public_name if self.entries[0].module else self.name

    @property
    def identifier(self) -> str:
        base = f"{self.name}{'inplace' if self.name.endswith('_') else ''}"
        return f"{'method' if self.method else 'function'}_{base}"


def emit(registry: Registry) -> dict[str, str]:
    """One unit per family with something to call."""
    files = {}
    by_family: dict[str, list[_Callable]] = {}
    for item in _callables(registry):
        by_family.setdefault(item.entries[0].family, []).append(item)
    for family, items in by_family.items():
        files[f"python/{family}.cpp"] = _unit(items)
    return files


def _callables(registry: Registry) -> list[_Callable]:
    found = []
    for name, entries in registry.by_name().items():
        for method in (False, True):
            chosen = tuple(e for e in entries if ("method" if method else "function") in e.variants)
            if chosen:
                found.append(_Callable(name, chosen, method))
        inplace = tuple(e for e in entries if "inplace" in e.variants)
        if inplace:
            method = not inplace[0].schema.arguments[0].type.is_list
            found.append(_Callable(f"{name}_", inplace, method, inplace=True))
    return found


def _unit(items: Sequence[_Callable]) -> str:
    entries = {e.full_name: e for item in items for e in item.entries}
    names = sorted({e.name for e in entries.values()})
    functions = [item for item in items if not item.method]
    methods = [item for item in items if item.method]
    parts = [
        *(_tables(entry) for entry in entries.values()),
        *(_calls(entry, items) for entry in entries.values()),
        *map(_function, items),
        *map(_method_def, items),
        _registration(functions, methods),
    ]
    return (
        cpp.generated_note(*sorted({e.source.file for e in entries.values()}))
        + '#include "python/generated.h"\n\n'
        + "".join(f'#include "generated/ops/{name}.h"\n' for name in names)
        + "\nnamespace ceph::python {\nnamespace {\n\n"
        + "\n".join(parts)
        + "\n}  // namespace\n}  // namespace ceph::python\n"
    )


def _tables(entry: OpEntry) -> str:
    rows = params(entry)
    if len(rows) > 16:
        raise ValueError(f"python: {entry.full_name} has {len(rows)} parameters, kMaxParams is 16")
    identifier = cpp.entry_name(entry.schema)
    lines = "".join(f"    {row},\n" for row in rows)
    positional = sum("kKeywordOnly" not in row.flags for row in rows)
    spread = "true" if "varargs" in entry.tags else "false"
    has_out = "true" if "out" in entry.variants else "false"
    return (
        f"// {entry.schema}\n"
        f"Param params_{identifier}[] = {{\n{lines}}};\n"
        f"Signature signature_{identifier} = {{params_{identifier}, {len(rows)}, {positional},"
        f" {spread}, {has_out}}};\n"
    )


def _calls(entry: OpEntry, items: Sequence[_Callable]) -> str:
    """The calls of one entry: functional (with out=), in-place."""
    kinds = {item.inplace for item in items if entry in item.entries}
    return "\n".join(_call(entry, inplace) for inplace in sorted(kinds))


def _call(entry: OpEntry, inplace: bool) -> str:
    schema = entry.schema.inplace() if inplace else entry.schema
    lines = []
    for index, argument in enumerate(entry.schema.arguments):
        lines += conversion(entry, argument, index)
    rows = params(entry)
    if "out" in entry.variants and not inplace:
        lines += _out_call(entry, len(rows) - 1)
    lines += _plain_call(entry, schema)
    body = "".join(f"  {line}\n" for line in lines)
    return f"PyObject* {_call_name(entry, inplace)}(const Parsed& p) {{\n{body}}}\n"


def _call_name(entry: OpEntry, inplace: bool) -> str:
    schema = entry.schema.inplace() if inplace else entry.schema
    return f"call_{cpp.entry_name(schema)}"


def _arguments(schema: Schema) -> str:
    return ", ".join(cpp.names(schema))


def _plain_call(entry: OpEntry, schema: Schema) -> list[str]:
    call = f"ops::{cpp.function_name(schema)}({_arguments(schema)})"
    work = _work(entry)
    if work:
        call = f"unlocked({work}, [&] {{ return {call}; }})"
    if not schema.returns:  # a list that was written is given back as it came
        return [f"{call};", "return Py_NewRef(p.slots[0]);"]
    names = [row.name for row in params(entry)]
    if "requires_grad" in names:
        return [f"return wrap_leaf({call}, p.boolean({names.index('requires_grad')}));"]
    if len(schema.returns) == 1:
        return [f"return wrap_result({call});"]
    return [f"auto results = {call};", *_named(entry, _elements(len(schema.returns)))]


def _elements(count: int) -> str:
    return ", ".join(f"std::get<{i}>(results)" for i in range(count))


def _named(entry: OpEntry, results: str) -> list[str]:
    if any(result.name is None for result in entry.schema.returns):
        return [f"return wrap_results(nullptr, {{{results}}});"]
    fields = ", ".join(f'"{result.name}"' for result in entry.schema.returns)
    return [
        f'static PyTypeObject* type = named_results("{entry.name}", {{{fields}}});',
        f"return wrap_results(type, {{{results}}});",
    ]


def _out_call(entry: OpEntry, index: int) -> list[str]:
    count = len(entry.schema.returns)
    work = _work(entry) or "false"
    if count == 1:
        call = f"ops::{entry.name}_out(out, {_arguments(entry.schema)})"
        return [
            f"if (p.has({index})) {{",
            f"  const Tensor& out = p.tensor({index});",
            f"  return wrap_result(unlocked({work}, [&] {{ return {call}; }}));",
            "}",
        ]
    outs = ", ".join(f"p.out({index}, {i})" for i in range(count))
    call = f"ops::{entry.name}_out({outs}, {_arguments(entry.schema)})"
    inner = [f"auto results = unlocked({work}, [&] {{ return {call}; }});"]
    inner += _named(entry, _elements(count))
    return [f"if (p.has({index})) {{", *(f"  {line}" for line in inner), "}"]


def _work(entry: OpEntry) -> str:
    """The C++ condition under which a call is long; empty when it never is."""
    if "view" in entry.tags or entry.name in _NO_WORK:
        return ""
    arguments = entry.schema.arguments
    measured = [a for a in arguments if _is_measured(a, factory="factory" in entry.tags)]
    if not measured:
        return "true" if "factory" in entry.tags else ""
    return " || ".join(f"is_large({cpp.local_name(a.name)})" for a in measured)


def _is_measured(argument: Argument, factory: bool) -> bool:
    if argument.type.base == "Tensor":
        return True
    return factory and argument.name == "size"


def _function(item: _Callable) -> str:
    signatures = ", ".join(f"&signature_{cpp.entry_name(e.schema)}" for e in item.entries)
    identifier = item.identifier
    method = "true" if item.method else "false"
    cases = "".join(
        f"      case {i}:\n        return {_call_name(e, item.inplace)}(p);\n"
        for i, e in enumerate(item.entries[:-1])
    )
    last = _call_name(item.entries[-1], item.inplace)
    if cases:
        call = (
            f"[](const Parsed& p) -> PyObject* {{\n    switch (p.signature) {{\n{cases}"
            f"      default:\n        return {last}(p);\n    }}\n  }}"
        )
    else:
        call = last
    run = "run_method(" if item.method else "run_function("
    self = "self, " if item.method else ""
    return (
        f"Signature* const signatures_{identifier}[] = {{{signatures}}};\n"
        f'const Function table_{identifier} = {{"{item.python_name}", signatures_{identifier},'
        f' {len(item.entries)}, {method}, "{item.module}"}};\n'
        f"PyObject* {identifier}(PyObject*{' self' if item.method else ''}, PyObject* const* args,"
        f" Py_ssize_t nargs,\n    PyObject* kwnames) {{\n"
        f"  return {run}table_{identifier}, {self}args, nargs, kwnames, {call});\n}}\n"
    )


def _method_def(item: _Callable) -> str:
    doc = "\\n".join(str(e.schema.inplace() if item.inplace else e.schema) for e in item.entries)
    identifier = item.identifier
    return (
        f'PyMethodDef def_{identifier} = {{"{item.python_name}", as_cfunction({identifier}),'
        f' kFastKeywords,\n    "{doc}"}};\n'
    )


def _module_function(item: _Callable) -> str:
    return f'{{"{item.module}", "{_python_module(item.entries[0])}", &def_{item.identifier}}}'


def _python_module(entry: OpEntry) -> str:
    return f"cepheid.{PUBLIC_MODULES[entry.module]}" if entry.module else "cepheid"


def _registration(functions: Sequence[_Callable], methods: Sequence[_Callable]) -> str:
    def array(type_: str, name: str, values: list[str]) -> str:
        if not values:
            return ""
        return f"{type_} {name}[] = {{{', '.join(values)}}};\n"

    def listed(name: str, count: int) -> str:
        return f"{{{name}, {count}}}" if count else "{}"

    tables = [f"&table_{item.identifier}" for item in (*functions, *methods)]
    return (
        array("const Function* const", "tables", tables)
        + array("ModuleFunction const", "functions", [_module_function(f) for f in functions])
        + array("PyMethodDef* const", "methods", [f"&def_{m.identifier}" for m in methods])
        + f"const Unit unit({listed('tables', len(tables))}, {listed('functions', len(functions))},"
        f" {listed('methods', len(methods))});\n"
    )
