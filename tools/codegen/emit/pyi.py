"""`_C/__init__.pyi`, `_C/functions.pyi`, ...: types of the binding, its generated part in full.

What isn't generated comes from `csrc/python/_C.pyi.in`, which has a line `    # generated methods`
inside class Tensor and a line `# generated results` at module level.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from pathlib import Path

from tools.codegen.emit.python_params import default_text
from tools.codegen.model import PUBLIC_MODULES, Argument, OpEntry, Type
from tools.codegen.registry import Registry

_TEMPLATE = Path(__file__).resolve().parents[3] / "csrc" / "python" / "_C.pyi.in"
# Inside class Tensor names such as `int` and `dtype` are methods and properties, hence the aliases.
_TYPES = {
    "Tensor": "Tensor",
    "Scalar": "_Number",
    "int": "_int",
    "float": "_float",
    "bool": "_bool",
    "str": "_str",
    "ScalarType": "_dtype",
    "Device": "_DeviceLike",
    "Layout": "_layout",
    "MemoryFormat": "_memory_format",
    "Generator": "_Generator",
}
_FUNCTIONS_HEAD = '''"""Generated functions, as `{shown}` re-exports them."""

from collections.abc import Sequence
from typing import overload

from cepheid._C import (
    Tensor,
    _bool,
    _DeviceLike,
    _dtype,
    _float,
    _Generator,
    _int,
    _layout,
    _memory_format,
    _Number,
    _str,
)
'''


def emit(registry: Registry) -> dict[str, str]:
    """The stub of `_C`, and one for each of its modules of functions."""
    results: list[str] = []
    methods: list[str] = []
    for name, entries in registry.by_name().items():
        results += [_result_class(e) for e in entries if _is_named(e)][:1]
        methods += _overloaded(name, [e for e in entries if "method" in e.variants], method=True)
        inplace = [e for e in entries if "inplace" in e.variants and not _of_lists(e)]
        methods += _overloaded(f"{name}_", inplace, method=True)
    stub = _TEMPLATE.read_text("utf-8")
    stub = _filled(stub, "    # generated methods", methods, "    ")
    stub = _filled(stub, "# generated results", results, "")
    modules = {
        f"_C/{module or 'functions'}.pyi": _functions(registry, module)
        for module in ("", *PUBLIC_MODULES)
    }
    return {"_C/__init__.pyi": stub, **modules}


def _functions(registry: Registry, module: str) -> str:
    """The stub of one module of functions."""
    functions: list[str] = []
    names: list[str] = []
    used = ""
    for name, entries in registry.by_name().items():
        found = [e for e in entries if "function" in e.variants and e.module == module]
        if not found:
            continue
        public = found[0].public_name
        functions += _overloaded(public, found, method=False)
        names.append(public)
        inplace = [e for e in found if "inplace" in e.variants and _of_lists(e)]
        functions += _overloaded(f"{public}_", inplace, method=False)
        names += [f"{public}_"] if inplace else []
        if _several(registry, name):
            used += f"from cepheid._C import _{name}_results\n"
    listed = "".join(f'    "{name}",\n' for name in sorted(names))
    shown = f"cepheid.{PUBLIC_MODULES[module]}" if module else "cepheid"
    head = _FUNCTIONS_HEAD.replace("{shown}", shown)
    return f"{head}{used}\n__all__ = [\n{listed}]\n\n" + "\n".join(functions) + "\n"


def _several(registry: Registry, name: str) -> bool:
    return any(_is_named(entry) for entry in registry.by_name()[name])


def _filled(stub: str, marker: str, lines: Sequence[str], indent: str) -> str:
    if stub.count(marker + "\n") != 1:
        raise ValueError(f"pyi: {_TEMPLATE.name} must hold the line '{marker}' once")
    text = "\n".join(indent + line for part in lines for line in part.split("\n"))
    return stub.replace(marker, text)


def _of_lists(entry: OpEntry) -> bool:
    """Whether the op works on a list of tensors, and in place as a function."""
    arguments = entry.schema.arguments
    return bool(arguments) and arguments[0].type.is_tensor_list


def _is_named(entry: OpEntry) -> bool:
    """Whether the results come in a class of their own."""
    returns = entry.schema.returns
    return len(returns) > 1 and all(result.name for result in returns)


def _result_class(entry: OpEntry) -> str:
    fields = "".join(f"\n    {result.name}: Tensor" for result in entry.schema.returns)
    return f"class _{entry.name}_results(NamedTuple):{fields}"


def _overloaded(name: str, entries: Sequence[OpEntry], method: bool) -> list[str]:
    inplace = name.endswith("_") and bool(entries) and f"{entries[0].name}_" == name
    signatures = []
    for entry in entries:
        signatures += _signatures(name, entry, method, inplace)
    if len(signatures) > 1:
        return [f"@overload\n{signature}" for signature in signatures]
    return signatures


def _signatures(name: str, entry: OpEntry, method: bool, inplace: bool) -> list[str]:
    arguments = entry.schema.arguments[1 if method else 0 :]
    extra = _extra(entry, method, inplace)
    result = "Sequence[Tensor]" if inplace and _of_lists(entry) else _result(entry)
    shapes = [_parameters(entry, arguments, extra)]
    if "varargs" in entry.tags and arguments and arguments[0].type.is_list:
        shapes.append(_spread(entry, arguments, extra))
    head = ["self"] if method else []
    return [f"def {name}({', '.join([*head, *shape])}) -> {result}: ..." for shape in shapes]


def _result(entry: OpEntry) -> str:
    returns = entry.schema.returns
    if _is_named(entry):
        return f"_{entry.name}_results"
    if len(returns) > 1:
        return f"tuple[{', '.join(['Tensor'] * len(returns))}]"
    if returns[0].type.is_tensor_list:
        return "tuple[Tensor, ...]"
    return _annotation(entry, returns[0].type, "")


def _extra(entry: OpEntry, method: bool, inplace: bool) -> list[str]:
    extra = []
    if "factory" in entry.tags:
        extra.append("requires_grad: _bool = False")
    if "out" in entry.variants and not method and not inplace:
        several = len(entry.schema.returns) > 1
        extra.append(f"out: {'Sequence[Tensor]' if several else 'Tensor'} | None = None")
    return extra


def _parameters(entry: OpEntry, arguments: Sequence[Argument], extra: Sequence[str]) -> list[str]:
    positional = [_parameter(entry, a) for a in arguments if not a.kwarg_only]
    options = [_parameter(entry, a) for a in arguments if a.kwarg_only] + list(extra)
    return [*positional, "*", *options] if options else positional


def _spread(entry: OpEntry, arguments: Sequence[Argument], extra: Sequence[str]) -> list[str]:
    options = [_parameter(entry, a) for a in arguments if a.kwarg_only] + list(extra)
    return [f"*{arguments[0].name}: _int", *options]


def _parameter(entry: OpEntry, argument: Argument) -> str:
    first = argument is entry.schema.arguments[0]
    name = "input" if first and argument.name == "self" else argument.name
    if keyword.iskeyword(name):
        name += "_"
    text = f"{name}: {_annotation(entry, argument.type, argument.name)}"
    if not argument.has_default:
        return text
    simple = argument.default is None or argument.type.base in ("int", "float", "bool", "str")
    return f"{text} = {default_text(argument) if simple and not argument.type.is_list else '...'}"


def _annotation(entry: OpEntry, type_: Type, name: str) -> str:
    base = _TYPES[type_.base]
    if type_.is_list:
        item = f"{base} | None" if type_.element_optional else base
        text = f"Sequence[{item}]"
        if type_.length is not None:
            text = f"{item} | {text}"
    elif name and name in entry.numbers:
        text = "Tensor | _Number"
    else:
        text = base
    return f"{text} | None" if type_.optional else text
