"""Inputs of the pointwise ops."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import DTYPES, integer_range, round_to
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor, strided
from .common import (
    every_value,
    pointwise_shapes,
    samples_of_tensor,
    special_complex,
    special_pairs,
    special_tensor,
)

_BROADCASTS = (
    ((3, 1), (1, 4)),
    ((4,), (3, 4)),
    ((2, 1, 3), (5, 1)),
    ((4, 4), (4,)),
    ((4, 4), (4, 1)),
    ((), (3,)),
    ((3, 0), (1,)),
    ((1, 3), (0, 1)),
)
_ACCURACY_POINTS = 20_000


def unary(draw: Draw) -> Iterator[Sample]:
    """Any value of the dtype."""
    yield from _unary(draw, "any")


def unary_positive(draw: Draw) -> Iterator[Sample]:
    """Positive values, but special values on both sides of zero."""
    yield from _unary(draw, "positive")


def _unary(draw: Draw, domain: str) -> Iterator[Sample]:
    for sample in samples_of_tensor(draw, domain):
        yield _with_nan(draw, sample) if draw.spec.name == "isnan" else sample
    if draw.kind == "special":
        yield Sample({"self": special_tensor(draw.info)}, "special values")
        if draw.info.is_complex and draw.spec.name == "tanh":
            yield Sample({"self": _far_from_axis(draw)}, "real parts beyond the range of exp")
        if draw.spec.name == "abs" and draw.info.is_complex:
            yield Sample({"self": _extreme_magnitudes(draw)}, "squares overflow or vanish")
    if draw.kind == "dtype" and not draw.info.is_inexact:
        wide = "any" if draw.info.kind == "bool" else "wide"
        yield Sample({"self": draw.tensor((70,), wide)}, "the whole range of the dtype")
    if draw.kind == "accuracy" and draw.info.is_inexact:
        yield from _accuracy(draw, domain)


def _with_nan(draw: Draw, sample: Sample) -> Sample:
    """The sample with every third element from the last on NaN."""
    tensor = sample.values["self"]
    if not draw.info.is_inexact or not tensor.data.size:
        return sample
    data = tensor.data.copy()
    data.reshape(-1)[::-3] = np.nan
    return Sample({"self": tensor.replaced(data)}, f"{sample.note}, every third NaN")


def _far_from_axis(draw: Draw) -> Tensor:
    """Complex numbers whose tanh is plus or minus one, and whose exponential overflows."""
    real = np.array([100.0, 800.0, 1000.0])
    far = np.add.outer(np.concatenate([real, -real]), 1j * np.array([0.5, -1.25, 2.0]))
    return Tensor(draw.dtype, far.ravel().astype(draw.info.carrier))


def _extreme_magnitudes(draw: Draw) -> Tensor:
    """Complex numbers whose modulus is representable but whose square isn't."""
    part = DTYPES[draw.info.real_name]
    scales = np.array([part.max_value / 8, part.max_value**0.75, part.tiny**0.75, part.tiny * 8])
    units = np.array([3 + 4j, -4 + 3j, 1 - 1j, 5j, 0.5 + 1e-3j])
    return Tensor(draw.dtype, np.outer(scales, units).ravel().astype(draw.info.carrier))


def _accuracy(draw: Draw, domain: str) -> Iterator[Sample]:
    info = draw.info
    if info.itemsize == 2:
        yield Sample({"self": Tensor(draw.dtype, every_value(info))}, "all 65,536 values")
        return
    yield Sample({"self": draw.tensor((_ACCURACY_POINTS,), domain)}, "20,000 random values")
    if not info.is_complex:
        exponents = draw.rng.uniform(-30, 7, _ACCURACY_POINTS)
        signs = 1.0 if domain == "positive" else draw.rng.choice([-1.0, 1.0], _ACCURACY_POINTS)
        values = round_to(signs * 2.0**exponents, info)
        yield Sample({"self": Tensor(draw.dtype, values)}, "magnitudes 2**-30 to 2**7")
        yield Sample({"self": _hard_points(draw, domain == "positive")}, "hard points")


def _hard_points(draw: Draw, positive: bool) -> Tensor:
    """Around one, where logarithms vanish; around multiples of log 2 / 2, where the argument of
    exp is reduced; near nothing, where tanh is linear; at the ends of the range of exp."""
    info = draw.info
    steps = np.arange(-8, 9) * info.eps
    halves = np.arange(1, 60) * (math.log(2) / 2)
    ends = np.array([math.log(info.max_value), -math.log(info.tiny), -math.log(info.smallest)])
    tiny = 2.0 ** np.arange(-info.precision - 3, 1)
    parts = [1 + steps, 1 + steps / 2, *(np.outer(x, 1 + steps).ravel() for x in (halves, tiny))]
    values = np.concatenate([*parts, np.outer(ends, 1 - np.arange(1, 9) * 8 * info.eps).ravel()])
    values = values if positive else np.concatenate([values, -values])
    return Tensor(draw.dtype, round_to(values, info))


def _halfway(draw: Draw) -> Iterator[Sample]:
    """Sums and products halfway between two values, to both sides, and hardly beyond halfway."""
    eps = draw.info.eps
    one = 1 + eps * np.arange(4)
    small = eps / 2 * np.array([1, 1 - eps / 2, 1 + eps, -0.5, -1])
    first = np.concatenate([np.repeat(one, 5), one, one])
    second = np.concatenate([np.tile(small, 4), np.full(4, 1.5), np.full(4, 2.5)])
    for sign in (1, -1):
        values = {"self": sign * first, "other": sign * second}
        tensors = {name: Tensor(draw.dtype, round_to(v, draw.info)) for name, v in values.items()}
        yield Sample(tensors, "halfway cases")


def _scales(draw: Draw) -> Iterator[Sample]:
    """Operands of scales far apart, whose products and quotients leave the range as well."""
    reach = {8: 150, 4: 30, 2: 4}[draw.info.itemsize]
    scale = 10.0 ** draw.rng.integers(-reach, reach, (2, 1000), endpoint=True)
    values = round_to(draw.rng.uniform(1, 10, (2, 1000)) * scale, draw.info)
    pair = {"self": Tensor(draw.dtype, values[0]), "other": Tensor(draw.dtype, values[1])}
    yield Sample(pair, f"scales of 1e-{reach} to 1e{reach}")


def binary(draw: Draw) -> Iterator[Sample]:
    """Two tensors of one dtype; other dtypes and numbers in the promotion class."""
    yield from _binary(draw, "any", "any")
    if draw.kind == "accuracy" and draw.info.is_floating:
        yield from _halfway(draw)
        yield from _scales(draw)
    if draw.kind == "sizes" and not draw.spec.mutates:
        yield from _unusual_rows(draw)


def _unusual_rows(draw: Draw) -> Iterator[Sample]:
    """Long rows of one element each, read twice; rows that share their elements."""
    column = draw.tensor((3, 1), "nonzero")
    rows = np.broadcast_to(column.data, (3, 600))
    wide = Tensor(draw.dtype, rows, strides=(1, 0), layout="expanded last")
    yield Sample({"self": wide, "other": wide}, "self itself, expanded to [3, 600]")
    width = max(draw.info.itemsize, 3)
    line = draw.tensor((8 + width,), "nonzero").data
    windows = strided(line, (5, width), (2, 1)).copy()
    moved = Tensor(draw.dtype, windows, strides=(2, 1), layout="overlapping windows")
    yield Sample({"self": moved, "other": moved}, f"windows of {width}, two apart")


def binary_nonzero_integer(draw: Draw) -> Iterator[Sample]:
    """Two tensors, the second without zeros: integer division by zero is an error."""
    yield from _binary(draw, "any", "nonzero")
    yield from _large_quotients(draw)


def _large_quotients(draw: Draw) -> Iterator[Sample]:
    """Whole quotients as large as the dtype counts, of divisors that leave nothing open."""
    if draw.kind == "accuracy" and draw.info.is_floating:
        top = 2**draw.info.precision
        data = draw.rng.integers(-top, top, 1000, endpoint=True).astype(draw.info.carrier)
        for divisor in (1, -2):
            other = np.full(1000, divisor, draw.info.carrier)
            values = {"self": Tensor(draw.dtype, data), "other": Tensor(draw.dtype, other)}
            yield Sample(values, f"whole numbers by {divisor}")


def _binary(draw: Draw, first: str, second: str) -> Iterator[Sample]:
    avoid_zero = second == "nonzero" or draw.spec.name == "div"
    domain = "nonzero" if avoid_zero and draw.kind != "special" else second
    for shape in pointwise_shapes(draw.kind):
        values = {"self": draw.tensor(shape, first), "other": draw.tensor(shape, domain)}
        yield Sample(values, f"shape {list(shape)}")
    if draw.kind == "broadcast":
        for one, two in _BROADCASTS:
            values = {"self": draw.tensor(one, first), "other": draw.tensor(two, domain)}
            yield Sample(values, f"{list(one)} with {list(two)}")
    if draw.kind == "special":
        yield from _special_binary(draw, second == "nonzero")
    if draw.kind == "dtype" and not draw.info.is_inexact and draw.info.kind != "bool":
        other = draw.tensor((70,), "nonzero" if avoid_zero else "wide")
        yield Sample({"self": draw.tensor((70,), "wide"), "other": other}, "whole range")
    if draw.kind == "accuracy" and draw.info.is_inexact:
        shape = (_ACCURACY_POINTS,)
        values = {"self": draw.tensor(shape, first), "other": draw.tensor(shape, domain)}
        yield Sample(values, "20,000 random pairs")
    if draw.kind == "promotion":
        yield from _promotions(draw, domain)


def _special_binary(draw: Draw, nonzero: bool) -> Iterator[Sample]:
    info = draw.info
    if info.is_complex:
        values = special_complex(info)
        second = values[draw.rng.permutation(len(values))]
        if draw.spec.name == "div":
            # A subnormal divisor loses bits in any formula; what it then overflows to is open.
            part = DTYPES[info.real_name]
            normal = np.maximum(np.abs(second.real), np.abs(second.imag)) > part.tiny / part.eps
            values, second = values[normal], second[normal]
        yield Sample({"self": Tensor(draw.dtype, values), "other": Tensor(draw.dtype, second)},
                     "finite special values")  # fmt: skip
        return
    one, two = special_pairs(info)
    if nonzero and info.is_integral:
        yield from _overflowing_quotient(draw)
        valid = (two != 0) & ~((one == integer_range(info)[0]) & (one < 0) & (two + 1 == 0))
        one, two = one[valid], two[valid]
    if nonzero and info.is_floating:
        # Rounded quotients of huge ratios are not determined; their sign and overflow are K1's.
        with np.errstate(all="ignore"):
            ratio = np.abs(one.astype(np.float64) / two)
            calm = (ratio * info.eps < 0.25) | (two == 0) | ~np.isfinite(one * 0.0 * two)
        one, two = one[calm], two[calm]
    pair = {"self": Tensor(draw.dtype, one), "other": Tensor(draw.dtype, two)}
    yield Sample(pair, "special values in pairs")


def _overflowing_quotient(draw: Draw) -> Iterator[Sample]:
    """The one integer quotient that overflows; on its own, since it may be a signal."""
    low, _ = integer_range(draw.info)
    if low < 0:
        one, two = (np.array([number], draw.info.carrier) for number in (low, -1))
        values = {"self": Tensor(draw.dtype, one), "other": Tensor(draw.dtype, two)}
        yield Sample(values, "the most negative integer by -1")


def _promotions(draw: Draw, domain: str) -> Iterator[Sample]:
    """Every other dtype of the op, as a tensor and as a 0-dim tensor; numbers on either side."""
    for other in draw.spec.dtypes["cpu"]:
        for shape in ((5,), ()):
            if draw.dtype == "float16" and not shape and DTYPES[other].is_complex:
                continue  # would be complex32, which is no dtype of this suite
            second = draw.tensor(shape, domain if shape else "exact", other)
            values = {"self": draw.tensor((5,), "small"), "other": second}
            yield Sample(values, f"other {other} {list(shape)}")
    for number in _numbers(draw):
        if "other" in draw.spec.numbers:
            yield Sample({"self": draw.tensor((5,), "small"), "other": number}, f"number {number}")
            yield Sample({"self": draw.tensor((), "small"), "other": number}, f"0-dim, {number}")


def _numbers(draw: Draw) -> list[Any]:
    """Numbers that the common dtype holds exactly and that the op accepts."""
    numbers: list[Any] = [2, 3]
    allowed = draw.spec.dtypes["cpu"]
    if "bool" in allowed:
        numbers.append(True)
    if "float32" in allowed:
        numbers += [1.5, 0.25, -2.0]
    if "complex64" in allowed and draw.dtype != "float16":
        numbers.append(1.5 - 2j)
    if draw.info.kind not in ("unsigned", "bool"):
        numbers.append(-3)
    return numbers


def binary_alpha(draw: Draw) -> Iterator[Sample]:
    """Two tensors and the factor of the second."""
    yield from binary(draw)
    if draw.kind != "arguments":
        return
    alphas: list[Any] = [True, False] if draw.info.kind == "bool" else [0, 2, -1, 3]
    if draw.info.kind == "unsigned":
        alphas = [0, 2, 3]
    if draw.info.is_inexact:
        alphas += [0.5, -1.25]
    if draw.info.is_complex:
        alphas.append(1.5 - 0.5j)
    for alpha in alphas:
        values = {"self": draw.tensor((9,)), "other": draw.tensor((9,)), "alpha": alpha}
        yield Sample(values, f"alpha {alpha}")


def binary_rounding(draw: Draw) -> Iterator[Sample]:
    """Division with each rounding mode."""
    modes = ("floor", "trunc") if draw.kind != "arguments" else ("floor", "trunc", None)
    kind = "small" if draw.kind == "arguments" else draw.kind
    for mode in modes:
        inner = Draw(draw.spec, draw.dtype, kind)
        for sample in _binary(inner, "any", "nonzero"):
            note = f"{sample.note}, rounding_mode {mode}"
            yield Sample({**sample.values, "rounding_mode": mode}, note)
        for sample in _large_quotients(draw) if mode else ():
            yield Sample({**sample.values, "rounding_mode": mode}, f"{sample.note}, {mode}")


def binary_ties(draw: Draw) -> Iterator[Sample]:
    """Two tensors with many equal elements."""
    yield from binary(draw)
    if draw.kind in ("small", "ties"):
        values = draw.tensor((70,), "small")
        other = values.data.copy()
        other[::3] = draw.tensor((24,), "small").data
        yield Sample({"self": values, "other": Tensor(draw.dtype, other)}, "two thirds equal")
    if draw.kind == "special" and draw.info.is_integral and draw.info.itemsize < 8:
        low, high = integer_range(draw.info)
        tensor = Tensor(draw.dtype, np.array([low, 0, high], draw.info.carrier))
        for number in (high + 1, low - 1):
            note = f"number {number} beyond the dtype"
            yield Sample({"self": tensor, "other": number}, note, or_error="RuntimeError")


def power(draw: Draw) -> Iterator[Sample]:
    """Base and exponent; integer exponents are not negative."""
    exponent = "positive" if draw.info.is_integral else "any"
    base = "positive" if draw.info.is_floating else "any"
    for sample in _binary(draw, base, exponent):
        values = dict(sample.values)
        other = values.pop("other")
        if draw.kind == "special" and draw.info.is_complex:
            continue
        pair = {"self": values["self"], "exponent": _valid_exponent(values["self"], other)}
        yield Sample(pair, sample.note)
    if draw.kind == "promotion":
        for number in (2, 3, 0):
            values = {"self": draw.tensor((5,), "small"), "exponent": number}
            yield Sample(values, f"exponent {number}")
            values = {"self": number, "exponent": draw.tensor((5,), exponent)}
            yield Sample(values, f"base {number}")
    if draw.kind == "arguments" and draw.info.is_inexact:
        turns = (0.5j, -2j) if draw.info.is_complex else ()
        for number in (0.5, -0.5, -1, -2, 1, 0.0, *turns):
            values = {"self": draw.tensor((9,), "positive"), "exponent": number}
            yield Sample(values, f"exponent {number}")


def _valid_exponent(base: Tensor, exponent: Any) -> Any:
    """Without negative values where both are integers."""
    if not isinstance(exponent, Tensor) or base.info.is_inexact or exponent.info.is_inexact:
        return exponent
    return exponent.replaced(np.abs(exponent.data.astype(np.int64) % 8).astype(exponent.data.dtype))


def clamp(draw: Draw) -> Iterator[Sample]:
    """Bounds on one or both sides, crossed, and of a higher category."""
    bounds: list[dict[str, Any]] = [{"min": 1, "max": 3}]
    if draw.kind == "small":
        bounds.append({"min": True})  # a number of one byte, beside those of eight
    if draw.kind == "arguments":
        bounds = [{"min": 2}, {"max": 2}, {"min": 3, "max": 1}]
        if draw.info.is_floating:
            bounds += [{"min": -1.5, "max": 1.25}, {"min": float("-inf")}, {"max": float("nan")}]
    if draw.kind == "promotion":
        bounds = [{"min": 0.5, "max": 2.5}, {"max": 1.5}, {"min": True}]
    kind = "small" if draw.kind in ("arguments", "promotion") else draw.kind
    for bound in bounds:
        inner = Draw(draw.spec, draw.dtype, kind)
        for sample in unary(inner):
            yield Sample({**sample.values, **bound}, f"{sample.note}, {bound}")


def where(draw: Draw) -> Iterator[Sample]:
    """A condition and two choices."""
    for sample in binary(draw):
        values = sample.values
        shape = np.broadcast_shapes(*(np.shape(getattr(v, "data", v)) for v in values.values()))
        if draw.kind == "broadcast" and shape:
            shape = shape[-1:]
        condition = draw.tensor(tuple(shape), dtype="bool")
        yield Sample({"condition": condition, **values}, sample.note)


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
    pattern = rf"{name}: sizes \[3\] and \[4\] can't be broadcast|div_: result type"
    yield ErrorSample(values, "RuntimeError", pattern)
    values = {**values, names[1]: draw.tensor((4, 3), "positive")}
    pattern = r"{op}: .*self.*\[3\].*\[4, 3\]|div_: result type"
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
