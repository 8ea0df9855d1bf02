"""How schemas read in C++: types, defaults, names, and lines of at most 100 columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from tools.codegen.model import Argument, Return, Schema, Type

LINE_LENGTH = 100

# Of the words that C++ keeps to itself, those that Python lets be names.
KEYWORDS = frozenset(
    {
        *("auto", "bool", "case", "catch", "char", "const", "default", "delete", "do", "double"),
        *("enum", "explicit", "export", "extern", "float", "friend", "goto", "inline", "int"),
        *("long", "mutable", "namespace", "new", "operator", "private", "protected", "public"),
        *("register", "short", "signed", "sizeof", "static", "struct", "switch", "template"),
        *("this", "throw", "typedef", "typename", "union", "unsigned", "using", "virtual"),
        *("void", "volatile", "xor"),
    }
)
DTYPE_ENUMERATORS: Mapping[str, str] = {
    "bool": "Bool",
    "uint8": "UInt8",
    "int8": "Int8",
    "int16": "Int16",
    "int32": "Int32",
    "int64": "Int64",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "float16": "Float16",
    "bfloat16": "BFloat16",
    "float32": "Float32",
    "float64": "Float64",
    "complex64": "Complex64",
    "complex128": "Complex128",
    "float8_e4m3fn": "Float8E4M3FN",
    "float8_e5m2": "Float8E5M2",
}
ENUM_VALUES: Mapping[str, Mapping[str, str]] = {
    "ScalarType": {name: f"DType::{value}" for name, value in DTYPE_ENUMERATORS.items()},
    "Layout": {"strided": "Layout::Strided"},
    "MemoryFormat": {
        "contiguous_format": "MemoryFormat::Contiguous",
        "preserve_format": "MemoryFormat::Preserve",
        "channels_last": "MemoryFormat::ChannelsLast",
        "channels_last_3d": "MemoryFormat::ChannelsLast3d",
    },
}
_VALUES: Mapping[str, str] = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": "std::string_view",
    "ScalarType": "DType",
    "Device": "Device",
    "Layout": "Layout",
    "MemoryFormat": "MemoryFormat",
}


def argument_type(type_: Type) -> str:
    """The C++ parameter type; None is an undefined tensor or generator, else std::nullopt."""
    if type_.base == "Tensor":
        return "TensorList" if type_.is_list else "const Tensor&"
    if type_.base == "Generator":
        return "const Generator&"
    if type_.base == "Scalar" and type_.is_list:
        return "ScalarList"
    if type_.base == "Scalar":
        return "const std::optional<Scalar>&" if type_.optional else "const Scalar&"
    value = "IntArrayRef" if type_.is_list else _VALUES[type_.base]
    return f"std::optional<{value}>" if type_.optional else value


def result_type(returns: Sequence[Return]) -> str:
    """The C++ result type; none is void, several are a tuple."""
    if not returns:
        return "void"
    types = [_result_type(result.type) for result in returns]
    return types[0] if len(types) == 1 else f"std::tuple<{', '.join(types)}>"


def _result_type(type_: Type) -> str:
    value = _VALUES.get(type_.base, type_.base)
    return f"std::vector<{value}>" if type_.is_list else value


def local_name(name: str) -> str:
    """An argument's name, moved out of the way of C++ keywords and of `p`, which holds a binding's
    arguments."""
    return f"{name}_" if name in KEYWORDS or name == "p" else name


def entry_name(schema: Schema) -> str:
    """The identifier of a dispatcher entry: `add_.Tensor` -> `add_inplace_Tensor`."""
    name = f"{schema.name}inplace" if schema.name.endswith("_") else schema.name
    return f"{name}_{schema.overload}" if schema.overload else local_name(name)


def function_name(schema: Schema) -> str:
    """The public C++ name: the op's own; `add_out` for out= variants."""
    return f"{schema.name}_out" if is_out(schema) else local_name(schema.name)


def is_out(schema: Schema) -> bool:
    """Whether the schema is of an out= variant."""
    return any(is_output(argument) for argument in schema.arguments)


def is_output(argument: Argument) -> bool:
    """An argument of an out= variant that receives a result."""
    return argument.kwarg_only and argument.alias is not None and argument.alias.writes


def default_value(argument: Argument) -> str:
    """The C++ text of an argument's default."""
    type_, value = argument.type, argument.default
    if value is None:
        return "{}" if type_.base in ("Tensor", "Generator") else "std::nullopt"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "{" + ", ".join(map(str, value)) + "}"
    if isinstance(value, str):
        return ENUM_VALUES[type_.base][value] if type_.base in ENUM_VALUES else f'"{value}"'
    return "{" + str(value) + "}" if type_.is_list else str(value)


def declaration(argument: Argument, with_default: bool = False) -> str:
    """`const Scalar& alpha = 1`."""
    text = f"{argument_type(argument.type)} {local_name(argument.name)}"
    return f"{text} = {default_value(argument)}" if with_default and argument.has_default else text


def declarations(schema: Schema) -> list[str]:
    """The C++ parameters of all arguments, in order."""
    return [declaration(argument) for argument in schema.arguments]


def named_if_used(declared: str, body: str) -> str:
    """`int64_t dim`, or `int64_t /*dim*/` where the body doesn't mention it."""
    type_, _, name = declared.rpartition(" ")
    used = re.search(rf"\b{name}\b", body) is not None
    return declared if used else f"{type_} /*{name}*/"


def names(schema: Schema) -> list[str]:
    """The C++ names of all arguments, in order."""
    return [local_name(argument.name) for argument in schema.arguments]


def signature_type(schema: Schema) -> str:
    """`Tensor(const Tensor&, const Scalar&)`."""
    types = ", ".join(argument_type(argument.type) for argument in schema.arguments)
    return f"{result_type(schema.returns)}({types})"


def signature_alias(schema: Schema) -> str:
    """`using add_Tensor = Tensor(const Tensor&, ...);`."""
    types = [argument_type(argument.type) for argument in schema.arguments]
    return listed(f"using {entry_name(schema)} = {result_type(schema.returns)}(", types, ");")


def listed(head: str, items: Iterable[str], tail: str, indent: str = "") -> str:
    """`head` + items + `tail` on one line, or broken after commas, aligned with the first item."""
    items = list(items)
    line = indent + head + ", ".join(items) + tail
    if len(line) <= LINE_LENGTH:
        return line
    column = item_column(head, indent)
    filled = _filled(items, tail, " " * column)
    if column < len(indent + head):
        return f"{indent}{head}\n{filled}"
    return indent + head + filled.lstrip()


def item_column(head: str, indent: str) -> int:
    """Where broken items begin: after the head, or indented below it if that is far right."""
    column = len(indent + head)
    return column if column <= LINE_LENGTH // 2 else len(indent) + 4


def _filled(items: Sequence[str], tail: str, indent: str) -> str:
    lines = [indent]
    for position, item in enumerate(items):
        text = item + (tail if position == len(items) - 1 else ",")
        first, *rest = text.split("\n")
        space = "" if lines[-1] == indent else " "
        if space and len(lines[-1]) + 1 + len(first) > LINE_LENGTH:
            lines.append(indent + first)
        else:
            lines[-1] += space + first
        lines += rest
    return "\n".join(lines)


def quoted(text: str) -> str:
    """A C++ string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quoted_lines(text: str, indent: str) -> list[str]:
    """A long string literal as adjacent ones that fit their lines."""
    width = LINE_LENGTH - len(indent) - 4  # the quotes, and what closes the call
    pieces = textwrap.wrap(text, width, drop_whitespace=False, break_on_hyphens=False)
    return [f"{indent}{quoted(piece)}" for piece in pieces]


def comment(text: str) -> str:
    """A comment of as many lines as it needs."""
    return "\n".join(f"// {line}" for line in textwrap.wrap(text, LINE_LENGTH - 3))


def generated_note(*sources: str) -> str:
    """The first line of a generated file."""
    return comment(f"Made by tools/codegen from {', '.join(sources)}; edit it there.") + "\n"


def broken(indent: str, text: str) -> str:
    """The line, broken at commas outside strings where it is longer than 100 columns."""
    opening = re.search(r"[({]", text)
    if len(indent) + len(text) <= LINE_LENGTH or opening is None:
        return indent + text
    head, rest = text[: opening.end()], text[opening.end() :]
    column = " " * item_column(head, indent)
    items = [broken(column, item).lstrip() for item in _split_arguments(rest)]
    return listed(head, items, "", indent=indent)


def _split_arguments(text: str) -> list[str]:
    """Splits at commas outside brackets and string literals; the last piece keeps what follows."""
    pieces: list[str] = []
    depth, quoted, start = 0, False, 0
    for position, character in enumerate(text):
        escaped = position > 0 and text[position - 1] == "\\"
        if character == '"' and not escaped:
            quoted = not quoted
        if quoted:
            continue
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            pieces.append(text[start:position].strip())
            start = position + 1
    return [*pieces, text[start:].strip()]
