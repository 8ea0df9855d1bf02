"""Drawn calls of the pointwise ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DTYPES, integer_range
from ..promotion import result_type
from ..sample import Sample
from ..tensors import Tensor
from .chooser import Chooser, Reject, Shape

# Complex functions whose values away from the origin are ill-conditioned or overflow in parts.
_CALM_COMPLEX = (
    *("exp", "tanh", "sigmoid", "log", "pow", "div", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "asinh", "acosh", "atanh", "exp2", "expm1", "log1p", "log2", "log10"),
    *("reciprocal", "rsqrt"),
)
_MAX_POWER = 8


def _domain(chooser: Chooser) -> str:
    return "finite" if chooser.info.is_complex else "full"


def unary(chooser: Chooser) -> Sample:
    """Any value of the dtype, negative arguments of log and sqrt too."""
    modes = None
    if chooser.info.is_complex:
        calm = chooser.spec.name in _CALM_COMPLEX
        modes = ("plain", "any", "ties") if calm else ("plain", "any", "ties", "scaled")
    if chooser.spec.name in ("neg", "abs", "logical_not", "isnan", "relu"):
        modes = None
    tensor = chooser.tensor(chooser.shape(), _domain(chooser), modes_of=modes)
    return Sample({"self": tensor})


unary_positive = unary_nonzero = unary_rounding = unary_infinite = unary
unary_unit = unary_above_one = unary_angle = unary_share = unary


def logit(chooser: Chooser) -> Sample:
    """Any value, with a bound or without."""
    sample = unary(chooser)
    eps = chooser.one_of([None, 0.25, 0.0, 0.0625, -1.0])
    return Sample({**sample.values, "eps": eps})


def logit_within(chooser: Chooser) -> Sample:
    """Any value, with a bound."""
    return Sample({**unary(chooser).values, "eps": chooser.one_of([0.25, 0.0, 0.0625])})


def _pair_shapes(chooser: Chooser) -> tuple[Shape, Shape]:
    """Equal shapes, or shapes that broadcast, either one the smaller."""
    shape = chooser.shape()
    how = chooser.integer(0, 3)
    first = chooser.broadcastable(shape) if how in (2, 3) else shape
    second = chooser.broadcastable(shape) if how in (1, 3) else shape
    return first, second


def _number(chooser: Chooser) -> Any:
    """A number that every dtype of its category holds, and that the op accepts."""
    allowed = chooser.spec.dtypes["cpu"]
    numbers: list[Any] = [2, 3, 1]
    if "bool" in allowed:
        numbers.append(True)
    if "float32" in allowed:
        numbers += [1.5, 0.25, -2.0]
    if "complex64" in allowed and chooser.dtype != "float16":
        numbers.append(1.5 - 2j)
    if chooser.info.kind not in ("unsigned", "bool"):
        numbers.append(-3)
    return chooser.one_of(numbers)


def _operands(
    chooser: Chooser, second_domain: str = "", first_domain: str = ""
) -> tuple[Tensor, Any]:
    """Two tensors of one dtype; or of two dtypes; or a tensor and a number."""
    how = chooser.integer(0, 5)
    one, two = _pair_shapes(chooser)
    domain = first_domain or _domain(chooser)
    if how <= 3:
        first = chooser.tensor(one, domain)
        return first, chooser.tensor(two, second_domain or domain)
    # A 0-dim operand turns into the other's dtype, which must hold its value.
    first = chooser.tensor(one, "small" if one and chooser.info.is_integral else "exact")
    if how == 4 and "other" in chooser.spec.numbers:
        return first, _number(chooser)
    other = chooser.one_of(chooser.spec.dtypes["cpu"])
    # A floating 0-dim tensor beside a narrower one is rounded before or after the operation.
    plain = second_domain or ("any" if two else "exact")
    second = chooser.tensor(two, "exact" if not one or not two else plain, other)
    if chooser.dtype == "float16" or other == "float16":
        _refuse_half_complex(first, second)
    return first, second


def _refuse_half_complex(first: Tensor, second: Tensor) -> None:
    """float16 beside a complex 0-dim tensor would be complex32, which this suite doesn't have."""
    complex_one = first.info.is_complex or second.info.is_complex
    if complex_one and bool(first.shape) != bool(second.shape):
        raise Reject


def binary(chooser: Chooser) -> Sample:
    """Any two operands; complex quotients by numbers away from zero."""
    calm = chooser.spec.name == "div"
    first, second = _operands(chooser, "nonzero" if calm and chooser.info.is_complex else "")
    if calm and _may_be_complex(first, second):
        _refuse_zero(second)
    return Sample({"self": first, "other": second})


def _may_be_complex(first: Any, second: Any) -> bool:
    return DTYPES[result_type([first, second])].is_complex


def _refuse_zero(value: Any) -> None:
    if np.any((value.data if isinstance(value, Tensor) else np.asarray(value)) == 0):
        raise Reject


binary_zeros = binary


def binary_multiples(chooser: Chooser) -> Sample:
    """Integers so small that every dtype holds their least common multiple."""
    one, two = _pair_shapes(chooser)
    first, second = chooser.tensor(one, "any"), chooser.tensor(two, "any")
    small = {k: v.replaced(np.fmod(v.data, 12)) for k, v in (("self", first), ("other", second))}
    return Sample(small)


def binary_nonzero_integer(chooser: Chooser) -> Sample:
    """Divisors without zero, quotients that are determined."""
    first, second = _operands(chooser, "nonzero", "any" if chooser.info.is_inexact else "")
    _refuse_zero(second)
    if not DTYPES[result_type([first, second])].is_inexact:
        _refuse_overflow(first, second)
    return Sample({"self": first, "other": second})


def _refuse_overflow(first: Tensor, second: Any) -> None:
    """The most negative integer by -1 is a sample of its own: it may end the process."""
    divisor = second.data if isinstance(second, Tensor) else np.asarray(second)
    low, _ = integer_range(first.info)
    if low < 0 and np.any(divisor == -1) and np.any(first.data == low):
        raise Reject


def binary_alpha(chooser: Chooser) -> Sample:
    """Two operands and, at times, the factor of the second."""
    if not chooser.rarely():
        return binary(chooser)
    one, two = _pair_shapes(chooser)
    values: dict[str, Any] = {
        "self": chooser.tensor(one, "any"),
        "other": chooser.tensor(two, "any"),
    }
    alphas: list[Any] = [True, False] if chooser.info.kind == "bool" else [2, 0, 3]
    if chooser.info.kind not in ("bool", "unsigned"):
        alphas.append(-1)
    if chooser.info.is_inexact:
        alphas += [0.5, -1.25]
    if chooser.info.is_complex:
        alphas.append(1.5 - 0.5j)
    return Sample({**values, "alpha": chooser.one_of(alphas)})


def binary_rounding(chooser: Chooser) -> Sample:
    """Division with each rounding mode, and without."""
    sample = binary_nonzero_integer(chooser)
    mode = chooser.one_of(("floor", "trunc", None))
    return Sample({**sample.values, "rounding_mode": mode})


def binary_ties(chooser: Chooser) -> Sample:
    """Any two operands; the second at times the first with some elements changed."""
    if not chooser.rarely():
        return binary(chooser)
    first = chooser.tensor(chooser.shape(), _domain(chooser))
    data = first.data.copy()
    data.reshape(-1)[:: chooser.one_of((2, 3, 5))] = 1
    return Sample({"self": first, "other": chooser.laid_out(Tensor(chooser.dtype, data))})


def power(chooser: Chooser) -> Sample:
    """Positive bases for floats, exponents that are not negative for integers."""
    one, two = _pair_shapes(chooser)
    info = chooser.info
    base = chooser.tensor(one, "full" if info.is_floating else "any")
    if info.is_complex:
        _refuse_zero(base)
    if chooser.rarely():
        exponents: list[Any] = [2, 3, 0]
        if info.is_inexact:
            exponents += [0.5, -0.5, -1, -2, 1, 0.0]
        return Sample({"self": base, "exponent": chooser.one_of(exponents)})
    exponent = chooser.tensor(two, "full" if info.is_floating else "any")
    if info.is_integral:
        data = np.abs(exponent.data.astype(np.int64) % _MAX_POWER).astype(info.carrier)
        exponent = exponent.replaced(data)
    return Sample({"self": base, "exponent": exponent})


def clamp(chooser: Chooser) -> Sample:
    """Bounds on one or both sides, crossed too."""
    tensor = chooser.tensor(chooser.shape(), "full")
    low, high = (0, 5) if chooser.info.kind == "unsigned" else (-3, 5)
    numbers: list[Any] = list(range(low, high))
    if chooser.info.is_floating:
        numbers += [-1.5, 1.25, float("inf"), float("-inf"), float("nan")]
    bounds = {
        name: chooser.one_of(numbers)
        for name in chooser.one_of((("min",), ("max",), ("min", "max")))
    }
    return Sample({"self": tensor, **bounds})


def where(chooser: Chooser) -> Sample:
    """A condition that broadcasts with two choices."""
    first, second = _operands(chooser)
    shape = np.broadcast_shapes(first.shape, np.shape(getattr(second, "data", second)))
    condition = chooser.mask(chooser.broadcastable(shape))
    return Sample({"condition": condition, "self": first, "other": second})
