"""How an op's arguments look from Python: parameter kinds, signatures and conversions to C++."""

from __future__ import annotations

from dataclasses import dataclass

from tools.codegen import cpp
from tools.codegen.model import Argument, OpEntry, Schema, Type

_KINDS = {
    "Tensor": "Tensor",
    "Scalar": "Scalar",
    "int": "Int",
    "float": "Float",
    "bool": "Bool",
    "str": "Str",
    "ScalarType": "DType",
    "Device": "Device",
    "Layout": "Layout",
    "MemoryFormat": "MemoryFormat",
    "Generator": "Generator",
}
_SHOWN = {
    "Scalar": "Number",
    "ScalarType": "dtype",
    "Device": "device",
    "Layout": "layout",
    "MemoryFormat": "memory_format",
}
# Accessors of Parsed by base type: name of the plain one; the optional one has a prefix.
_ACCESSORS = {
    "Scalar": "scalar",
    "int": "integer",
    "float": "real",
    "bool": "boolean",
    "str": "text",
    "ScalarType": "dtype",
    "Device": "device",
    "Layout": "layout",
    "MemoryFormat": "memory_format",
}


@dataclass(frozen=True)
class Param:
    """One row of a parameter table."""

    name: str
    kind: str
    flags: tuple[str, ...]
    text: str
    length: int = 0

    def __str__(self) -> str:
        flags = " | ".join(self.flags) or "0"
        row = f'"{self.name}", ParamKind::{self.kind}, {flags}, {cpp.quoted(self.text)}'
        return "{" + row + (f", {self.length}" if self.length else "") + "}"


def params(entry: OpEntry) -> list[Param]:
    """The table of an op: its arguments, then what the binding adds; `out` is last."""
    rows = [_param(entry, argument) for argument in entry.schema.arguments]
    extra = ("kKeywordOnly", "kDefault", "kOptional")
    if "factory" in entry.tags:
        rows.append(Param("requires_grad", "Bool", extra[:2], "bool requires_grad=False"))
    if "out" in entry.variants:
        count = len(entry.schema.returns)
        if count == 1:
            rows.append(Param("out", "Tensor", extra, "Tensor out=None"))
        else:
            rows.append(Param("out", "OutTuple", extra, "tuple of Tensors out=None", count))
    return rows


def python_name(schema: Schema, argument: Argument) -> str:
    """Functions call the first operand `input`, as documented; methods don't name it."""
    first = argument is schema.arguments[0]
    return "input" if first and argument.name == "self" else argument.name


def _param(entry: OpEntry, argument: Argument) -> Param:
    type_ = argument.type
    flags = []
    if type_.optional:
        flags.append("kOptional")
    if argument.has_default:
        flags.append("kDefault")
    if argument.kwarg_only:
        flags.append("kKeywordOnly")
    if type_.length is not None:
        flags.append("kOneForAll")
    name = python_name(entry.schema, argument)
    text = f"{type_text(type_)} {name}"
    if argument.has_default:
        text += f"={default_text(argument)}"
    return Param(name, _kind(entry, argument), tuple(flags), text)


def _kind(entry: OpEntry, argument: Argument) -> str:
    type_ = argument.type
    if type_.is_tensor_list:
        return "OptionalTensorList" if type_.element_optional else "TensorList"
    if type_.is_list:
        return "ScalarList" if type_.base == "Scalar" else "IntList"
    if type_.base == "Tensor" and argument.name in entry.numbers:
        return "TensorOrNumber"
    return _KINDS[type_.base]


def type_text(type_: Type) -> str:
    """A type as error messages show it."""
    if type_.is_tensor_list:
        return "tuple of Tensors"
    if type_.is_list and type_.base == "Scalar":
        return "tuple of Numbers"
    if type_.is_list:
        return "tuple of ints" if type_.length is None else f"int[{type_.length}]"
    return _SHOWN.get(type_.base, type_.base)


def default_text(argument: Argument) -> str:
    """A default as Python writes it."""
    if isinstance(argument.default, str) and argument.type.base == "str":
        return f"'{argument.default}'"
    return str(argument.default)


def conversion(entry: OpEntry, argument: Argument, index: int) -> list[str]:
    """C++ statements that define a local of the argument's name from slot `index`."""
    name = cpp.local_name(argument.name)
    type_ = argument.type
    if type_.is_tensor_list:
        return [f"std::vector<Tensor> {name} = p.tensors({index});"]
    if type_.is_list and type_.base == "Scalar":
        return [f"std::vector<Scalar> {name} = p.scalars({index});"]
    if type_.base == "Tensor" and argument.name in entry.numbers:
        return [
            f"Tensor {name}_number;",
            f"const Tensor& {name} = p.operand({index}, {name}_number);",
        ]
    if type_.base == "Tensor":
        return [f"const Tensor& {name} = p.tensor({index});"]
    if type_.base == "Generator":
        return [f"const Generator& {name} = p.generator({index});"]
    lines = [f"auto {name} = p.{_accessor(argument, index)};"]
    if argument.name == "pin_memory":
        lines.append(f"p.refuse_pin_memory({index});")
    return lines


def _accessor(argument: Argument, index: int) -> str:
    type_ = argument.type
    if type_.is_list:
        return _list_accessor(argument, index)
    accessor = _ACCESSORS[type_.base]
    if type_.optional:
        accessor = f"optional_{accessor}"
    if argument.default is None:
        return f"{accessor}({index})"
    return f"{accessor}({index}, {_default(argument)})"


def _default(argument: Argument) -> str:
    text = cpp.default_value(argument)
    return f"Scalar({text})" if argument.type.base == "Scalar" else text


def _list_accessor(argument: Argument, index: int) -> str:
    type_ = argument.type
    length = f", {type_.length}" if type_.length and type_.length > 1 else ""
    if argument.default is None:
        return f"{'optional_' if type_.optional else ''}ints({index}{length})"
    if type_.optional:
        raise ValueError(f"python: {argument} is optional and has a default other than None")
    value = argument.default
    items = value if isinstance(value, tuple) else (value,) * (type_.length or 1)
    return f"ints_or({index}, {{{', '.join(map(str, items))}}}{length})"
