"""The expressions of `scalar:` fields: a subset of Python over the operands of a pointwise op."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.codegen import cpp

DTYPE_CLASSES = ("bool", "integral", "half", "floating", "complex")
# Floating elements that the expression isn't right for, and theirs: Note [Rare elements].
RARE = ("is_rare", "rare")

# Name -> how many arguments its overloads take.
Functions = Mapping[str, frozenset[int]]

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
ALLOWED = "operands, numbers, + - * / & | ^ ~, one comparison, and calls of functions of math.h"


class ScalarError(ValueError):
    """An expression outside the subset; the text names what is wrong and what is allowed."""


_INCLUDE = re.compile(r'^#include "kernels/generic/(\w+\.h)"$', re.MULTILINE)
_FUNCTION = re.compile(r"^CEPH_INLINE [\w:<> ]+ (\w+)\(([^)]*)\) \{", re.MULTILINE)


def read_functions(folder: Path) -> Functions:
    """The functions that math.h of csrc/kernels/generic and the headers it includes define."""
    names = _INCLUDE.findall((folder / "math.h").read_text(encoding="utf-8"))
    arities: dict[str, set[int]] = {}
    for header in ("math.h", *names):
        text = (folder / header).read_text(encoding="utf-8")
        for name, parameters in _FUNCTION.findall(text):
            count = parameters.count(",") + 1 if parameters.strip() else 0
            arities.setdefault(name, set()).add(count)
    return {name: frozenset(counts) for name, counts in arities.items()}


def parse_scalar(text: str) -> ast.expr:
    """The expression's tree; raises ScalarError."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ScalarError(f"'{text}' isn't an expression: {error.msg}") from error


def check_scalar(node: ast.expr, names: Sequence[str], functions: Functions) -> None:
    """Raises ScalarError where the expression is outside the subset or names what isn't there."""
    match node:
        case ast.Name(id=name):
            if name not in names:
                raise ScalarError(f"unknown name {name}; operands are {', '.join(names)}")
        case ast.Constant(value=bool() | int() | float()):
            return
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            check_scalar(operand, names, functions)
        case ast.BinOp(op=op, left=left, right=right) if type(op) in BINARY:
            check_scalar(left, names, functions)
            check_scalar(right, names, functions)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARE:
            check_scalar(left, names, functions)
            check_scalar(right, names, functions)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            _check_call(name, len(arguments), functions)
            for argument in arguments:
                check_scalar(argument, names, functions)
        case _:
            raise ScalarError(f"'{ast.unparse(node)}' isn't allowed; allowed are {ALLOWED}")


def _check_call(name: str, count: int, functions: Functions) -> None:
    arities = functions.get(name)
    if arities is None:
        raise ScalarError(f"unknown function {name}; write it in csrc/kernels/generic/math.h")
    if count not in arities:
        takes = " or ".join(map(str, sorted(arities)))
        raise ScalarError(f"{name} takes {takes} arguments; got {count}")


def emit_scalar(node: ast.expr, scalars: frozenset[str] = frozenset()) -> str:
    """C++ over values of the arithmetic type `V`; `scalars` are the names that are numbers.

    A product with a number is `mul_scalar`: a real one scales the parts of a complex value, so that
    infinities and signed zeros stay what they are.
    """

    def emit(child: ast.expr) -> str:
        return emit_scalar(child, scalars)

    match node:
        case ast.Name(id=name):
            return cpp.local_name(name)
        case ast.Constant(value=value):
            literal = str(value).lower() if isinstance(value, bool) else repr(value)
            return f"V({literal})"
        case ast.UnaryOp(op=op, operand=operand):
            return f"{UNARY[type(op)]}({emit(operand)})"
        case ast.BinOp(op=ast.Mult(), left=ast.Name(id=name), right=right) if name in scalars:
            return f"mul_scalar({cpp.local_name(name)}, {emit(right)})"
        case ast.BinOp(op=ast.Mult(), left=left, right=ast.Name(id=name)) if name in scalars:
            return f"mul_scalar({cpp.local_name(name)}, {emit(left)})"
        case ast.BinOp(op=op, left=left, right=right):
            return f"{BINARY[type(op)]}({emit(left)}, {emit(right)})"
        case ast.Compare(left=left, ops=[cmp], comparators=[right]):
            return f"{COMPARE[type(cmp)]}({emit(left)}, {emit(right)})"
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return f"{name}({', '.join(map(emit, arguments))})"
    raise ScalarError(f"'{ast.unparse(node)}' passed the check but has no C++ form")
