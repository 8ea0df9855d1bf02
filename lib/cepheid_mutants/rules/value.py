"""Class `value`: a wrong formula, arguments in the wrong order, a constant."""

from __future__ import annotations

from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import rule
from ..schema import Op
from ..traits import (
    COMMUTATIVE,
    gives_bool,
    gives_zeros,
    has_plain_values,
    has_values,
    is_binary,
    is_random,
    same_when_rearranged,
)

CHECKS = ("values",)


def _numeric(op: Op) -> bool:
    return has_plain_values(op) and not gives_bool(op)


def _swappable(op: Op) -> bool:
    two = len(op.args) >= 2 and [a.type for a in op.args[:2]] == ["Tensor", "Tensor"]
    alike = (is_binary(op) or op.family == "matmul") and op.key != "where.self"
    return two and alike and op.key not in COMMUTATIVE and has_plain_values(op)


@rule(
    "value",
    "zeros",
    "every element is zero",
    has_plain_values,
    checks=CHECKS,
    equivalent=gives_zeros,
)
def zeros(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_bits(tensor, lambda found: [0] * len(found)))


@rule(
    "value",
    "first_everywhere",
    "every element is the first",
    has_values,
    checks=CHECKS,
    equivalent=same_when_rearranged,
)
def first_everywhere(call: Call) -> Any:
    def fill(tensor: Any) -> None:
        parts = 2 if bits.dtype_name(tensor) in bits.COMPLEX_PARTS else 1
        bits.edit_bits(tensor, lambda found: found[:parts] * (len(found) // parts))

    return call.edited(fill)


@rule(
    "value",
    "reversed",
    "the elements come in reverse order",
    has_plain_values,
    checks=CHECKS,
    equivalent=same_when_rearranged,
)
def reversed_order(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_bits(tensor, lambda found: found[::-1]))


@rule("value", "plus_one", "one is added to each element", _numeric, checks=CHECKS)
def plus_one(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_numbers(tensor, lambda value: value + 1))


@rule("value", "inverted", "true and false are exchanged", gives_bool, checks=CHECKS)
def inverted(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_numbers(tensor, lambda value: not value))


@rule("value", "negated", "the sign is wrong", _numeric, checks=CHECKS)
def negated(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_numbers(tensor, lambda value: -value))


@rule("value", "swapped", "the first two arguments are exchanged", _swappable, checks=CHECKS)
def swapped(call: Call) -> Any:
    one, two = (argument.name for argument in call.op.args[:2])
    changes = {one: call.values[two], two: call.values[one]}
    if not all(map(call.api.is_tensor, changes.values())):
        return call.proceed()
    return call.with_changed(**changes)


@rule("value", "one_element", "the middle element is wrong", has_plain_values, checks=CHECKS)
def one_element(call: Call) -> Any:
    def spoil(found: list[int]) -> list[int]:
        middle = len(found) // 2
        return [*found[:middle], found[middle] ^ 1, *found[middle + 1 :]]

    return call.edited(lambda tensor: bits.edit_bits(tensor, spoil))


@rule("value", "constant", "every draw is the same number", is_random, checks=CHECKS)
def constant(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_numbers(tensor, lambda value: 1))


def _plain(op: Op) -> bool:
    return op.returns == ("Scalar",)


@rule("value", "number_more", "the number is one more than the element", _plain, checks=CHECKS)
def number_more(call: Call) -> Any:
    result = call.proceed()
    return (not result) if isinstance(result, bool) else result + 1


@rule("value", "number_positive", "the number has lost its sign", _plain, checks=CHECKS)
def number_positive(call: Call) -> Any:
    result = call.proceed()
    return result if isinstance(result, (bool, complex)) else abs(result)


@rule("dtype", "number_kind", "the number is of the next wider kind", _plain, checks=("values",))
def number_kind(call: Call) -> Any:
    result = call.proceed()
    wider = {bool: int, int: float, float: complex}.get(type(result), complex)
    return wider(result)


@rule(
    "dtype",
    "number_single",
    "a float64 element passes through float32",
    _plain,
    dtypes=("float64",),
    checks=("values", "special"),
)
def number_single(call: Call) -> Any:
    result = call.proceed()
    return bits.round_to(result, "float32") if isinstance(result, float) else result
