"""Bugs of elementwise ops."""

from __future__ import annotations

import math
from typing import Any

from .. import bits
from ..calls import Call
from .registry import bug, numbers_edited, read_as_contiguous, replaced

SPECIAL = ("special", "accuracy", "values")
LAYOUT = ("layouts", "variants", "values")


@bug(
    "floor_divide",
    "value",
    "pytorch/pytorch#44858",
    "quotients of unlike signs round to zero",
    dtypes=("int32", "int64"),
)
def truncating_floor(call: Call) -> Any:
    one, two = call.values["self"], call.values["other"]
    return call.deliver(call.api.function("div")(one, two, rounding_mode="trunc"))


@bug(
    "sqrt",
    "complex",
    "jax-ml/jax#39110",
    "a root below the negative axis is taken from above",
    dtypes=("complex64", "complex128"),
    checks=SPECIAL,
)
def root_side(call: Call) -> Any:
    x = call.values["self"]
    name = bits.dtype_name(x)

    def turn(found: list[Any], given: list[Any]) -> None:
        for place in range(0, len(found), 2):
            if given[place] < 0 and given[place + 1] == 0:
                found[place + 1] = abs(found[place + 1])

    return numbers_edited(call, turn) if name in bits.COMPLEX_PARTS else call.proceed()


@bug(
    "clamp",
    "special",
    "tile-ai/tilelang#3024",
    "NaN becomes the lower bound",
    dtypes=("float32",),
    checks=SPECIAL,
)
def clamp_nan(call: Call) -> Any:
    low = call.values.get("min")
    if low is None:
        return call.proceed()

    def drop(found: list[Any], given: list[Any]) -> None:
        found[:] = [low if old != old else new for new, old in zip(found, given, strict=True)]

    return numbers_edited(call, drop)


@bug(
    "where.self",
    "layout",
    "pytorch/pytorch#150967",
    "a transposed condition is read in the order of memory",
    checks=LAYOUT,
)
def where_condition(call: Call) -> Any:
    return replaced(call, "condition", lambda x: read_as_contiguous(call, x))


@bug(
    "sigmoid",
    "special",
    "pytorch/pytorch#13448",
    "NaN in whole vectors of float32 gives a tiny number",
    dtypes=("float32",),
    checks=SPECIAL,
)
def sigmoid_nan(call: Call) -> Any:
    if bits.dtype_name(call.values["self"]) != "float32":
        return call.proceed()

    def shrink(found: list[Any], given: list[Any]) -> None:
        for place in range(len(found) - len(found) % 8):
            if given[place] != given[place]:
                found[place] = 4.156e-39

    return numbers_edited(call, shrink)


@bug(
    "sigmoid",
    "special",
    "clab/dynet#1525",
    "arguments above 88 give one half",
    dtypes=("float32",),
    checks=SPECIAL,
)
def sigmoid_large(call: Call) -> Any:
    def halve(found: list[Any], given: list[Any]) -> None:
        found[:] = [0.5 if old > 88.5 else new for new, old in zip(found, given, strict=True)]

    return numbers_edited(call, halve)


@bug(
    "tanh",
    "special",
    "deeplearning4j/deeplearning4j#7382",
    "large positive arguments give NaN",
    dtypes=("float32",),
    checks=SPECIAL,
)
def tanh_large(call: Call) -> Any:
    def spoil(found: list[Any], given: list[Any]) -> None:
        found[:] = [math.nan if old >= 89 else new for new, old in zip(found, given, strict=True)]

    return numbers_edited(call, spoil)


@bug(
    "tanh",
    "complex",
    "numpy/numpy#2321",
    "large real parts give NaN",
    dtypes=("complex64", "complex128"),
    checks=SPECIAL,
)
def tanh_complex(call: Call) -> Any:
    limit = {"complex64": 88.7, "complex128": 709.7}.get(bits.dtype_name(call.values["self"]))
    if limit is None:
        return call.proceed()

    def spoil(found: list[Any], given: list[Any]) -> None:
        for place in range(0, len(found), 2):
            if abs(given[place]) > limit:
                found[place] = found[place + 1] = math.nan

    return numbers_edited(call, spoil)


@bug(
    "masked_fill.Scalar",
    "overlap",
    "pytorch/pytorch#39639",
    "an expanded tensor is filled in place, all of its copies at once",
    checks=("overlap",),
)
def fill_expanded(call: Call) -> Any:
    return _writes_expanded(call)


@bug(
    "add.Tensor",
    "overlap",
    "pytorch/pytorch#10756",
    "a sum in place of an expanded tensor adds up in one element",
    checks=("overlap",),
)
def add_expanded(call: Call) -> Any:
    return _writes_expanded(call)


def _writes_expanded(call: Call) -> Any:
    x = call.receiver
    if not call.in_place or not bits.has_memory(x) or 0 not in list(x.stride()):
        return call.proceed()
    value = call.functional(**{call.op.args[0].name: call.api.copy(x)})
    bits.write_bits(x, bits.read_bits(value))
    return x


@bug(
    "eq.Tensor",
    "layout",
    "pytorch/pytorch#28508",
    "a transposed bool tensor against a number is read in the order of memory",
    dtypes=("bool",),
    checks=LAYOUT,
)
def transposed_mask(call: Call) -> Any:
    if bits.dtype_name(call.values["self"]) != "bool":
        return call.proceed()
    return replaced(call, "self", lambda x: read_as_contiguous(call, x))


@bug(
    "neg",
    "layout",
    "numpy/numpy#26775",
    "strided float64 elements are loaded without the stride",
    dtypes=("float64",),
    checks=LAYOUT,
)
def strided_negation(call: Call) -> Any:
    if bits.dtype_name(call.values["self"]) != "float64":
        return call.proceed()
    return replaced(call, "self", lambda x: read_as_contiguous(call, x))


@bug(
    "pow.Tensor_Tensor",
    "integer",
    "r-lib/bit64#288",
    "int64 powers are computed as float64",
    dtypes=("int64",),
    checks=("dtype", "special", "values"),
)
def power_through_double(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        if bits.dtype_name(tensor) == "int64":
            bits.edit_numbers(tensor, lambda value: int(float(value)))

    return call.edited(edit)
