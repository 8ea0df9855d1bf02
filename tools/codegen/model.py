"""What an op is: frozen types that parse from the text of an entry and print back without loss."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

BASE_TYPES = (
    "Tensor",
    "Scalar",
    "int",
    "float",
    "bool",
    "str",
    "ScalarType",
    "Device",
    "Layout",
    "MemoryFormat",
    "Generator",
)
# The words that stand for a value of their type in a default; every other default is a literal.
ENUM_TYPES = ("ScalarType", "Layout", "MemoryFormat")
# `module:` of an entry -> the public module of its function; other functions are top-level names.
PUBLIC_MODULES = {"nn": "nn.functional", "nn_grad": "nn.grad", "linalg": "linalg"}

# `derivative:` without formulas: `parts`, the op calls others, which are recorded themselves;
# `none`, no call of it is in a graph.
DERIVATIVE_WORDS = ("parts", "none")

Default = None | bool | int | float | str | tuple[int, ...]
ImplementationKind = Literal[
    "scalar", "kernel", "inplace_kernel", "view", "native", "composite", "each"
]
VariantKind = Literal["functional", "inplace", "out"]


class SchemaError(ValueError):
    """A schema, rule call or type that does not parse; the text says what was expected."""


@dataclass(frozen=True)
class Type:
    """A schema type: `Tensor`, `int?`, `int[2]`, `int[1]?`, `Tensor?[]`."""

    base: str
    optional: bool = False
    is_list: bool = False
    length: int | None = None
    element_optional: bool = False

    @staticmethod
    def parse(text: str) -> Type:
        """The type that the text spells; raises SchemaError."""
        match = re.fullmatch(r"(\w+)(\?)?(?:\[(\d*)\])?(\?)?", text)
        if match is None or match[1] not in BASE_TYPES:
            raise SchemaError(
                f"unknown type '{text}'; types are {', '.join(BASE_TYPES)}, each with ?, [] or [N]"
            )
        base, question, length, last = match.groups()
        if length is None:
            if last:
                raise SchemaError(f"type '{text}' is optional twice")
            return Type(base, optional=bool(question))
        size = int(length) if length else None
        return Type(base, bool(last), True, size, bool(question))

    def __str__(self) -> str:
        if not self.is_list:
            return self.base + ("?" if self.optional else "")
        element = self.base + ("?" if self.element_optional else "")
        length = "" if self.length is None else str(self.length)
        return f"{element}[{length}]" + ("?" if self.optional else "")

    @property
    def is_tensor(self) -> bool:
        """A single tensor, optional or not."""
        return self.base == "Tensor" and not self.is_list

    @property
    def is_tensor_list(self) -> bool:
        """A list of tensors."""
        return self.base == "Tensor" and self.is_list


@dataclass(frozen=True)
class Alias:
    """`(a)`: shares storage with set a; `(a!)`: and is written; `(a -> *)`: what a list shares."""

    name: str
    writes: bool = False
    spreads: bool = False

    @staticmethod
    def parse(text: str) -> Alias:
        """The annotation that the text spells; raises SchemaError."""
        match = re.fullmatch(r"\(([a-z])(!)?( -> \*)?\)", text)
        if match is None:
            raise SchemaError(f"alias annotation '{text}' must be (a), (a!) or (a -> *)")
        return Alias(match[1], bool(match[2]), bool(match[3]))

    def __str__(self) -> str:
        return f"({self.name}{'!' if self.writes else ''}{' -> *' if self.spreads else ''})"


def _parse_annotated(text: str) -> tuple[Type, Alias | None]:
    match = re.fullmatch(r"(\w+)(\([^)]*\))?(.*)", text)
    if match is None:
        raise SchemaError(f"'{text}' is not a type")
    alias = Alias.parse(match[2]) if match[2] else None
    return Type.parse(match[1] + match[3]), alias


def _print_annotated(type_: Type, alias: Alias | None) -> str:
    text = str(type_)
    return text if alias is None else type_.base + str(alias) + text[len(type_.base) :]


@dataclass(frozen=True)
class Argument:
    """One operand or option; `default` is a Python literal, or the name of an enumerator."""

    name: str
    type: Type
    default: Default = None
    has_default: bool = False
    kwarg_only: bool = False
    alias: Alias | None = None

    @staticmethod
    def parse(text: str, kwarg_only: bool) -> Argument:
        """`Type name` or `Type name=default`; raises SchemaError."""
        declaration, equals, default_text = text.partition("=")
        type_text, _, name = declaration.strip().rpartition(" ")
        if not re.fullmatch(r"[a-z_]\w*", name) or not type_text:
            raise SchemaError(f"argument '{text}' must read 'Type name' or 'Type name=default'")
        type_, alias = _parse_annotated(type_text)
        default = _parse_default(default_text, type_, name) if equals else None
        return Argument(name, type_, default, bool(equals), kwarg_only, alias)

    def __str__(self) -> str:
        text = f"{_print_annotated(self.type, self.alias)} {self.name}"
        return f"{text}={_print_default(self.default, self.type)}" if self.has_default else text


@dataclass(frozen=True)
class Return:
    """One result; named where there are several."""

    type: Type
    name: str | None = None
    alias: Alias | None = None

    @staticmethod
    def parse(text: str) -> Return:
        """`Type` or `Type name`; raises SchemaError."""
        type_text, _, name = text.rpartition(" ") if " " in text else (text, "", None)
        type_, alias = _parse_annotated(type_text)
        return Return(type_, name, alias)

    def __str__(self) -> str:
        text = _print_annotated(self.type, self.alias)
        return text if self.name is None else f"{text} {self.name}"


def _parse_default(text: str, type_: Type, name: str) -> Default:
    words: dict[str, Default] = {"None": None, "True": True, "False": False}
    if text in words:
        return words[text]
    if match := re.fullmatch(r"\[((?:-?\d+(?:, )?)*)\]", text):
        return tuple(int(item) for item in match[1].split(", ") if item)
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"-?\d+(\.\d*)?(e[+-]?\d+)?", text):
        return float(text)
    if type_.base == "str" and re.fullmatch(r"'[^']*'", text):
        return text[1:-1]
    if type_.base in ENUM_TYPES and re.fullmatch(r"[a-z_]\w*", text):
        return text
    raise SchemaError(f"default '{text}' of {name} is not a value of type {type_}")


def _print_default(value: Default, type_: Type) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(str, value)) + "]"
    if isinstance(value, str) and type_.base not in ENUM_TYPES:
        return f"'{value}'"
    return str(value)


def _split_commas(text: str) -> list[str]:
    """Splits at the commas that stand outside brackets."""
    parts: list[str] = []
    depth, start = 0, 0
    for position, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    tail = text[start:].strip()
    return [*parts, tail] if tail else parts


@dataclass(frozen=True)
class Schema:
    """`name.overload(arguments) -> returns`."""

    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]

    @staticmethod
    def parse(text: str) -> Schema:
        """The schema that the text spells; raises SchemaError."""
        match = re.fullmatch(r"(\w+)(?:\.(\w+))?\((.*)\) -> (.+)", text.strip())
        if match is None:
            raise SchemaError("a schema reads 'name.overload(Type name=default, *, ...) -> Type'")
        name, overload, arguments_text, returns_text = match.groups()
        arguments: list[Argument] = []
        kwarg_only = False
        for part in _split_commas(arguments_text):
            if part == "*":
                kwarg_only = True
            else:
                arguments.append(Argument.parse(part, kwarg_only))
        if returns_text.startswith("("):
            returns_text = returns_text[1:-1]
        returns = tuple(Return.parse(part) for part in _split_commas(returns_text))
        return Schema(name, overload or "", tuple(arguments), returns)

    def __str__(self) -> str:
        parts: list[str] = []
        for argument in self.arguments:
            if argument.kwarg_only and "*" not in parts:
                parts.append("*")
            parts.append(str(argument))
        returns = ", ".join(map(str, self.returns))
        if len(self.returns) != 1:
            returns = f"({returns})"
        return f"{self.full_name}({', '.join(parts)}) -> {returns}"

    @property
    def full_name(self) -> str:
        """`add.Tensor`, or `neg` where there is no overload name."""
        return f"{self.name}.{self.overload}" if self.overload else self.name

    @property
    def positional(self) -> tuple[Argument, ...]:
        """The arguments that may be given by position."""
        return tuple(a for a in self.arguments if not a.kwarg_only)

    @property
    def tensors(self) -> tuple[Argument, ...]:
        """The arguments that are one tensor each, optional ones included."""
        return tuple(a for a in self.arguments if a.type.is_tensor)

    @property
    def mutates(self) -> bool:
        """Whether the op writes one of its arguments."""
        return any(a.alias is not None and a.alias.writes for a in self.arguments)

    def argument(self, name: str) -> Argument | None:
        """The argument of that name."""
        return next((a for a in self.arguments if a.name == name), None)

    def inplace(self) -> Schema:
        """The in-place form: `add_.Tensor(Tensor(a!) self, ...) -> Tensor(a!)`; that of a list of
        tensors gives nothing."""
        written = Alias("a", writes=True)
        first = replace(self.arguments[0], alias=written)
        results = () if first.type.is_list else (Return(Type("Tensor"), alias=written),)
        return Schema(f"{self.name}_", self.overload, (first, *self.arguments[1:]), results)

    def out(self) -> Schema:
        """The same op writing to `out` (or, with several results, to tensors named after them)."""
        outs: list[Argument] = []
        for index, result in enumerate(self.returns):
            alias = Alias("abcdefgh"[index], writes=True)
            name = result.name if len(self.returns) > 1 and result.name else "out"
            outs.append(Argument(name, Type("Tensor"), kwarg_only=True, alias=alias))
        overload = f"{self.overload}_out" if self.overload else "out"
        returns = tuple(
            Return(Type("Tensor"), result.name, argument.alias)
            for result, argument in zip(self.returns, outs, strict=True)
        )
        return Schema(self.name, overload, (*self.arguments, *outs), returns)


@dataclass(frozen=True)
class RuleCall:
    """A rule by name, with or without arguments: `default`, `same(self)`, `scalar_shape()`."""

    name: str
    arguments: tuple[str, ...] | None = None

    @staticmethod
    def parse(text: str) -> RuleCall:
        """`rule` or `rule(argument, ...)`; raises SchemaError."""
        match = re.fullmatch(r"(\w+)(?:\((.*)\))?", text.strip())
        if match is None:
            raise SchemaError(f"'{text}' must read 'rule' or 'rule(argument, ...)'")
        name, arguments = match.groups()
        return RuleCall(name, None if arguments is None else tuple(_split_commas(arguments)))

    def __str__(self) -> str:
        return self.name if self.arguments is None else f"{self.name}({', '.join(self.arguments)})"


@dataclass(frozen=True)
class Implementation:
    """The one way an op is computed: kind, and per case (dtype class, backend or `else`) what with.

    `cases` has the one key "" where the field is a plain string (`composite: matmul`).
    """

    kind: ImplementationKind
    cases: Mapping[str, str]

    @property
    def single(self) -> str:
        """The name, where the field is a plain string."""
        return self.cases[""]


@dataclass(frozen=True)
class Source:
    """Where an entry stands: its file, its own line and the line of each field."""

    file: str
    line: int
    lines: Mapping[str, int] = field(default_factory=dict)

    def at(self, name: str) -> int:
        """The line of a field; the entry's where it has no such field."""
        return self.lines.get(name, self.line)


@dataclass(frozen=True)
class Variant:
    """One dispatcher entry of an op."""

    kind: VariantKind
    schema: Schema


@dataclass(frozen=True)
class OpEntry:
    """One entry of `csrc/ops/<family>.yaml`."""

    family: str
    schema: Schema
    variants: tuple[str, ...]
    tags: tuple[str, ...]
    numbers: tuple[str, ...]
    dtype_sets: Mapping[str, str | tuple[str, ...]]  # as written: a set's name, or the dtypes
    dtypes: Mapping[str, tuple[str, ...]]  # backend -> dtype names
    implementation: Implementation
    shape: RuleCall | None
    promote: tuple[RuleCall, ...]
    check: str | None
    broadcast_self: tuple[str, ...]
    oracle: str | Mapping[str, str]
    samples: str
    errors: tuple[str, ...]
    source: Source = field(compare=False)
    module: str = ""  # a key of PUBLIC_MODULES
    # Operand, or several with commas between -> formula; or a word of DERIVATIVE_WORDS.
    derivative: Mapping[str, str] | str | None = None

    @property
    def name(self) -> str:
        """The op's name without the overload's."""
        return self.schema.name

    @property
    def full_name(self) -> str:
        """`add.Tensor`, or `neg` where there is no overload name."""
        return self.schema.full_name

    @property
    def each(self) -> RuleCall:
        """What an op given by `each:` calls for every entry of its lists."""
        return RuleCall.parse(self.implementation.single)

    @property
    def public_name(self) -> str:
        """The name of the function in its module: `vector_norm` of `linalg_vector_norm`."""
        return self.name.removeprefix(f"{self.module}_") if self.module else self.name

    def dispatched(self) -> Iterator[Variant]:
        """The dispatcher entries: the schema itself, then in-place and out= where they exist."""
        yield Variant("functional", self.schema)
        if "inplace" in self.variants:
            yield Variant("inplace", self.schema.inplace())
        if "out" in self.variants:
            yield Variant("out", self.schema.out())

    def to_fields(self) -> dict[str, object]:
        """The entry as it stands in the yaml file."""
        fields: dict[str, object] = {"op": str(self.schema), "variants": list(self.variants)}
        if self.module:
            fields["module"] = self.module
        for name in ("tags", "numbers", "broadcast_self"):
            if value := getattr(self, name):
                fields[name] = list(value)
        fields["dtypes"] = {
            k: v if isinstance(v, str) else list(v) for k, v in self.dtype_sets.items()
        }
        cases = dict(self.implementation.cases)
        fields[self.implementation.kind] = cases.get("", cases)
        if self.shape is not None:
            fields["shape"] = str(self.shape)
        if self.promote:
            calls = [str(call) for call in self.promote]
            fields["promote"] = calls[0] if len(calls) == 1 else calls
        if self.check is not None:
            fields["check"] = self.check
        if self.derivative is not None:
            fields["derivative"] = self.derivative
        fields |= {"oracle": self.oracle, "samples": self.samples, "errors": list(self.errors)}
        return fields


@dataclass(frozen=True)
class Tags:
    """`tags.yaml`: the closed lists of tags and of dtype sets."""

    tags: Mapping[str, str]
    dtype_sets: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class RuleNames:
    """`rules.yaml`: the closed lists of shape and promotion rules, each with its line of help."""

    shape: Mapping[str, str]
    promote: Mapping[str, str]
