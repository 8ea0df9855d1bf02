"""Inputs of the pointwise ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import DTYPES, integer_range, round_to
from ..sample import Draw, Sample
from ..tensors import Tensor, strided
from .common import (
    pointwise_shapes,
    special_complex,
    special_pairs,
)
from .pointwise_errors import (
    addcdiv_integers as addcdiv_integers,
)
from .pointwise_errors import (
    alpha_not_representable as alpha_not_representable,
)
from .pointwise_errors import (
    bool_negate as bool_negate,
)
from .pointwise_errors import (
    bool_relu as bool_relu,
)
from .pointwise_errors import (
    bool_subtract as bool_subtract,
)
from .pointwise_errors import (
    bool_unsupported as bool_unsupported,
)
from .pointwise_errors import (
    broadcast_mismatch as broadcast_mismatch,
)
from .pointwise_errors import (
    clamp_mismatch as clamp_mismatch,
)
from .pointwise_errors import (
    clamp_without_bounds as clamp_without_bounds,
)
from .pointwise_errors import (
    complex_unordered as complex_unordered,
)
from .pointwise_errors import (
    complex_unordered_bound as complex_unordered_bound,
)
from .pointwise_errors import (
    complex_unsupported as complex_unsupported,
)
from .pointwise_errors import (
    condition_not_bool as condition_not_bool,
)
from .pointwise_errors import (
    float_bits as float_bits,
)
from .pointwise_errors import (
    float_bitwise as float_bitwise,
)
from .pointwise_errors import (
    gelu_approximate as gelu_approximate,
)
from .pointwise_errors import (
    inplace_bool_square as inplace_bool_square,
)
from .pointwise_errors import (
    inplace_complex_abs as inplace_complex_abs,
)
from .pointwise_errors import (
    inplace_integer_to_float as inplace_integer_to_float,
)
from .pointwise_errors import (
    inplace_result_cast as inplace_result_cast,
)
from .pointwise_errors import (
    integer_division_by_zero as integer_division_by_zero,
)
from .pointwise_errors import (
    integers_unsupported as integers_unsupported,
)
from .pointwise_errors import (
    lerp_dtypes as lerp_dtypes,
)
from .pointwise_errors import (
    lerp_mismatch as lerp_mismatch,
)
from .pointwise_errors import (
    negative_integer_power as negative_integer_power,
)
from .pointwise_errors import (
    rounding_mode_unknown as rounding_mode_unknown,
)
from .pointwise_errors import (
    ternary_mismatch as ternary_mismatch,
)
from .unary import (
    ACCURACY_POINTS,
    is_normal,
)
from .unary import (
    activation as activation,
)
from .unary import (
    logit as logit,
)
from .unary import (
    logit_within as logit_within,
)
from .unary import (
    unary as unary,
)
from .unary import (
    unary_above_one as unary_above_one,
)
from .unary import (
    unary_angle as unary_angle,
)
from .unary import (
    unary_infinite as unary_infinite,
)
from .unary import (
    unary_nonzero as unary_nonzero,
)
from .unary import (
    unary_positive as unary_positive,
)
from .unary import (
    unary_rounding as unary_rounding,
)
from .unary import (
    unary_share as unary_share,
)
from .unary import (
    unary_unit as unary_unit,
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
        shape = (ACCURACY_POINTS,)
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
            normal = is_normal(second, info)
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


def binary_logarithm(draw: Draw) -> Iterator[Sample]:
    """A factor, zero among others, and what a logarithm is taken of."""
    for sample in _binary(draw, "any", "positive"):
        values = dict(sample.values)
        factor = values["self"]
        if factor.shape and factor.strides is None:
            data = factor.data.copy()
            data.reshape(-1)[::3] = 0
            values["self"] = factor.replaced(data)
        yield Sample(values, sample.note)


def binary_zeros(draw: Draw) -> Iterator[Sample]:
    """Two tensors, in which every second or third element is zero."""
    for sample in binary(draw):
        values = dict(sample.values)
        for name, step in (("self", 2), ("other", 3)):
            if values[name].strides is None and values[name].shape:
                data = values[name].data.copy()
                data.reshape(-1)[::step] = 0
                values[name] = values[name].replaced(data)
        yield Sample(values, f"{sample.note}, with zeros")


def binary_multiples(draw: Draw) -> Iterator[Sample]:
    """Integers with common divisors, zeros among them; the ends of the dtype where magnitudes
    exist."""
    for sample in _binary(draw, "any", "any") if draw.kind != "special" else ():
        small = {name: _below_twelve(value) for name, value in sample.values.items()}
        yield Sample(small, sample.note)
    if draw.kind in ("special", "small"):
        yield from _multiples(draw)


def _multiples(draw: Draw) -> Iterator[Sample]:
    """Every dtype holds the multiples, whichever pairs are made: what they wrap to is open."""
    low, high = integer_range(draw.info)
    factors = [0, 1, 2, 3, 6, 12, 60, *((-1, -8, -12) if low else ())]
    ends, units = [high, high - 1, max(low + 1, 0), high, 0], [1, 0, 1, 0, 1]
    grid = [x.ravel() for x in np.meshgrid(factors, factors)]
    for one, two in (grid, (ends, units), (units, ends)):
        pair = (Tensor(draw.dtype, np.array(data, draw.info.carrier)) for data in (one, two))
        names = ("self", "other")
        yield Sample(dict(zip(names, pair, strict=True)), "common divisors, zeros and ends")


def _below_twelve(value: Any) -> Any:
    """Operands whose multiples every dtype holds."""
    small = isinstance(value, Tensor) and value.info.is_integral
    return value.replaced(np.fmod(value.data, 12)) if small else value


def binary_shift(draw: Draw) -> Iterator[Sample]:
    """Integers and by how many bits; counts beyond the bits among the special values."""
    yield from _binary(draw, "any", "positive")
    if draw.kind == "special":
        bits = draw.info.bits
        low, high = integer_range(draw.info)
        counts = np.array(
            [0, 1, bits - 2, bits - 1, bits, bits + 1, min(high, 2 * bits), max(low, -1)]
        )
        ends = np.array([low, low + 1, 1, 3, high - 1, high, 0])
        one, two = (x.ravel() for x in np.meshgrid(ends, counts.astype(draw.info.carrier)))
        pair = {"self": one.astype(draw.info.carrier), "other": two}
        yield Sample({k: Tensor(draw.dtype, v) for k, v in pair.items()}, "by all bits and more")


def _ternary(draw: Draw, names: tuple[str, str, str], last: str) -> Iterator[Sample]:
    """Three tensors of one dtype; the first may be the smaller one."""
    first, second, third = names
    for shape in pointwise_shapes(draw.kind):
        values = {name: draw.tensor(shape) for name in (first, second)}
        yield Sample({**values, third: draw.tensor(shape, last)}, f"shape {list(shape)}")
    if draw.kind == "broadcast":
        for one, two in _BROADCASTS:
            values = {
                first: draw.tensor(one),
                second: draw.tensor(two),
                third: draw.tensor((1,), last),
            }
            yield Sample(values, f"{list(one)} with {list(two)} and [1]")
            values = {
                first: draw.tensor((1,)),
                second: draw.tensor(one),
                third: draw.tensor(two, last),
            }
            yield Sample(values, f"[1] with {list(one)} and {list(two)}")
    if draw.kind == "dtype" and draw.info.is_integral:
        yield Sample({name: draw.tensor((70,), "wide") for name in names}, "whole range")
    if draw.kind == "accuracy" and draw.info.is_inexact:
        shape = (ACCURACY_POINTS,)
        values = {name: draw.tensor(shape) for name in (first, second)}
        yield Sample({**values, third: draw.tensor(shape, last)}, "20,000 random values")


def ternary_value(draw: Draw) -> Iterator[Sample]:
    """A sum and two factors, or dividend and divisor, and a number."""
    names = ("self", "tensor1", "tensor2")
    yield from _ternary(draw, names, "nonzero")
    if draw.kind == "promotion":
        for other in draw.spec.dtypes["cpu"]:
            pair = {
                "tensor1": draw.tensor((5,), "small"),
                "tensor2": draw.tensor((5,), "exact", other),
            }
            yield Sample({"self": draw.tensor((5,), "small"), **pair}, f"tensor2 {other}")
            pair = {
                "tensor1": draw.tensor((5,), "small", other),
                "tensor2": draw.tensor((5,), "exact"),
            }
            yield Sample({"self": draw.tensor((5,), "small"), **pair}, f"tensor1 {other}")
            # A 0-dim tensor counts by its kind of number only; half and complex would be complex32.
            if not (draw.dtype in ("float16", "bfloat16") and DTYPES[other].is_complex):
                pair = {
                    "tensor1": draw.tensor((5,), "small"),
                    "tensor2": draw.tensor((), "exact", other),
                }
                note = f"0-dim tensor2 {other}"
                yield Sample({"self": draw.tensor((5,), "small"), **pair}, note)
    if draw.kind == "arguments":
        numbers: list[Any] = [0, 2, 3] if draw.info.kind == "unsigned" else [0, 2, -1, 3]
        numbers += [0.5, -1.25] if draw.info.is_inexact else []
        numbers += [1.5 - 0.5j] if draw.info.is_complex else []
        for number in numbers:
            values = {name: draw.tensor((9,), "nonzero") for name in names}
            yield Sample({**values, "value": number}, f"value {number}")


def lerp_number(draw: Draw) -> Iterator[Sample]:
    """Two ends and a number between them, or beyond."""
    numbers: list[Any] = [0.25] if draw.kind not in ("small", "arguments") else [0.5, 0.75]
    if draw.kind == "arguments":
        numbers = [0, 1, -1.5, 2.5, 0.4375, True]
        numbers += [0.5 + 0.25j, 0.25 - 1j] if draw.info.is_complex else []
        for number in numbers:
            values = {"self": draw.tensor((9,)), "end": draw.tensor((9,)), "weight": number}
            yield Sample(values, f"weight {number}")
    for sample in _ternary(draw, ("self", "end", "weight"), "unit"):
        for number in numbers:
            yield Sample({**sample.values, "weight": number}, f"{sample.note}, weight {number}")


def lerp_tensor(draw: Draw) -> Iterator[Sample]:
    """Two ends and a weight for each element, ends of the way among them."""
    for sample in _ternary(draw, ("self", "end", "weight"), "any"):
        data = sample.values["weight"].data.copy()
        for start, number in enumerate((0, 1, 0.5)):
            data.reshape(-1)[start::7] = number
        yield Sample(
            {**sample.values, "weight": sample.values["weight"].replaced(data)}, sample.note
        )


def clamp_tensor(draw: Draw) -> Iterator[Sample]:
    """A bound for each element below, above, or both, crossed ones too."""
    for sample in _binary(draw, "any", "any"):
        values, bound = sample.values["self"], sample.values["other"]
        if not isinstance(bound, Tensor):
            continue
        yield Sample({"self": values, "min": bound}, f"{sample.note}, min")
        yield Sample({"self": values, "max": bound}, f"{sample.note}, max")
        other = bound.replaced(np.roll(bound.data, 1))
        yield Sample({"self": values, "min": bound, "max": other}, f"{sample.note}, both")


def clamp_min(draw: Draw) -> Iterator[Sample]:
    """One bound as a number."""
    yield from _one_bound(draw, "min")


def clamp_max(draw: Draw) -> Iterator[Sample]:
    """One bound as a number."""
    yield from _one_bound(draw, "max")


def _one_bound(draw: Draw, name: str) -> Iterator[Sample]:
    for sample in clamp(draw):
        bounds = [v for key, v in sample.values.items() if key != "self"]
        yield Sample({"self": sample.values["self"], name: bounds[0]}, sample.note)


def clamp_min_tensor(draw: Draw) -> Iterator[Sample]:
    """A bound for each element."""
    yield from _bound_tensors(draw, "min")


def clamp_max_tensor(draw: Draw) -> Iterator[Sample]:
    """A bound for each element."""
    yield from _bound_tensors(draw, "max")


def _bound_tensors(draw: Draw, name: str) -> Iterator[Sample]:
    for sample in _binary(draw, "any", "any"):
        if isinstance(sample.values["other"], Tensor):
            values = {"self": sample.values["self"], name: sample.values["other"]}
            yield Sample(values, sample.note)
