"""Invalid calls of the pointwise ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..sample import Draw, ErrorSample
from ..tensors import Tensor

# Errors. `{op}` in a pattern stands for the op's public name.


def broadcast_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Sizes that differ and are not 1."""
    names = [argument.name for argument in draw.spec.tensor_args][-2:]
    values: dict[str, Any] = {}
    if names[-1] == "other" and draw.spec.key == "where.self":
        values["condition"] = draw.tensor((3,), dtype="bool")
    # Valid values: the sizes alone must be wrong.
    values |= {names[0]: draw.tensor((3,)), names[1]: draw.tensor((4,), "positive")}
    name = "{op}"
    if draw.spec.key == "div.Tensor_mode":
        values["rounding_mode"] = "floor"
        name = "div_?"  # not floor_divide, which does the work
    elif draw.spec.key == "trunc_divide":
        name = "div"  # the public op that leads to it
    # In place, an integer tensor can't hold a quotient either: that may be said first.
    order = r"\[4\] and \[3\]" if draw.spec.name == "rsub" else r"\[3\] and \[4\]"
    pattern = rf"{name}: sizes {order} can't be broadcast|_: result type"
    yield ErrorSample(values, "RuntimeError", pattern)
    values = {**values, names[1]: draw.tensor((4, 3), "positive")}
    pattern = r"{op}: .*self.*\[3\].*\[4, 3\]|_: result type"
    yield ErrorSample(values, "RuntimeError", pattern, variant="inplace", note="would grow")


def alpha_not_representable(draw: Draw) -> Iterator[ErrorSample]:
    """A factor of a higher category than the result."""
    values = {"self": draw.tensor((3,)), "other": draw.tensor((3,))}
    if not draw.info.is_inexact:
        yield ErrorSample({**values, "alpha": 1.5}, "RuntimeError", r"{op}: .*alpha.*1\.5")
    elif not draw.info.is_complex:
        yield ErrorSample({**values, "alpha": 1 + 2j}, "RuntimeError", r"{op}: .*alpha")


def bool_subtract(draw: Draw) -> Iterator[ErrorSample]:
    """Subtraction with a bool operand."""
    values = {"self": draw.tensor((3,), dtype="bool"), "other": draw.tensor((3,), dtype="bool")}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*bool")


def bool_negate(draw: Draw) -> Iterator[ErrorSample]:
    """Negation of a bool tensor."""
    yield ErrorSample({"self": draw.tensor((3,), dtype="bool")}, "RuntimeError", r"{op}: .*bool")


def bool_relu(draw: Draw) -> Iterator[ErrorSample]:
    """relu of a bool tensor."""
    yield ErrorSample({"self": draw.tensor((3,), dtype="bool")}, "RuntimeError", r"{op}: .*bool")


def inplace_result_cast(draw: Draw) -> Iterator[ErrorSample]:
    """An in-place result of a higher category than the tensor."""
    if draw.info.is_complex:
        return
    other = "complex64" if draw.info.is_floating else "float32"
    kind = "complex(64|128)" if draw.info.is_floating else other
    values = {"self": draw.tensor((3,)), "other": draw.tensor((3,), "nonzero", other)}
    pattern = rf"{{op}}_: result type {kind}.*dtype {draw.dtype}"
    yield ErrorSample(values, "RuntimeError", pattern, variant="inplace")


def inplace_integer_to_float(draw: Draw) -> Iterator[ErrorSample]:
    """A floating result in place of an integer tensor."""
    if draw.info.is_inexact:
        return
    values = {"self": draw.tensor((3,), "positive")}
    pattern = rf"{{op}}_: .*float32.*{draw.dtype}"
    yield ErrorSample(values, "RuntimeError", pattern, variant="inplace")


def inplace_complex_abs(draw: Draw) -> Iterator[ErrorSample]:
    """abs_ of a complex tensor would have to change the dtype."""
    if draw.info.is_complex:
        values = {"self": draw.tensor((3,))}
        yield ErrorSample(values, "RuntimeError", r"abs_: .*complex", variant="inplace")


def rounding_mode_unknown(draw: Draw) -> Iterator[ErrorSample]:
    """A rounding mode that doesn't exist."""
    values = {"self": draw.tensor((3,)), "other": draw.tensor((3,), "nonzero")}
    pattern = r"div_?: rounding_mode must be .*; got '?up'?"
    yield ErrorSample({**values, "rounding_mode": "up"}, "RuntimeError", pattern)


def integer_division_by_zero(draw: Draw) -> Iterator[ErrorSample]:
    """An integer divided by zero."""
    if draw.info.is_integral:
        zeros = Tensor(draw.dtype, np.array([1, 0, 2], draw.info.carrier))
        values = {"self": draw.tensor((3,)), "other": zeros}
        yield ErrorSample(values, "ZeroDivisionError", r"{op}: .*zero", also=("RuntimeError",))


def negative_integer_power(draw: Draw) -> Iterator[ErrorSample]:
    """An integer to a negative power is no integer."""
    if draw.info.kind == "signed":
        exponent = Tensor(draw.dtype, np.array([2, -1, 0], draw.info.carrier))
        values = {"self": draw.tensor((3,), "nonzero"), "exponent": exponent}
        yield ErrorSample(values, "RuntimeError", r"{op}: .*negative")
        number = {"self": draw.tensor((3,), "nonzero"), "exponent": -2}
        yield ErrorSample(number, "RuntimeError", r"{op}: .*negative", note="number")


def complex_unordered(draw: Draw) -> Iterator[ErrorSample]:
    """Complex numbers have no order."""
    tensor = draw.tensor((3,), dtype="complex64")
    yield ErrorSample({"self": tensor, "other": tensor}, "RuntimeError", r"{op}: .*complex64")


def clamp_without_bounds(draw: Draw) -> Iterator[ErrorSample]:
    """Neither bound given."""
    yield ErrorSample({"self": draw.tensor((3,))}, "RuntimeError", r"clamp_?: .*min.*max")


def clamp_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Bounds whose sizes differ."""
    yield _sizes_differ(draw, ("self", "min", "max"), {})


def condition_not_bool(draw: Draw) -> Iterator[ErrorSample]:
    """A condition of another dtype than bool."""
    tensor = draw.tensor((3,))
    condition = draw.tensor((3,), dtype="int64")
    values = {"condition": condition, "self": tensor, "other": tensor}
    yield ErrorSample(values, "RuntimeError", r"where: condition must be a bool tensor; got int64")


def float_bitwise(draw: Draw) -> Iterator[ErrorSample]:
    """Floating numbers have no bits to combine."""
    tensor = draw.tensor((3,), dtype="float32")
    yield ErrorSample({"self": tensor, "other": tensor}, "RuntimeError", r"{op}: .*float32")


def _of_dtypes(draw: Draw, *dtypes: str) -> Iterator[ErrorSample]:
    """One tensor of each dtype, which the op doesn't take."""
    for dtype in dtypes:
        values: dict[str, Any] = {"self": draw.tensor((3,), dtype=dtype)}
        values |= {a.name: 1 for a in draw.spec.args[1:] if not a.has_default}
        yield ErrorSample(values, "RuntimeError", rf"({{op}}|gelu|logit): .*{dtype}", note=dtype)


def complex_unsupported(draw: Draw) -> Iterator[ErrorSample]:
    """Complex numbers have no order."""
    yield from _of_dtypes(draw, "complex64")


def bool_unsupported(draw: Draw) -> Iterator[ErrorSample]:
    """Truth values are no numbers to round."""
    yield from _of_dtypes(draw, "bool")


def integers_unsupported(draw: Draw) -> Iterator[ErrorSample]:
    """Integers have no fraction."""
    yield from _of_dtypes(draw, "int64", "uint8")


def float_bits(draw: Draw) -> Iterator[ErrorSample]:
    """Floating numbers have no bits to turn."""
    yield from _of_dtypes(draw, "float32")


def inplace_bool_square(draw: Draw) -> Iterator[ErrorSample]:
    """A bool tensor can't hold the integers that its square are."""
    if draw.info.kind == "bool":
        values = {"self": draw.tensor((3,))}
        yield ErrorSample(values, "RuntimeError", "int64.*bool", variant="inplace")


def complex_unordered_bound(draw: Draw) -> Iterator[ErrorSample]:
    """Complex numbers have no bounds."""
    name = draw.spec.args[1].name
    tensor = draw.tensor((3,), dtype="complex64")
    bound = tensor if draw.spec.args[1].type == "Tensor" else 1
    yield ErrorSample({"self": tensor, name: bound}, "RuntimeError", "complex64")


def _sizes_differ(draw: Draw, names: tuple[str, ...], given: dict[str, Any]) -> ErrorSample:
    sizes = zip(names, ((3,), (4,), (4,)), strict=False)
    values = {name: draw.tensor(size, "nonzero") for name, size in sizes}
    return ErrorSample({**values, **given}, "RuntimeError", r"{op}: sizes .*can't be broadcast")


def ternary_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Sizes that differ, and numbers that the result can't be multiplied by."""
    yield _sizes_differ(draw, ("self", "tensor1", "tensor2"), {})
    values = {name: draw.tensor((3,), "nonzero") for name in ("self", "tensor1", "tensor2")}
    if not draw.info.is_complex:
        yield ErrorSample({**values, "value": 2j}, "RuntimeError", "{op}: .*value", note="complex")
    if not draw.info.is_inexact:
        yield ErrorSample({**values, "value": 1.5}, "RuntimeError", "{op}: .*value", note="1.5")


def addcdiv_integers(draw: Draw) -> Iterator[ErrorSample]:
    """The quotient of integers isn't one."""
    values = {
        name: draw.tensor((3,), "nonzero", "int64") for name in ("self", "tensor1", "tensor2")
    }
    yield ErrorSample(values, "RuntimeError", "addcdiv_?: .*int64")


def lerp_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Sizes that differ."""
    given = {"weight": 0.5} if draw.spec.key == "lerp.Scalar" else {}
    yield _sizes_differ(draw, ("self", "end", "weight")[: 3 - len(given)], given)


def lerp_dtypes(draw: Draw) -> Iterator[ErrorSample]:
    """Ends of two dtypes; weights that the result's dtype doesn't hold."""
    other = "float64" if draw.dtype == "float32" else "float32"
    whole = draw.spec.key == "lerp.Tensor"
    weight = draw.tensor((3,), "unit") if whole else 0.5
    ends = {"self": draw.tensor((3,)), "end": draw.tensor((3,), dtype=other)}
    yield ErrorSample({**ends, "weight": weight}, "RuntimeError", "lerp: .*one dtype.*")
    ends["end"] = draw.tensor((3,))
    if whole:
        weight = draw.tensor((3,), "unit", other)
        yield ErrorSample({**ends, "weight": weight}, "RuntimeError", "lerp: weight", note="weight")
    elif not draw.info.is_complex:
        values = {**ends, "weight": 0.5j}
        yield ErrorSample(values, "RuntimeError", "lerp: weight", note="complex weight")


def gelu_approximate(draw: Draw) -> Iterator[ErrorSample]:
    """A formula that doesn't exist."""
    values = {"self": draw.tensor((3,)), "approximate": "erf"}
    yield ErrorSample(
        values, "RuntimeError", "gelu: approximate must be 'none' or 'tanh'; got 'erf'"
    )
