"""Expressions of rules as C++, with the kind of each value and what is known not to be None."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tools.codegen import cpp
from tools.codegen.intrinsics import INTRINSICS
from tools.codegen.model import OpEntry, Schema
from tools.codegen.rules import NONE, Kind, RuleBook, RuleFunction, kind_of

INT, FLOAT, BOOL, STR = Kind("int"), Kind("float"), Kind("bool"), Kind("str")
INTS, SHAPES, TENSOR = Kind("ints"), Kind("shapes"), Kind("Tensor")
TENSORS = Kind("TensorList")
NULLABLE = ("Tensor", "Generator")

# Members of tensors that rules may use: Python -> C++ and kind.
ATTRIBUTES: Mapping[str, tuple[str, Kind]] = {
    "shape": ("sizes()", INTS),
    "dtype": ("dtype()", Kind("DType")),
    "device": ("device()", Kind("Device")),
}
METHODS: Mapping[str, tuple[str, Kind]] = {
    "dim": ("dim()", INT),
    "numel": ("numel()", INT),
    "stride": ("strides()", INTS),
    "storage_offset": ("storage_offset()", INT),
    "is_contiguous": ("is_contiguous()", BOOL),
    "is_floating_point": ("is_floating_point()", BOOL),
    "element_size": ("element_size()", INT),
}
ARITHMETIC: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
# Operators on tensors -> the op; a number on one side stands for a 0-dim tensor.
TENSOR_OPS: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
}
DIVISIONS: Mapping[type[ast.operator], str] = {ast.FloorDiv: "floor_div", ast.Mod: "floor_mod"}
ORDERINGS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
ALLOWED = (
    "names, literals, tuples of ints, + - * // %, comparisons, and, or, not, x if c else y,"
    " subscripts and slices, len, max, min, members "
    + ", ".join([*ATTRIBUTES, *(f"{name}()" for name in METHODS)])
    + ", calls of rules, of prelude functions and of ops"
)


class RuleError(ValueError):
    """Something outside the subset, at a line of the rules file."""

    def __init__(self, node: ast.AST, text: str) -> None:
        super().__init__(text)
        self.line = int(getattr(node, "lineno", 1))
        self.text = text


@dataclass
class Calls:
    """What a function calls: op names (headers), entries (full names) and other rules."""

    ops: set[str] = field(default_factory=set)
    entries: set[str] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)


# How loosely operators bind: calls and names, arithmetic, comparisons, and what joins these.
ATOM, SUM, COMPARISON, JUNCTION = range(4)


@dataclass(frozen=True)
class Value:
    """C++ text, its kind, and how loosely its outermost operator binds."""

    text: str
    kind: Kind
    binding: int = 0

    def operand(self, of: int = 0) -> str:
        """The text as an operand of an operator that binds like `of`."""
        return self.text if self.binding <= of else f"({self.text})"


@dataclass
class Scope:
    """The names in reach: parameters, locals, and which optional ones are known to be set."""

    parameters: dict[str, Kind]
    locals: dict[str, Kind] = field(default_factory=dict)
    narrowed: frozenset[str] = frozenset()

    def assign(self, name: str, kind: Kind) -> None:
        """A local has a new value: of the kind, and no longer known to be set."""
        self.locals[name] = kind
        self.narrowed -= {name}

    def find(self, name: str) -> Kind | None:
        """The kind of a name here; None where it isn't set."""
        kind = self.locals.get(name, self.parameters.get(name))
        if kind is not None and name in self.narrowed:
            return kind.unwrapped()
        return kind


@dataclass(frozen=True)
class Overload:
    """A callable schema and the entry that it belongs to."""

    entry: OpEntry
    schema: Schema


class OpIndex:
    """The functions of `ops` by name: functional and in-place forms."""

    def __init__(self, entries: Iterable[OpEntry]) -> None:
        self.overloads: dict[str, list[Overload]] = {}
        for entry in entries:
            for variant in entry.dispatched():
                if variant.kind != "out":
                    name = variant.schema.name
                    self.overloads.setdefault(name, []).append(Overload(entry, variant.schema))


class ExpressionEmitter:
    """Emits the expressions of one function."""

    def __init__(self, function: RuleFunction, book: RuleBook, ops: OpIndex) -> None:
        self.function = function
        self.book = book
        self.ops = ops
        self.scope = Scope({p.name: p.kind for p in function.parameters})
        self.calls = Calls()
        self._in_position = False

    # ---- entry points

    def emit(self, node: ast.expr, owned: bool = False, statement: bool = False) -> Value:
        """`owned`: the value goes to a local; `statement`: its result isn't used."""
        value = self._emit(node)
        if value.kind == NONE and not statement and not isinstance(node, ast.Constant):
            raise RuleError(node, f"'{ast.unparse(node)}' has no value")
        if value.text == "DimVector()" and owned:
            return Value("DimVector{}", INTS)
        return value

    def condition(self, node: ast.expr) -> str:
        """A bool; raises RuleError where the expression isn't one."""
        value = self._emit(node)
        if value.kind != BOOL:
            raise RuleError(
                node, f"a condition must be a bool; '{ast.unparse(node)}' is {value.kind}"
            )
        return value.text

    def position(self, node: ast.expr) -> str:
        """An int that counts places in a tuple: its arithmetic needs no overflow check."""
        before, self._in_position = self._in_position, True
        value = self._emit(node)
        self._in_position = before
        if value.kind != INT:
            raise RuleError(
                node, f"a position must be an int; '{ast.unparse(node)}' is {value.kind}"
            )
        return value.text

    def converted(self, node: ast.expr, wanted: Kind) -> str:
        """The value where `wanted` is expected; raises RuleError where it doesn't fit."""
        value = self._emit(node)
        text = _convert(node, value, wanted)
        if text is None:
            raise RuleError(node, f"'{ast.unparse(node)}' is {value.kind}; {wanted} is expected")
        return text

    def known_set(self, node: ast.expr, truth: bool) -> frozenset[str]:
        """The names that can't be None where the condition has this truth."""
        match node:
            case ast.Compare(
                left=ast.Name(id=name),
                ops=[ast.Is() | ast.IsNot() as op],
                comparators=[ast.Constant(value=None)],
            ):
                return frozenset({name}) if isinstance(op, ast.IsNot) == truth else frozenset()
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.known_set(operand, not truth)
            case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == truth:
                return frozenset().union(*(self.known_set(value, truth) for value in values))
        return frozenset()

    def message(self, node: ast.expr) -> list[str]:
        """The arguments of `fail` after the kind: the op, then what the message is made of."""
        pieces = node.values if isinstance(node, ast.JoinedStr) else [node]
        texts: list[str] = []
        for piece in pieces:
            match piece:
                case ast.Constant(value=str(text)):
                    texts.append(cpp.quoted(text))
                case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                    texts.append(self._shown(value))
                case _:
                    raise RuleError(node, "a message is a string or an f-string without formats")
        return _split_op(node, texts)

    # ---- expressions

    def _emit(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=value):
                return _literal(node, value)
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.Tuple(elts=items):
                return self._tuple(items)
            case ast.BinOp():
                return self._binary(node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Value(f"!{self._boolean(operand, ATOM)}", BOOL)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return Value(f"-{value!r}", INT if isinstance(value, int) else FLOAT)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._op_call(_call_of("neg", node, operand), "neg")
            case ast.BoolOp(op=op, values=values):
                return self._junction(op, values)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compare(node, left, op, right)
            case ast.IfExp():
                return self._choice(node)
            case ast.Attribute(value=owner, attr=name) if name in ATTRIBUTES:
                return self._member(owner, *ATTRIBUTES[name])
            case ast.Subscript(value=owner, slice=index):
                return self._subscript(node, owner, index)
            case ast.Call():
                return self._call(node)
        raise RuleError(node, f"'{ast.unparse(node)}' isn't allowed; allowed are {ALLOWED}")

    def _name(self, node: ast.Name, name: str) -> Value:
        kind = self.scope.find(name)
        if kind is None:
            raise RuleError(node, f"{name} isn't set here")
        local = cpp.local_name(name)
        if name in self.scope.narrowed and kind.base not in NULLABLE:
            return Value(f"*{local}", kind)
        return Value(local, kind)

    def _tuple(self, items: Sequence[ast.expr]) -> Value:
        if any(isinstance(item, ast.Starred) for item in items):
            return Value(f"joined({{{', '.join(self._parts(items))}}})", INTS)
        values = [self._emit(item) for item in items]
        if values and all(value.kind == TENSOR for value in values):
            return Value(f"std::vector<Tensor>{{{', '.join(v.text for v in values)}}}", TENSORS)
        texts = [self._int(item) for item in items]
        return Value(f"DimVector{{{', '.join(texts)}}}" if texts else "DimVector()", INTS)

    def _parts(self, items: Sequence[ast.expr]) -> list[str]:
        """The pieces of a tuple with starred items; ints between these are one piece."""
        parts: list[str] = []
        for starred, group in itertools.groupby(items, lambda i: isinstance(i, ast.Starred)):
            if starred:
                parts += [self._ints(i.value) for i in group if isinstance(i, ast.Starred)]
            else:
                parts.append(f"DimVector{{{', '.join(map(self._int, group))}}}")
        return parts

    def _ints(self, node: ast.expr) -> str:
        value = self._emit(node)
        if value.kind != INTS:
            text = ast.unparse(node)
            raise RuleError(node, f"a tuple of ints is expected; '{text}' is {value.kind}")
        return value.text

    def _int(self, node: ast.expr) -> str:
        value = self._emit(node)
        if value.kind != INT:
            raise RuleError(node, f"an int is expected; '{ast.unparse(node)}' is {value.kind}")
        return value.text

    def _boolean(self, node: ast.expr, of: int) -> str:
        value = self._emit(node)
        if value.kind != BOOL:
            raise RuleError(node, f"a bool is expected; '{ast.unparse(node)}' is {value.kind}")
        return value.operand(of)

    def _binary(self, node: ast.BinOp) -> Value:
        left, right = self._emit(node.left), self._emit(node.right)
        kinds = (left.kind, right.kind)
        if TENSOR in kinds and type(node.op) in TENSOR_OPS:
            name = TENSOR_OPS[type(node.op)]
            return self._op_call(_call_of(name, node, node.left, node.right), name)
        if kinds == (INTS, INTS) and isinstance(node.op, ast.Add):
            return Value(f"joined({{{', '.join(self._joined(node))}}})", INTS)
        if kinds == (INTS, INT) and isinstance(node.op, ast.Mult):
            return Value(f"repeated({left.text}, {self.position(node.right)})", INTS)
        if kinds == (INT, INT) and type(node.op) in DIVISIONS:
            name = DIVISIONS[type(node.op)]
            return Value(f"{name}({self._op(node)}, {left.text}, {right.text})", INT)
        if kinds == (INT, INT) and type(node.op) in ARITHMETIC:
            sign = ARITHMETIC[type(node.op)]
            operand = left.operand() if self._in_position else self._checked(node.left, left)
            return Value(f"{operand} {sign} {right.operand()}", INT, SUM)
        if kinds == (FLOAT, FLOAT) and type(node.op) in ARITHMETIC:
            sign = ARITHMETIC[type(node.op)]
            return Value(f"{left.operand()} {sign} {right.operand()}", FLOAT, SUM)
        text = ast.unparse(node)
        raise RuleError(node, f"'{text}' has no meaning for {kinds[0]} and {kinds[1]}")

    def _joined(self, node: ast.expr) -> list[str]:
        """The parts of a + b + c."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return [*self._joined(node.left), *self._joined(node.right)]
        return [self._emit(node).text]

    def _op(self, node: ast.AST) -> str:
        if not self.function.names_op:
            raise RuleError(
                node, "arithmetic on values needs the parameter 'op: str' for its error"
            )
        return "op"

    def _checked(self, node: ast.expr, value: Value) -> str:
        """The left operand of checked arithmetic; it is checked already if it is arithmetic."""
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return value.operand()
        return f"Checked({self._op(node)}, {value.text})"

    def _junction(self, op: ast.boolop, values: Sequence[ast.expr]) -> Value:
        """and / or: what follows sees what the earlier operands showed not to be None."""
        before = self.scope.narrowed
        conjunction = isinstance(op, ast.And)
        texts = []
        for value in values:
            texts.append(self._boolean(value, COMPARISON))
            self.scope.narrowed |= self.known_set(value, conjunction)
        self.scope.narrowed = before
        return Value((" && " if conjunction else " || ").join(texts), BOOL, JUNCTION)

    def _compare(self, node: ast.expr, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Value:
        match op, right:
            case (ast.Is() | ast.IsNot(), ast.Constant(value=None)):
                return self._is_none(left, isinstance(op, ast.IsNot))
        a, b = self._emit(left), self._emit(right)
        if a.kind.base != b.kind.base or a.kind.optional or b.kind.optional:
            raise RuleError(node, f"can't compare {a.kind} with {b.kind}")
        if isinstance(op, ast.Eq | ast.NotEq):
            equal = isinstance(op, ast.Eq)
            if a.kind == INTS:
                return Value(f"{'' if equal else '!'}same({a.text}, {b.text})", BOOL)
            sign = "==" if equal else "!="
            return Value(f"{a.operand(SUM)} {sign} {b.operand(SUM)}", BOOL, COMPARISON)
        if type(op) in ORDERINGS and a.kind in (INT, FLOAT):
            sign = ORDERINGS[type(op)]
            return Value(f"{a.operand(SUM)} {sign} {b.operand(SUM)}", BOOL, COMPARISON)
        raise RuleError(node, f"'{ast.unparse(node)}' isn't allowed for {a.kind}")

    def _is_none(self, node: ast.expr, negated: bool) -> Value:
        if isinstance(node, ast.Name):
            kind = self.scope.locals.get(node.id, self.scope.parameters.get(node.id))
            value = None if kind is None else Value(cpp.local_name(node.id), kind)
        else:
            value = self._emit(node)
        if value is None or not value.kind.optional:
            raise RuleError(node, f"'{ast.unparse(node)}' is never None")
        if value.kind.base in NULLABLE:
            test = f"{value.text}.defined()" if value.kind.base == "Tensor" else f"{value.text}"
        else:
            test = f"{value.text}.has_value()"
        return Value(test if negated else f"!{test}", BOOL)

    def _choice(self, node: ast.IfExp) -> Value:
        condition = self._boolean(node.test, COMPARISON)
        before = self.scope.narrowed
        self.scope.narrowed = before | self.known_set(node.test, True)
        then = self._emit(node.body)
        self.scope.narrowed = before | self.known_set(node.test, False)
        other = self._emit(node.orelse)
        self.scope.narrowed = before
        if then.kind != other.kind:
            raise RuleError(node, f"the two values differ: {then.kind} and {other.kind}")
        texts = [_of_one_type(v) for v in (then, other)]
        return Value(f"{condition} ? {texts[0]} : {texts[1]}", then.kind, JUNCTION)

    def _member(self, owner: ast.expr, member: str, kind: Kind) -> Value:
        value = self._emit(owner)
        if value.kind != TENSOR:
            raise RuleError(owner, f"'{ast.unparse(owner)}' is {value.kind}, not a tensor")
        return Value(f"{value.operand()}.{member}", kind)

    def _subscript(self, node: ast.expr, owner: ast.expr, index: ast.expr) -> Value:
        value = self._emit(owner)
        if value.kind.base == "tuple":
            match index:
                case ast.Constant(value=int(place)) if 0 <= place < len(value.kind.items):
                    return Value(f"std::get<{place}>({value.text})", value.kind.items[place])
            raise RuleError(node, "several results are picked by a literal position")
        if isinstance(index, ast.Slice):
            if value.kind != INTS or index.step is not None:
                raise RuleError(node, "slices are of tuples of ints, without a step")
            bounds = [self._bound(index.lower), self._bound(index.upper)]
            return Value(f"slice({value.text}, {', '.join(bounds)})", INTS)
        element = {"ints": INT, "shapes": INTS, "TensorList": TENSOR}.get(value.kind.base)
        if element is None or value.kind.optional:
            raise RuleError(node, f"'{ast.unparse(owner)}' is {value.kind}; it has no elements")
        return Value(f"at({value.text}, {self.position(index)})", element)

    def _bound(self, node: ast.expr | None) -> str:
        return "std::nullopt" if node is None else self.position(node)

    # ---- calls

    def _call(self, node: ast.Call) -> Value:
        match node.func:
            case ast.Attribute(value=ast.Name(id="ops"), attr=name):
                return self._op_call(node, name)
            case ast.Attribute(value=owner, attr="is_complex") if not node.args:
                return Value(f"is_complex({self._member(owner, *ATTRIBUTES['dtype']).text})", BOOL)
            case ast.Attribute(value=owner, attr=name) if name in METHODS and not node.args:
                return self._member(owner, *METHODS[name])
            case ast.Name(id="len") if len(node.args) == 1:
                return self._length(node.args[0])
            case ast.Name(id="float") if len(node.args) == 1:
                return self._float(node.args[0])
            case ast.Name(id="max" | "min" as name) if len(node.args) == 2:
                texts = [self._int(argument) for argument in node.args]
                return Value(f"std::{name}<int64_t>({', '.join(texts)})", INT)
            case ast.Name(id=name) if name in INTRINSICS:
                twin = INTRINSICS[name]
                return self._function_call(node, name, twin.parameters, twin.returns)
            case ast.Name(id=name) if name in self.book.functions:
                function = self.book.functions[name]
                self.calls.rules.add(name)
                kinds = tuple(p.kind for p in function.parameters)
                return self._function_call(node, cpp.local_name(name), kinds, function.returns)
        raise RuleError(node, f"'{ast.unparse(node.func)}' can't be called; allowed are {ALLOWED}")

    def _length(self, node: ast.expr) -> Value:
        value = self._emit(node)
        if value.kind not in (INTS, SHAPES, TENSORS):
            raise RuleError(node, f"len is of tuples; '{ast.unparse(node)}' is {value.kind}")
        return Value(f"len({value.text})", INT)

    def _float(self, node: ast.expr) -> Value:
        value = self._emit(node)
        if value.kind != Kind("Scalar"):
            raise RuleError(node, f"float is of numbers; '{ast.unparse(node)}' is {value.kind}")
        return Value(f"{value.operand()}.to_double()", FLOAT)

    def _function_call(
        self, node: ast.Call, name: str, kinds: Sequence[Kind], returns: Kind
    ) -> Value:
        if node.keywords or len(node.args) != len(kinds):
            raise RuleError(node, f"{name} takes {len(kinds)} arguments by position")
        texts = [self.converted(a, kind) for a, kind in zip(node.args, kinds, strict=True)]
        return Value(f"{name}({', '.join(texts)})", returns)

    def _op_call(self, node: ast.Call, name: str) -> Value:
        overload, given = self._resolve(node, name)
        self.calls.ops.add(overload.entry.name)
        self.calls.entries.add(overload.entry.full_name)
        texts: list[str] = []
        last = max((i for i, text in enumerate(given) if text is not None), default=-1)
        for argument, text in zip(overload.schema.arguments[: last + 1], given, strict=False):
            texts.append(cpp.default_value(argument) if text is None else text)
        returns = [kind_of(result.type) for result in overload.schema.returns]
        kind = returns[0] if len(returns) == 1 else Kind("tuple", False, tuple(returns))
        return Value(f"ops::{cpp.function_name(overload.schema)}({', '.join(texts)})", kind)

    def _resolve(self, node: ast.Call, name: str) -> tuple[Overload, list[str | None]]:
        """The overload that the arguments fit, and the C++ of each (None: its default)."""
        overloads = self.ops.overloads.get(name)
        if not overloads:
            raise RuleError(node, f"ops.{name}: no such op")
        values = [(argument, self._emit(argument)) for argument in node.args]
        named = {k.arg: (k.value, self._emit(k.value)) for k in node.keywords if k.arg is not None}
        fitting = [
            (overload, texts)
            for overload in overloads
            if (texts := _fit(overload.schema, values, named)) is not None
        ]
        if len(fitting) > 1:  # a Scalar parameter takes a number before a Tensor one does
            fitting = [(o, texts) for o, texts in fitting if not _wraps_number(texts)]
        if len(fitting) != 1:
            kinds = [str(v.kind) for _, v in values] + [
                f"{n}={v.kind}" for n, (_, v) in named.items()
            ]
            what = "no overload takes" if not fitting else "more than one overload takes"
            raise RuleError(node, f"ops.{name}: {what} ({', '.join(kinds)})")
        return fitting[0]

    def _shown(self, node: ast.expr) -> str:
        """A value of a message; `show(x)` is how a tuple is printed."""
        match node:
            case ast.Call(func=ast.Name(id="show"), args=[inner], keywords=[]):
                value = self._emit(inner)
                if value.kind != INTS:
                    raise RuleError(node, f"show is of tuples of ints; got {value.kind}")
                return value.text if value.text.isidentifier() else f"IntArrayRef({value.text})"
        value = self._emit(node)
        if value.kind.optional or value.kind.base not in ("int", "float", "str", "DType", "Device"):
            raise RuleError(node, f"a message can't print {value.kind}; use show() for tuples")
        return f"shown({value.text})" if value.kind == FLOAT else value.text


def _call_of(name: str, at: ast.AST, *arguments: ast.expr) -> ast.Call:
    """`ops.name(arguments)` in place of an operator."""
    function = ast.Attribute(ast.Name("ops", ast.Load()), name, ast.Load())
    return ast.copy_location(ast.Call(function, list(arguments), []), at)


def _literal(node: ast.AST, value: object) -> Value:
    if value is None:
        return Value("std::nullopt", NONE)
    if isinstance(value, bool):
        return Value("true" if value else "false", BOOL)
    if isinstance(value, int):
        return Value(str(value), INT)
    if isinstance(value, float):
        return Value(repr(value), FLOAT)
    if isinstance(value, str):
        return Value(cpp.quoted(value), STR)
    raise RuleError(node, f"the literal {value!r} isn't allowed")


def _of_one_type(value: Value) -> str:
    """One side of `c ? a : b`, whose two sides must have one C++ type."""
    if value.kind == INTS:
        return f"DimVector({value.text})"
    if value.kind == INT and "Checked(" in value.text:
        return f"int64_t({value.text})"
    return value.operand(SUM)


def _convert(node: ast.expr, value: Value, wanted: Kind) -> str | None:
    """C++ of a value where `wanted` is expected; None where it doesn't fit."""
    kind = value.kind
    if kind == NONE:
        if not wanted.optional:
            return None
        return f"{wanted.base}()" if wanted.base in NULLABLE else value.text
    if kind.base == wanted.base and (wanted.optional or not kind.optional):
        return value.text
    if kind.optional:
        return None
    if wanted.base == "Scalar" and kind in (INT, FLOAT, BOOL):
        # An optional one is no bool of another overload, which C++ would rather make of an int.
        return f"Scalar({value.text})" if wanted.optional else value.text
    if wanted.base == "float" and kind == INT:
        return value.text
    if wanted.base == "Tensor" and kind in (INT, FLOAT, BOOL, Kind("Scalar")):
        return f"wrapped_number({value.text})"
    if kind == STR and isinstance(node, ast.Constant):
        values = cpp.ENUM_VALUES.get({"DType": "ScalarType"}.get(wanted.base, wanted.base), {})
        return values.get(str(node.value))
    return None


def _fit(
    schema: Schema,
    values: Sequence[tuple[ast.expr, Value]],
    named: Mapping[str, tuple[ast.expr, Value]],
) -> list[str | None] | None:
    """The C++ of each argument of the schema; None where the call doesn't fit it."""
    positional = [a.name for a in schema.positional]
    if len(values) > len(positional):
        return None
    given = dict(zip(positional, values, strict=False))
    if set(given) & set(named) or not set(named) <= {a.name for a in schema.arguments}:
        return None
    given |= named
    texts: list[str | None] = []
    for argument in schema.arguments:
        if argument.name not in given:
            if not argument.has_default:
                return None
            texts.append(None)
            continue
        text = _convert(*given[argument.name], kind_of(argument.type))
        if text is None:
            return None
        texts.append(text)
    return texts


def _wraps_number(texts: Sequence[str | None]) -> bool:
    return any(text is not None and text.startswith("wrapped_number(") for text in texts)


def _split_op(node: ast.AST, texts: list[str]) -> list[str]:
    """`op`, ": text" or "name: text" -> the op and the rest."""
    if len(texts) > 1 and texts[0] == "op" and texts[1].startswith('": '):
        return ["op", cpp.quoted(_unquoted(texts[1])[2:]), *texts[2:]]
    name, colon, rest = _unquoted(texts[0]).partition(": ") if texts else ("", "", "")
    if texts and texts[0].startswith('"') and colon and name.isidentifier():
        return [cpp.quoted(name), *([cpp.quoted(rest)] if rest else []), *texts[1:]]
    raise RuleError(node, 'a message begins with the op: f"{op}: what was expected; got ..."')


def _unquoted(text: str) -> str:
    return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
