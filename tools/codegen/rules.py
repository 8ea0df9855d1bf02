"""The rules of `csrc/ops/rules`: which functions there are, and what they take and give."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.codegen.model import Schema, Type
from tools.codegen.problems import Problem

# Annotations of rules -> the kind of value. Shape and Ints are both tuples of ints.
ANNOTATIONS: Mapping[str, str] = {
    "Shape": "ints",
    "Ints": "ints",
    "Shapes": "shapes",
    "Tensor": "Tensor",
    "Tensors": "TensorList",
    "Scalar": "Scalar",
    "DType": "DType",
    "Device": "Device",
    "Layout": "Layout",
    "MemoryFormat": "MemoryFormat",
    "Generator": "Generator",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
}
# Schema types -> the kind of value that a composite's parameter must have.
SCHEMA_KINDS: Mapping[str, str] = {"ScalarType": "DType", "Tensor": "Tensor"}
NOT_FAMILIES = ("__init__", "prelude")


@dataclass(frozen=True)
class Kind:
    """What a value is: `int`, `ints`, `Tensor` ..., whether None is possible, `tuple` of others."""

    base: str
    optional: bool = False
    items: tuple[Kind, ...] = ()

    def __str__(self) -> str:
        return f"{self.base} or None" if self.optional else self.base

    def unwrapped(self) -> Kind:
        """The kind of the value once it is known not to be None."""
        return Kind(self.base, False, self.items)


NONE = Kind("None")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a rule."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class RuleFunction:
    """One function of a rules file; `op: str` as first parameter carries the op's name."""

    name: str
    family: str
    file: str
    parameters: tuple[Parameter, ...]
    returns: Kind
    node: ast.FunctionDef

    @property
    def names_op(self) -> bool:
        """Whether the first parameter is the op's name."""
        return bool(self.parameters) and self.parameters[0] == Parameter("op", Kind("str"))

    @property
    def is_shape_rule(self) -> bool:
        """Whether `shape:` may name the function."""
        return self.names_op and self.returns == Kind("ints")

    @property
    def docstring(self) -> str:
        """The function's docstring, or nothing."""
        return ast.get_docstring(self.node) or ""

    def mismatch(self, schema: Schema) -> str | None:
        """Why the function can't compose the op, or None: names and types must be the schema's."""
        wanted = [Parameter(a.name, kind_of(a.type)) for a in schema.arguments]
        if list(self.parameters) == wanted:
            return None
        show = ", ".join(f"{p.name}: {p.kind}" for p in wanted)
        given = ", ".join(f"{p.name}: {p.kind}" for p in self.parameters)
        return f"parameters must be ({show}); got ({given})"


def kind_of(type_: Type) -> Kind:
    """The kind of a schema type's values."""
    if type_.is_list:
        return Kind("ints" if type_.base == "int" else f"{type_.base}List", type_.optional)
    return Kind(SCHEMA_KINDS.get(type_.base, type_.base), type_.optional)


def parse_annotation(node: ast.expr | None) -> Kind | None:
    """The kind that an annotation names; None where it names none."""
    match node:
        case ast.Constant(value=None):
            return NONE
        case ast.Name(id=name) if name in ANNOTATIONS:
            return Kind(ANNOTATIONS[name])
        case ast.BinOp(op=ast.BitOr(), left=left, right=ast.Constant(value=None)):
            inner = parse_annotation(left)
            return None if inner is None else Kind(inner.base, True, inner.items)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=parts)):
            kinds = [parse_annotation(part) for part in parts]
            known = tuple(kind for kind in kinds if kind is not None)
            return Kind("tuple", False, known) if len(known) == len(parts) else None
    return None


@dataclass(frozen=True)
class RuleBook:
    """All functions of the rules files, by name; names are unique over all files."""

    functions: Mapping[str, RuleFunction]
    families: tuple[str, ...]

    def shape_rule(self, name: str) -> RuleFunction | None:
        """The shape rule of that name."""
        function = self.functions.get(name)
        return function if function is not None and function.is_shape_rule else None

    def composite(self, family: str, name: str) -> RuleFunction | None:
        """The function of that name, if it is in the family's file."""
        function = self.functions.get(name)
        return function if function is not None and function.family == family else None

    def of_family(self, family: str) -> list[RuleFunction]:
        """The functions of one file, in its order."""
        return [f for f in self.functions.values() if f.family == family]


def _parse_function(node: ast.FunctionDef, family: str, file: str) -> RuleFunction | str:
    """The function, or what is wrong with its head."""
    arguments = node.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
        return "parameters are plain names without defaults"
    if node.decorator_list:
        return "decorators aren't allowed"
    parameters: list[Parameter] = []
    for argument in arguments.args:
        kind = parse_annotation(argument.annotation)
        if kind is None:
            return f"parameter {argument.arg} needs one of {', '.join(ANNOTATIONS)}, or one | None"
        parameters.append(Parameter(argument.arg, kind))
    returns = parse_annotation(node.returns)
    if returns is None:
        return f"the result needs one of {', '.join(ANNOTATIONS)}, None or tuple[...]"
    return RuleFunction(node.name, family, file, tuple(parameters), returns, node)


def load_rules(folder: Path, shown: str, problems: list[Problem]) -> RuleBook:
    """Reads every rules file; `shown` is the folder's path in problems."""
    functions: dict[str, RuleFunction] = {}
    families: list[str] = []
    for path in sorted(folder.glob("*.py")):
        if path.stem in NOT_FAMILIES:
            continue
        file = f"{shown}/{path.name}"
        families.append(path.stem)
        try:
            module = ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError as error:
            problems.append(Problem(file, error.lineno or 1, "", f"not Python: {error.msg}"))
            continue
        for node in module.body:
            _add_statement(node, path.stem, file, functions, problems)
    return RuleBook(functions, tuple(families))


def _add_statement(
    node: ast.stmt,
    family: str,
    file: str,
    functions: dict[str, RuleFunction],
    problems: list[Problem],
) -> None:
    match node:
        case ast.FunctionDef(name=name):
            function = _parse_function(node, family, file)
            if isinstance(function, str):
                problems.append(Problem(file, node.lineno, name, function))
            elif name in functions:
                other = functions[name].file
                text = f"{name} is in {other} already; rule names are unique over all files"
                problems.append(Problem(file, node.lineno, name, text))
            else:
                functions[name] = function
        case ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return
        case _:
            text = "a rules file holds a docstring, imports and functions only"
            problems.append(Problem(file, node.lineno, "", text))
