"""Expressions of pointwise ops: what they emit, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.codegen.emit.pointwise import PARTS, part_of
from tools.codegen.pointwise_dtypes import (
    compute_dtypes,
    dtype_class,
    expression_for,
    result_dtype,
)
from tools.codegen.registry import Registry
from tools.codegen.scalar import (
    Functions,
    ScalarError,
    check_scalar,
    emit_scalar,
    parse_scalar,
    read_functions,
)

NAMES = ("self", "other", "alpha")
GENERIC = Path(__file__).resolve().parents[3] / "csrc" / "kernels" / "generic"


@pytest.fixture(scope="module")
def functions() -> Functions:
    return read_functions(GENERIC)


def test_functions_are_those_of_the_headers(functions: Functions) -> None:
    used = ("add", "sub", "mul", "div", "neg", "eq", "le", "bit_or", "bit_not", "where")
    assert functions.keys() >= {*used, "exp", "sqrt", "tanh", "pow", "hypot", "absolute"}
    assert functions["where"] == {3}
    assert functions["hypot"] == {2}
    assert functions["exp"] == {1}


@pytest.mark.parametrize(
    ("text", "emitted"),
    [
        ("self + alpha * other", "add(self, mul_scalar(alpha, other))"),
        ("self - other * alpha", "sub(self, mul_scalar(alpha, other))"),
        ("self * other", "mul(self, other)"),
        ("self | (alpha & other)", "bit_or(self, bit_and(alpha, other))"),
        ("where(self <= 0, 0, self)", "where(le(self, V(0)), V(0), self)"),
        ("-self / 2.5", "div(neg(self), V(2.5))"),
        ("~self ^ True", "bit_xor(bit_not(self), V(true))"),
        ("hypot(real(self), imag(self))", "hypot(real(self), imag(self))"),
    ],
)
def test_operators_become_calls(text: str, emitted: str, functions: Functions) -> None:
    tree = parse_scalar(text)
    check_scalar(tree, NAMES, functions)
    assert emit_scalar(tree, frozenset({"alpha"})) == emitted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("self +", "isn't an expression"),
        ("that", "unknown name that; operands are self, other, alpha"),
        ("gamma(self)", "unknown function gamma; write it in csrc/kernels/generic/math.h"),
        ("exp(self, other)", "exp takes 1 arguments; got 2"),
        ("self < other < 1", "'self < other < 1' isn't allowed; allowed are operands"),
        ("self ** 2", "'self ** 2' isn't allowed"),
        ("self if other else 1", "isn't allowed"),
        ("exp(x=self)", "isn't allowed"),
        ("'text'", "isn't allowed"),
    ],
)
def test_what_is_outside_is_refused(text: str, message: str, functions: Functions) -> None:
    with pytest.raises(ScalarError) as error:
        check_scalar(parse_scalar(text), NAMES, functions)
    assert message in str(error.value)


def test_each_dtype_has_its_expression(registry: Registry) -> None:
    entries = {e.full_name: e for e in registry.entries}
    add, absolute = entries["add.Tensor"], entries["abs"]
    assert expression_for(add, "bool") == ("bool", "self | (alpha & other)")
    assert expression_for(add, "int8") == ("else", "self + alpha * other")
    assert expression_for(absolute, "complex64")[0] == "complex"
    assert expression_for(entries["exp"], "bfloat16")[0] == "half"
    assert expression_for(entries["exp"], "float32")[0] == "else"
    assert result_dtype(absolute, "complex64") == "float32"
    assert result_dtype(entries["eq.Tensor"], "complex64") == "bool"
    assert "int64" not in compute_dtypes(entries["exp"])
    assert "int64" in compute_dtypes(entries["eq.Tensor"])
    assert [dtype_class(d) for d in ("bool", "uint8", "float16", "complex128")] == [
        "bool",
        "integral",
        "floating",
        "complex",
    ]


def test_every_dtype_of_every_op_has_an_expression(registry: Registry) -> None:
    for entry in registry.entries:
        if entry.implementation.kind == "scalar":
            for dtype in compute_dtypes(entry):
                assert expression_for(entry, dtype)[1]


def test_parts_spread_the_ops(registry: Registry) -> None:
    """An op keeps its part whatever other ops there are; none holds more than twice its share."""
    entries = [e for e in registry.entries if e.implementation.kind == "scalar"]
    sizes = [sum(part_of(e) == part for e in entries) for part in range(PARTS)]
    assert sum(sizes) == len(entries)
    assert max(sizes) <= 2 * len(entries) / PARTS + 1
