"""The expressions of `scalar:` fields: a subset of Python over the operands of a pointwise op."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from tools.codegen import cpp

DTYPE_CLASSES = ("bool", "integral", "floating", "complex")

# Functions of csrc/kernels/generic/math.h that an expression may call, with their arity.
FUNCTIONS: Mapping[str, int] = {
    "where": 3,
    "exp": 1,
    "log": 1,
    "sqrt": 1,
    "tanh": 1,
    "sigmoid": 1,
    "absolute": 1,
    "real": 1,
    "imag": 1,
    "pow": 2,
    "hypot": 2,
    "maximum": 2,
    "minimum": 2,
    "floor_div": 2,
    "trunc_div": 2,
}
BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.BitAnd: "bit_and",
    ast.BitOr: "bit_or",
    ast.BitXor: "bit_xor",
}
COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
UNARY: Mapping[type[ast.unaryop], str] = {ast.USub: "neg", ast.Invert: "bit_not"}
ALLOWED = "operands, numbers, + - * / & | ^ ~, one comparison, and calls of " + " ".join(
    sorted(FUNCTIONS)
)


class ScalarError(ValueError):
    """An expression outside the subset; the text names what is wrong and what is allowed."""


def parse_scalar(text: str, names: Sequence[str]) -> ast.expr:
    """The expression's tree, checked; raises ScalarError."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ScalarError(f"'{text}' isn't an expression: {error.msg}") from error
    _check(tree, names)
    return tree


def _check(node: ast.expr, names: Sequence[str]) -> None:
    match node:
        case ast.Name(id=name):
            if name not in names:
                raise ScalarError(f"unknown name {name}; operands are {', '.join(names)}")
        case ast.Constant(value=bool() | int() | float()):
            return
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            _check(operand, names)
        case ast.BinOp(op=op, left=left, right=right) if type(op) in BINARY:
            _check(left, names)
            _check(right, names)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARE:
            _check(left, names)
            _check(right, names)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            _check_call(name, arguments, names)
        case _:
            raise ScalarError(f"'{ast.unparse(node)}' isn't allowed; allowed are {ALLOWED}")


def _check_call(name: str, arguments: Sequence[ast.expr], names: Sequence[str]) -> None:
    arity = FUNCTIONS.get(name)
    if arity is None:
        raise ScalarError(f"unknown function {name}; functions are {', '.join(FUNCTIONS)}")
    if len(arguments) != arity:
        raise ScalarError(f"{name} takes {arity} arguments; got {len(arguments)}")
    for argument in arguments:
        _check(argument, names)


def emit_scalar(node: ast.expr) -> str:
    """C++ over values of the arithmetic type `V`, of which Scalars are members."""
    match node:
        case ast.Name(id=name):
            return cpp.local_name(name)
        case ast.Constant(value=value):
            literal = str(value).lower() if isinstance(value, bool) else repr(value)
            return f"V({literal})"
        case ast.UnaryOp(op=op, operand=operand):
            return f"{UNARY[type(op)]}({emit_scalar(operand)})"
        case ast.BinOp(op=op, left=left, right=right):
            return f"{BINARY[type(op)]}({emit_scalar(left)}, {emit_scalar(right)})"
        case ast.Compare(left=left, ops=[cmp], comparators=[right]):
            return f"{COMPARE[type(cmp)]}({emit_scalar(left)}, {emit_scalar(right)})"
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return f"{name}({', '.join(map(emit_scalar, arguments))})"
    raise ScalarError(f"'{ast.unparse(node)}' passed the check but has no C++ form")
