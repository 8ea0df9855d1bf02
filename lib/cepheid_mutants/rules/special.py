"""Class `special`: NaN, infinities, signed zeros, subnormals."""

from __future__ import annotations

import math
from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import rule
from ..schema import Op
from ..traits import (
    COMPARISONS,
    MOVEMENT,
    ZERO_OR_ONE,
    gives_floats,
    is_bounded,
    may_view,
    reads_elements,
)

CHECKS = ("special", "values")
_COUNTING = frozenset(("arange", "arange.start_step"))
# Sums of what is never below zero, whatever goes in.
_DISTANCES = frozenset(
    "_squared_difference mse_loss l1_loss _smooth_l1 smooth_l1_loss _huber huber_loss".split()
)
_NEVER_NEGATIVE_ZERO = _COUNTING | _DISTANCES | {"abs", "exp", "log", "sigmoid", "softmax.int"}
# What is no share is refused.
_SHARES = frozenset(("_bit_cross_entropy",))
_NO_NAN = _COUNTING | _SHARES
# Of shares, which lie between 0 and 1, no logarithm below -100 is taken.
_NO_INFINITY = _COUNTING | {
    "tanh",
    "sigmoid",
    "softmax.int",
    "layer_norm",
    *_SHARES,
    "erfc",
    "sign",
    "_foreach_sign",
}
_NO_MINUS_INFINITY = _DISTANCES | frozenset(
    "abs exp sqrt relu var std linalg_vector_norm _soft_margin soft_margin_loss _foreach_abs "
    "_foreach_norm".split()
)
_NO_SUBNORMAL = _COUNTING | {"log", "sqrt", "layer_norm", "sign", "_foreach_sign"}
_WHOLE = frozenset(("floor_divide", "trunc_divide", "div.Tensor_mode"))


def _floats(op: Op) -> bool:
    return gives_floats(op)


def _edit(call: Call, change: Any) -> Any:
    def edit(tensor: Any) -> None:
        if bits.part_of(bits.dtype_name(tensor)) in bits.FLOAT_FORMATS:
            bits.edit_numbers(tensor, change)

    return call.edited(edit)


def _unless(never: frozenset[str], what: str) -> Any:
    plain = never | ZERO_OR_ONE
    return lambda op: f"a correct result has no {what}" if {op.key, op.name} & plain else ""


@rule(
    "special",
    "nan_to_zero",
    "NaN becomes zero",
    _floats,
    checks=CHECKS,
    equivalent=_unless(_NO_NAN, "NaN"),
)
def nan_to_zero(call: Call) -> Any:
    return _edit(call, lambda value: 0.0 if math.isnan(value) else value)


@rule(
    "special",
    "nan_to_infinity",
    "NaN becomes infinity",
    _floats,
    checks=CHECKS,
    equivalent=_unless(_NO_NAN, "NaN"),
)
def nan_to_infinity(call: Call) -> Any:
    return _edit(call, lambda value: math.inf if math.isnan(value) else value)


@rule(
    "special",
    "infinity_clamped",
    "infinity becomes the largest finite number",
    _floats,
    checks=CHECKS,
    equivalent=_unless(_NO_INFINITY, "infinity"),
)
def infinity_clamped(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        name = bits.part_of(bits.dtype_name(tensor))
        if name not in bits.FLOAT_FORMATS:
            return
        infinity = bits.encode(math.inf, name)
        minus = bits.encode(-math.inf, name)
        bits.edit_bits(
            tensor, lambda found: [x - 1 if x in (infinity, minus) else x for x in found]
        )

    return call.edited(edit)


@rule(
    "special",
    "infinity_to_nan",
    "infinity becomes NaN",
    _floats,
    checks=CHECKS,
    equivalent=_unless(_NO_INFINITY, "infinity"),
)
def infinity_to_nan(call: Call) -> Any:
    return _edit(call, lambda value: math.nan if math.isinf(value) else value)


@rule(
    "special",
    "infinity_sign",
    "infinities are all positive",
    _floats,
    checks=CHECKS,
    equivalent=_unless(_NO_INFINITY | _NO_MINUS_INFINITY, "minus infinity"),
)
def infinity_sign(call: Call) -> Any:
    return _edit(call, lambda value: math.inf if math.isinf(value) else value)


_OPEN_ZERO = frozenset(
    "relu maximum minimum clamp amax amin aminmax max max.dim min min.dim sort sort.stable msort "
    "arange arange.start_step _foreach_maximum.Scalar _foreach_maximum.List "
    "_foreach_maximum.ScalarList _foreach_minimum.Scalar _foreach_minimum.List "
    "_foreach_minimum.ScalarList _foreach_clamp_min.Scalar _foreach_clamp_min.List "
    "_foreach_clamp_min.ScalarList _foreach_clamp_max.Scalar _foreach_clamp_max.List "
    "_foreach_clamp_max.ScalarList".split()
)
_NO_SIGN_OF_ZERO = frozenset(
    "frac var std var_mean std_mean linalg_vector_norm _foreach_norm addcmul addcdiv lerp "
    "_foreach_addcmul _foreach_addcdiv _foreach_lerp avg_pool1d avg_pool2d adaptive_avg_pool1d "
    "adaptive_avg_pool2d".split()
)


def _zero_sign_is_free(op: Op) -> str:
    if op.key in _OPEN_ZERO:
        return "which of two equal zeros is given is not determined"
    if is_bounded(op) or op.family in ("norm", "attention", "loss") or op.name in _NO_SIGN_OF_ZERO:
        return "the sign of a zero sum or difference is not determined"
    return _unless(_NEVER_NEGATIVE_ZERO, "negative zero")(op)  # type: ignore[no-any-return]


@rule(
    "special",
    "zero_sign",
    "negative zero becomes positive",
    _floats,
    checks=CHECKS,
    equivalent=_zero_sign_is_free,
)
def zero_sign(call: Call) -> Any:
    return _edit(call, lambda value: 0.0 if value == 0 else value)


def _smallest(name: str) -> float:
    return {"float16": 2.0**-14, "float64": 2.0**-1022}.get(name, 2.0**-126)


def _flush(tensor: Any) -> None:
    name = bits.part_of(bits.dtype_name(tensor))
    if name in bits.FLOAT_FORMATS:
        limit = _smallest(name)
        bits.edit_numbers(
            tensor, lambda value: math.copysign(0.0, value) if abs(value) < limit else value
        )


@rule(
    "special",
    "subnormal_result",
    "subnormal results become zero",
    _floats,
    checks=CHECKS,
    dtypes=("float32", "float64", "float16"),
    equivalent=lambda op: (
        "below the bound of a sum"
        if is_bounded(op)
        else _unless(_NO_SUBNORMAL | _WHOLE, "subnormal number")(op)
    ),
)
def subnormal_result(call: Call) -> Any:
    return call.edited(_flush)


def _reads_floats(op: Op) -> bool:
    reads = (
        gives_floats(op)
        or op.key in COMPARISONS
        or op.name
        in ("isnan argmax sort argsort any equal nonzero count_nonzero logical_not".split())
    )
    return reads_elements(op) and reads and not may_view(op) and op.key not in MOVEMENT | {"copy_"}


def _with_inputs(call: Call, change: Any) -> Any:
    def changed(tensor: Any) -> Any:
        copy = call.api.copy(tensor)
        if bits.part_of(bits.dtype_name(copy)) in bits.FLOAT_FORMATS:
            change(copy)
        return copy

    return call.with_changed(**call.map_inputs(changed))


_NEAR_ONE = frozenset(
    "exp sigmoid softmax.int layer_norm isnan pow.Tensor_Tensor erfc _foreach_exp".split()
)


def _blind_to_subnormals(op: Op) -> str:
    if is_bounded(op):
        return "below the bound of a sum"
    if op.key == "_logit_cross_entropy":
        return "below the bound, which follows the logit and log 2"
    if op.key in ("_squared_difference", "mse_loss", "_huber", "huber_loss"):
        return "the square of so small a difference is zero"
    return "a subnormal argument gives what zero gives" if op.key in _NEAR_ONE else ""


@rule(
    "special",
    "subnormal_input",
    "subnormal inputs are taken for zero",
    _reads_floats,
    checks=CHECKS,
    dtypes=("float32", "float64", "float16"),
    equivalent=_blind_to_subnormals,
)
def subnormal_input(call: Call) -> Any:
    return _with_inputs(call, _flush)


def _only_shares(op: Op) -> str:
    return "what is not between 0 and 1 is refused" if op.key in _SHARES else ""


@rule(
    "special",
    "nan_input",
    "NaN in the input is taken for zero",
    _reads_floats,
    checks=CHECKS,
    equivalent=_only_shares,
)
def nan_input(call: Call) -> Any:
    return _with_inputs(
        call,
        lambda copy: bits.edit_numbers(copy, lambda value: 0.0 if math.isnan(value) else value),
    )


@rule(
    "special",
    "infinite_input",
    "infinity in the input is taken for a large number",
    _reads_floats,
    checks=CHECKS,
    equivalent=lambda op: (
        "a large number gives the same"
        if op.name
        in (
            "isnan",
            "eq",
            "ne",
            "equal",
            "exp",
            "tanh",
            "sigmoid",
            "any",
            "nonzero",
            "count_nonzero",
            "logical_not",
            "argmax",
            "argsort",
        )
        else _only_shares(op)
    ),
)
def infinite_input(call: Call) -> Any:
    big = {"float16": 6e4, "float64": 1e308}

    def limit(copy: Any) -> None:
        most = big.get(bits.part_of(bits.dtype_name(copy)), 3e38)
        bits.edit_numbers(
            copy, lambda value: math.copysign(most, value) if math.isinf(value) else value
        )

    return _with_inputs(call, limit)
