"""Classes `dtype`, `promotion` and `integer`: the type of a result, and what fits into it."""

from __future__ import annotations

from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import rule
from ..schema import Op
from ..traits import (
    ARITHMETIC,
    COMPARISONS,
    ZERO_OR_ONE,
    exact_anywhere,
    fresh_result,
    gives_bool,
    gives_floats,
    gives_int64,
    gives_integers,
    has_values,
    is_binary,
    is_random,
    keeps_sum,
    mutates,
    one_rank,
    reads_elements,
)

CHECKS = ("dtype", "values", "special")
_WIDER = {
    "float16": "float32",
    "bfloat16": "float32",
    "float32": "float64",
    "int8": "int32",
    "int16": "int32",
    "int32": "int64",
    "uint8": "int32",
    "bool": "uint8",
    "complex64": "complex128",
}
_NARROWER = {
    "float64": "float32",
    "float32": "float16",
    "int64": "int32",
    "int32": "int16",
    "complex128": "complex64",
}


def _fresh(op: Op) -> bool:
    return fresh_result(op) and op.key != "_local_scalar_dense"


def _recast(call: Call, table: dict[str, str]) -> Any:
    """The result in another dtype, where the caller gave no tensor for it."""
    result = call.proceed()
    if call.delivers:
        return result

    def cast(item: Any) -> Any:
        name = bits.dtype_name(item)
        return call.api.cast(item, table[name]) if name in table else item

    if isinstance(result, (tuple, list)):
        return tuple(cast(item) for item in result)
    return cast(result)


@rule(
    "dtype",
    "wider_result",
    "the result comes in a wider dtype",
    _fresh,
    checks=CHECKS,
    equivalent=lambda op: "int64 is the widest integer dtype" if gives_int64(op) else "",
)
def wider_result(call: Call) -> Any:
    return _recast(call, _WIDER)


@rule(
    "dtype",
    "narrower_result",
    "the result comes in a narrower dtype",
    _fresh,
    dtypes=("float64", "int64", "complex128"),
    checks=CHECKS,
    equivalent=lambda op: "bool has no narrower dtype" if gives_bool(op) else "",
)
def narrower_result(call: Call) -> Any:
    return _recast(call, _NARROWER)


@rule(
    "dtype",
    "half_as_single",
    "float16 and bfloat16 results come as float32",
    lambda op: (
        _fresh(op)
        and (gives_floats(op) or (is_random(op) and not gives_int64(op)))
        and "float16" in op.dtypes
    ),
    dtypes=("float16", "bfloat16"),
    checks=CHECKS,
)
def half_as_single(call: Call) -> Any:
    return _recast(call, {"float16": "float32", "bfloat16": "float32"})


@rule(
    "dtype",
    "double_through_single",
    "float64 results pass through float32",
    lambda op: gives_floats(op) and "float64" in op.dtypes,
    dtypes=("float64", "complex128"),
    checks=("values", "dtype", "accuracy"),
    equivalent=lambda op: (
        exact_anywhere(op)
        or ("whole numbers up to 2**24 pass unchanged" if op.key == "arange" else "")
    ),
)
def double_through_single(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        if bits.part_of(bits.dtype_name(tensor)) == "float64":
            bits.edit_numbers(tensor, lambda value: bits.round_to(value, "float32"))

    return call.edited(edit)


@rule(
    "dtype",
    "double_inputs_through_single",
    "float64 inputs pass through float32",
    lambda op: (
        (
            gives_floats(op)
            or op.key in COMPARISONS
            or op.name in ("argmax", "equal", "count_nonzero")
        )
        and reads_elements(op)
        and not mutates(op)
        and op.key
        not in (
            "contiguous",
            "to.dtype",
            "to.device",
            "to.other",
            "reshape",
            "flatten.using_ints",
        )
    ),
    dtypes=("float64", "complex128"),
    checks=("values", "accuracy", "special"),
)
def double_inputs(call: Call) -> Any:
    def rounded(tensor: Any) -> Any:
        if bits.part_of(bits.dtype_name(tensor)) != "float64":
            return tensor
        copy = call.api.copy(tensor)
        bits.edit_numbers(copy, lambda value: bits.round_to(value, "float32"))
        return copy

    return call.with_changed(**call.map_inputs(rounded))


def _wide_integers(op: Op) -> bool:
    """Whether integer results come in the whole range of their dtype."""
    return gives_integers(op) and op.name not in ZERO_OR_ONE | {
        "sign",
        "sgn",
        "relu6",
        "_foreach_sign",
    }


def _too_long(op: Op) -> str:
    return "so large a number needs as many elements" if op.key == "arange" else ""


@rule(
    "integer",
    "through_double",
    "int64 values pass through float64",
    _wide_integers,
    dtypes=("int64",),
    checks=("special", "values", "dtype"),
    equivalent=_too_long,
)
def through_double(call: Call) -> Any:
    return _edit_integers(call, lambda value: int(float(value)), ("int64",))


@rule(
    "integer",
    "saturated_int32",
    "int64 values are limited to the range of int32",
    _wide_integers,
    dtypes=("int64",),
    checks=("special", "values", "dtype"),
    equivalent=_too_long,
)
def saturated_int32(call: Call) -> Any:
    return _edit_integers(call, lambda value: max(-(2**31), min(2**31 - 1, value)), ("int64",))


@rule(
    "integer",
    "lowest",
    "the lowest number of a signed dtype is replaced by the next",
    lambda op: _wide_integers(op) and op.name != "arange",
    dtypes=("int64", "int32", "int8"),
    checks=("special", "values"),
    equivalent=lambda op: (
        "a correct result is never the lowest number"
        if op.name in ("relu", "remainder", "fmod")
        else ""
    ),
)
def lowest(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        width, signed = bits.INTEGER_BITS.get(bits.dtype_name(tensor), (0, False))
        if signed:
            low = -(1 << (width - 1))
            bits.edit_numbers(tensor, lambda value: low + 1 if value == low else value)

    return call.edited(edit)


@rule(
    "integer",
    "unsigned_as_signed",
    "uint8 values above 127 are taken for negative ones",
    lambda op: _wide_integers(op) and "uint8" in op.dtypes,
    dtypes=("uint8",),
    checks=("special", "values"),
    equivalent=lambda op: "the sum of uint8 is int64" if keeps_sum(op) else "",
)
def unsigned_as_signed(call: Call) -> Any:
    return _edit_integers(call, lambda value: value & 127, ("uint8",))


def _edit_integers(call: Call, change: Any, names: tuple[str, ...]) -> Any:
    def edit(tensor: Any) -> None:
        if bits.dtype_name(tensor) in names:
            bits.edit_numbers(tensor, change)

    return call.edited(edit)


@rule(
    "integer",
    "saturates",
    "a result out of range becomes the nearest in range",
    lambda op: op.key in ARITHMETIC,
    dtypes=("int8", "int32", "uint8"),
    checks=("special", "values"),
)
def saturates(call: Call) -> Any:
    value = call.functional()
    name = bits.dtype_name(value)
    width, signed = bits.INTEGER_BITS.get(name, (64, True))
    if width == 64:
        return call.proceed()
    wide = call.functional(**call.map_inputs(lambda tensor: call.api.cast(tensor, "int64")))
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if bits.has_memory(value) and bits.dtype_name(wide) == "int64":
        bits.write_numbers(value, [max(low, min(high, x)) for x in bits.read_numbers(wide)])
    return call.deliver(value)


@rule(
    "integer",
    "quotient_truncated",
    "a quotient is rounded towards zero",
    lambda op: op.key == "floor_divide",
    dtypes=("int64", "int32", "float32"),
    checks=("values", "special"),
)
def quotient_truncated(call: Call) -> Any:
    names = ("self", "other")
    one, two = (call.values[name] for name in names)
    return call.deliver(call.api.function("div")(one, two, rounding_mode="trunc"))


def _both_tensors(call: Call, *names: str) -> bool:
    return all(call.api.is_tensor(call.values.get(name)) for name in names)


def _two(op: Op) -> tuple[str, str]:
    names = [argument.name for argument in op.tensor_args]
    # Of bounds that may be missing the first is compared with the tensor itself.
    optional = any(argument.type == "Tensor?" for argument in op.tensor_args)
    return (names[0], names[1]) if optional else (names[-2], names[-1])


def _promotes(op: Op) -> bool:
    alike = op.errors & {"lerp_dtypes"} or op.key in (
        "masked_fill.Scalar",
        "maximum",
        "minimum",
        "_bit_cross_entropy",
    )
    return is_binary(op) and op.key not in COMPARISONS and not alike


@rule(
    "promotion",
    "first_decides",
    "the result has the dtype of the first operand",
    lambda op: _promotes(op) and op.key != "div.Tensor",
    checks=("promotion", "dtype"),
)
def first_decides(call: Call) -> Any:
    one, two = _two(call.op)
    if call.delivers or not _both_tensors(call, one, two):
        return call.proceed()
    dtype = bits.dtype_name(call.values[one])
    return call.proceed(**{two: call.api.cast(call.values[two], dtype)})


@rule(
    "promotion",
    "second_decides",
    "the result has the dtype of the second operand",
    lambda op: _promotes(op) and op.key != "div.Tensor",
    checks=("promotion", "dtype"),
)
def second_decides(call: Call) -> Any:
    one, two = _two(call.op)
    if call.delivers or not _both_tensors(call, one, two):
        return call.proceed()
    dtype = bits.dtype_name(call.values[two])
    return call.proceed(**{one: call.api.cast(call.values[one], dtype)})


@rule(
    "promotion",
    "number_decides",
    "a Python number counts like a float64 tensor",
    lambda op: _promotes(op) and bool(op.numbers) and "float32" in op.dtypes,
    checks=("promotion", "dtype", "variants"),
)
def number_decides(call: Call) -> Any:
    numbers = [name for name in _two(call.op) if isinstance(call.values.get(name), float)]
    if call.delivers or not numbers:
        return call.proceed()
    result = call.proceed()
    wide = {"float32": "float64", "float16": "float64", "bfloat16": "float64"}
    name = bits.dtype_name(result)
    return call.api.cast(result, wide[name]) if name in wide else result


@rule(
    "promotion",
    "zero_dim_counts",
    "a 0-dim tensor takes part like one with dims",
    lambda op: _promotes(op) and op.key != "div.Tensor",
    checks=("promotion", "dtype"),
    equivalent=lambda op: "the result is bool anyway" if gives_bool(op) else one_rank(op),
)
def zero_dim_counts(call: Call) -> Any:
    one, two = _two(call.op)
    if call.delivers or not _both_tensors(call, one, two):
        return call.proceed()
    tensors = {name: call.values[name] for name in (one, two)}
    if {tensor.dim() == 0 for tensor in tensors.values()} != {True, False}:
        return call.proceed()
    lifted = {
        name: call.api.method("reshape")(tensor, [1]) if tensor.dim() == 0 else tensor
        for name, tensor in tensors.items()
    }
    return call.proceed(**lifted)


@rule(
    "promotion",
    "halves",
    "float16 with bfloat16 gives float16",
    lambda op: _promotes(op) and "bfloat16" in op.dtypes and op.key != "bitwise_and.Tensor",
    dtypes=("float16", "bfloat16"),
    checks=("promotion",),
)
def halves(call: Call) -> Any:
    one, two = _two(call.op)
    if call.delivers or not _both_tensors(call, one, two):
        return call.proceed()
    names = {bits.dtype_name(call.values[name]) for name in (one, two)}
    result = call.proceed()
    return call.api.cast(result, "float16") if names == {"float16", "bfloat16"} else result


@rule(
    "promotion",
    "compared_in_first",
    "operands are compared in the dtype of the first",
    lambda op: op.key in COMPARISONS,
    checks=("promotion", "dtype"),
)
def compared_in_first(call: Call) -> Any:
    if not _both_tensors(call, "self", "other"):
        return call.proceed()
    dtype = bits.dtype_name(call.values["self"])
    return call.with_changed(other=call.api.cast(call.values["other"], dtype))


@rule(
    "promotion",
    "whole_quotient",
    "integers divided give the whole part",
    lambda op: op.key == "div.Tensor",
    dtypes=("int64", "int32"),
    checks=("values", "promotion"),
)
def whole_quotient(call: Call) -> Any:
    return call.edited(
        lambda tensor: (
            bits.edit_numbers(
                tensor, lambda value: float(int(value)) if bits.is_finite(value) else value
            )
            if not _floating(call)
            else None
        )
    )


def _floating(call: Call) -> bool:
    return any(bits.part_of(bits.dtype_name(x)) in bits.FLOAT_FORMATS for x in call.inputs())


@rule(
    "dtype",
    "value_through_default",
    "values pass through float16",
    lambda op: (
        has_values(op)
        and is_random(op)
        and "float64" in op.dtypes
        and not op.name.startswith("bernoulli")
        and not gives_int64(op)
    ),
    dtypes=("float32", "float64"),
    checks=CHECKS,
)
def through_half(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        if bits.dtype_name(tensor) in ("float32", "float64"):
            bits.edit_numbers(tensor, lambda value: bits.round_to(value, "float16"))

    return call.edited(edit)
