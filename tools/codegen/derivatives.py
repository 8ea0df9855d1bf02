"""Derivative formulas of entries: expressions of the rules' subset, with what they need saved.

A formula may use `grad` (or `grad_<name>` of a named result), the arguments and the results by
their names, `wants_<argument>` (whether that gradient is asked for), and calls rules and ops. Of
`x.shape`, `x.dtype`, `x.stride()` and `x.storage_offset()` only these are saved, not the tensor.
`through` gives the result itself by other ops: where it is to be recorded, these are called, and
recorded, instead.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tools.codegen.model import OpEntry, Schema
from tools.codegen.problems import Problem
from tools.codegen.rules import Kind, Parameter, RuleBook, RuleFunction, kind_of
from tools.codegen.rules_expr import Calls, ExpressionEmitter, OpIndex, RuleError

TENSOR, TENSORS = Kind("Tensor"), Kind("TensorList")
FACTS: Mapping[str, Kind] = {
    "shape": Kind("ints"),
    "dtype": Kind("DType"),
    "stride": Kind("ints"),
    "storage_offset": Kind("int"),
}


@dataclass(frozen=True)
class Formula:
    """The gradient of one operand, or of several at once."""

    targets: tuple[str, ...]
    text: str  # C++
    names: frozenset[str]  # what it uses, of those that a node offers
    conditions: Mapping[str, str] = field(default_factory=dict)  # C++: where it uses a name


@dataclass(frozen=True)
class Derivative:
    """The formulas of an entry and what they call."""

    formulas: tuple[Formula, ...]
    calls: Calls
    through: str = ""  # C++ of the result by ops that have derivatives, in place of formulas

    @property
    def names(self) -> frozenset[str]:
        """What any formula uses."""
        return frozenset().union(*(formula.names for formula in self.formulas))


def result_names(schema: Schema) -> list[str]:
    """How formulas name the results."""
    if len(schema.returns) == 1:
        return ["result"]
    return [result.name or f"result{i}" for i, result in enumerate(schema.returns)]


def gradient_names(schema: Schema) -> list[str]:
    """How formulas name the gradients of the results."""
    if len(schema.returns) == 1:
        return ["grads" if schema.returns[0].type.is_list else "grad"]
    return [f"grad_{name}" for name in result_names(schema)]


def differentiable(schema: Schema) -> list[str]:
    """The operands that may have gradients, in order: the edges of the node."""
    return [a.name for a in schema.arguments if a.type.base == "Tensor"]


def offered(schema: Schema) -> dict[str, Kind]:
    """Every name that a formula may use, with its kind."""
    kinds: dict[str, Kind] = {}
    for argument in schema.arguments:
        kinds[argument.name] = kind_of(argument.type)
    for name, result in zip(result_names(schema), schema.returns, strict=True):
        kinds[name] = kind_of(result.type)
    for name, result in zip(gradient_names(schema), schema.returns, strict=True):
        kinds[name] = kind_of(result.type)
    for name in [*differentiable(schema), *result_names(schema)]:
        if kinds[name] == TENSOR:
            kinds |= {f"{name}_{fact}": kind for fact, kind in FACTS.items()}
        if kinds[name] == TENSORS:
            kinds[f"{name}_shapes"] = Kind("shapes")
    for name in differentiable(schema):
        kinds[f"wants_{name}"] = Kind("bool")
    return kinds


class _Facts(ast.NodeTransformer):
    """`x.shape` -> `x_shape` where a node keeps the fact instead of the tensor."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self.kinds = kinds

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id=fact), args=[], keywords=[]) if fact in self.kinds:
                return node.func  # `x.stride()`, of which `x.stride` has been replaced
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=fact) if (
                f"{owner}_{fact}" in self.kinds and not owner.startswith("grad")
            ):
                return ast.copy_location(ast.Name(f"{owner}_{fact}", ast.Load()), node)
        return node


def _compile_formula(
    entry: OpEntry, targets: tuple[str, ...], text: str, book: RuleBook, index: OpIndex
) -> tuple[Formula, Calls]:
    kinds = offered(entry.schema)
    tree = _Facts(kinds).visit(ast.parse(text, mode="eval").body)
    parameters = (Parameter("op", Kind("str")), *(Parameter(n, k) for n, k in kinds.items()))
    schema_kinds = [_gradient_kind(kinds[name]) for name in targets]
    returns = schema_kinds[0] if len(targets) == 1 else Kind("tuple", False, tuple(schema_kinds))
    head = ast.FunctionDef("derivative", ast.arguments([], [], None, [], [], None, []), [], [])
    file = entry.source.file
    function = RuleFunction("derivative", entry.family, file, parameters, returns, head)
    emitter = ExpressionEmitter(function, book, index)
    emitted = emitter.converted(tree, returns)
    names = _names(tree) & kinds.keys()
    return Formula(targets, emitted, frozenset(names), _conditions(tree)), emitter.calls


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _conditions(tree: ast.AST) -> dict[str, str]:
    """Of `a if option else b`: when the names that only one side uses are needed."""
    match tree:
        case ast.IfExp(test=ast.Name(id=option), body=body, orelse=other):
            then, otherwise = _names(body), _names(other)
            return {
                **dict.fromkeys(then - otherwise, option),
                **dict.fromkeys(otherwise - then, f"!{option}"),
            }
    return {}


def _compile_through(
    entry: OpEntry, text: str, book: RuleBook, index: OpIndex
) -> tuple[str, Calls]:
    kinds = {argument.name: kind_of(argument.type) for argument in entry.schema.arguments}
    parameters = (Parameter("op", Kind("str")), *(Parameter(n, k) for n, k in kinds.items()))
    head = ast.FunctionDef("through", ast.arguments([], [], None, [], [], None, []), [], [])
    returns = kind_of(entry.schema.returns[0].type)
    function = RuleFunction("through", entry.family, entry.source.file, parameters, returns, head)
    if "inplace" in entry.variants:
        raise SyntaxError("through gives a new result; write formulas for an op with inplace")
    emitter = ExpressionEmitter(function, book, index)
    return emitter.converted(ast.parse(text, mode="eval").body, returns), emitter.calls


def _gradient_kind(kind: Kind) -> Kind:
    return TENSORS if kind.base == "TensorList" else TENSOR


def compile_derivative(
    entry: OpEntry, book: RuleBook, index: OpIndex, problems: list[Problem]
) -> Derivative | None:
    """The entry's formulas as C++; what is wrong with them becomes problems."""
    if not isinstance(entry.derivative, Mapping):
        return None
    source, known = entry.source, differentiable(entry.schema)
    formulas, calls = [], Calls()
    for key, text in entry.derivative.items():
        targets = tuple(name.strip() for name in key.split(","))
        try:
            if key == "through":
                emitted, called = _compile_through(entry, text, book, index)
                return Derivative((), called, emitted)
            if unknown := [name for name in targets if name not in known]:
                raise SyntaxError(f"{unknown[0]} is no tensor operand; these are {known}")
            formula, called = _compile_formula(entry, targets, text, book, index)
        except (RuleError, SyntaxError) as error:
            text = error.text if isinstance(error, RuleError) else str(error)
            where = source.at("derivative")
            problems.append(Problem(source.file, where, entry.full_name, f"derivative: {text}"))
            continue
        formulas.append(formula)
        calls.ops |= called.ops
        calls.entries |= called.entries
        calls.rules |= called.rules
    return Derivative(tuple(formulas), calls)


def compile_derivatives(
    book: RuleBook, entries: Iterable[OpEntry], problems: list[Problem]
) -> dict[str, Derivative]:
    """By the entry's full name."""
    entries = tuple(entries)
    index = OpIndex(entries)
    made = {e.full_name: compile_derivative(e, book, index, problems) for e in entries}
    return {name: derivative for name, derivative in made.items() if derivative is not None}
