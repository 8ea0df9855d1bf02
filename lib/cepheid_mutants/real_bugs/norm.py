"""Bugs of softmax and layer normalisation."""

from __future__ import annotations

import math
from typing import Any

from .. import bits
from ..calls import Call
from .registry import bug, edited_lines, lines


@bug(
    "softmax.int",
    "size",
    "pytorch/pytorch#147284",
    "long float64 rows of odd length after the first are divided by twice their sum",
    dtypes=("float64",),
    checks=("sizes",),
    held_out=True,
)
def doubled_sum(call: Call) -> Any:
    x, dim = call.values["self"], call.values["dim"]
    name = bits.dtype_name(x)

    def edit(tensor: Any) -> None:
        size = tensor.shape[dim] if tensor.dim() > 1 else 0
        if size <= 512 or size % 2 == 0 or name != "float64" or not bits.has_memory(tensor):
            return
        found = bits.read_numbers(tensor)
        for line in lines(list(tensor.shape), dim)[1:]:
            for place in line:
                found[place] /= 2
        bits.write_numbers(tensor, found)

    return call.edited(edit)


@bug(
    "softmax.int",
    "accuracy",
    "tenstorrent/tt-metal#12661",
    "exponentials are taken without subtracting the maximum",
    dtypes=("float32",),
    checks=("special", "accuracy", "values"),
    held_out=True,
)
def unshifted(call: Call) -> Any:
    x, dim = call.values["self"], call.values["dim"]
    if not bits.has_memory(x) or bits.dtype_name(x) != "float32":
        return call.proceed()
    given = bits.read_numbers(x)
    rows = lines(list(x.shape) or [1], dim)
    broken = [line for line in rows if max(given[place] for place in line) > 88.7]

    def edit(tensor: Any) -> None:
        found = bits.read_numbers(tensor)
        for line in broken:
            for place in line:
                found[place] = math.nan if given[place] > 88.7 else 0.0
        bits.write_numbers(tensor, found)

    return call.edited(edit)


@bug(
    "softmax.int",
    "shape",
    "ariaghora/mint#3",
    "the last axis of rank three is taken for another",
    checks=("values", "shapes"),
    held_out=True,
)
def wrong_axis(call: Call) -> Any:
    rank, dim = call.values["self"].dim(), call.values["dim"]
    if rank == 3 and dim in (2, -1):
        return call.with_changed(dim=1)
    return call.proceed()


def _normalised(call: Call, change: Any) -> Any:
    """Layer normalisation with each row of the plain result replaced by `change(row, given)`."""
    x = call.values["input"]
    if not bits.has_memory(x):
        return call.proceed()
    call.proceed()  # what is wrong with the arguments is told by the op itself
    width = math.prod(call.values["normalized_shape"])
    name = bits.dtype_name(x)
    plain = call.functional(weight=None, bias=None)
    given, found = bits.read_numbers(x), bits.read_numbers(plain)
    for start in range(0, len(found), width):
        row = slice(start, start + width)
        found[row] = change(found[row], given[row], name)
    bits.write_numbers(plain, found)
    for key, op in (("weight", "mul"), ("bias", "add")):
        if call.values.get(key) is not None:
            plain = call.api.function(op)(plain, call.values[key])
    return plain


def _single(call: Call) -> bool:
    return bits.dtype_name(call.values["input"]) == "float32"


@bug(
    "layer_norm",
    "accuracy",
    "tracel-ai/burn#5607",
    "the variance is the mean of squares less the square of the mean, in float32",
    dtypes=("float32",),
    checks=("accuracy", "values"),
    held_out=True,
)
def difference_of_squares(call: Call) -> Any:
    eps = call.values.get("eps", 1e-5)

    def again(row: list[float], given: list[float], name: str) -> list[float]:
        mean = bits.round_to(math.fsum(given) / len(given), name)
        squares = bits.round_to(math.fsum(v * v for v in given) / len(given), name)
        variance = max(squares - bits.round_to(mean * mean, name), 0.0)
        return [(value - mean) / math.sqrt(variance + eps) for value in given]

    return _normalised(call, again) if _single(call) and _finite(call) else call.proceed()


def _finite(call: Call) -> bool:
    x = call.values["input"]
    return not bits.has_memory(x) or all(abs(v) < 1e18 for v in bits.read_numbers(x))


@bug(
    "layer_norm",
    "special",
    "microsoft/onnxruntime#28463",
    "rows of large numbers close together give NaN",
    dtypes=("float32",),
    checks=("accuracy", "special", "values"),
    held_out=True,
)
def large_rows(call: Call) -> Any:
    def spoil(row: list[float], given: list[float], name: str) -> list[float]:
        low, high = min(given), max(given)
        return [math.nan] * len(row) if low > 500 and high - low < low / 500 else row

    return _normalised(call, spoil) if _single(call) else call.proceed()


@bug(
    "layer_norm",
    "special",
    "microsoft/onnxruntime#21935",
    "rows of equal numbers give NaN",
    dtypes=("float32",),
    checks=("special", "accuracy", "shapes", "values"),
    held_out=True,
)
def equal_rows(call: Call) -> Any:
    def spoil(row: list[float], given: list[float], name: str) -> list[float]:
        return [math.nan] * len(row) if len(row) > 1 and len(set(given)) == 1 else row

    return _normalised(call, spoil)


@bug(
    "layer_norm",
    "special",
    "pytorch/pytorch#162489",
    "squares of huge numbers overflow, and the row becomes zero",
    dtypes=("float32",),
    checks=("special", "accuracy", "values"),
    held_out=True,
)
def huge_rows(call: Call) -> Any:
    def vanish(row: list[float], given: list[float], name: str) -> list[float]:
        huge = any(1e19 < abs(value) < math.inf for value in given)
        return [0.0] * len(row) if huge and all(map(math.isfinite, given)) else row

    return _normalised(call, vanish) if _single(call) else call.proceed()


@bug(
    "layer_norm",
    "accuracy",
    "pytorch/pytorch#51102",
    "rows with a mean of thousands are scaled by a wrong deviation",
    dtypes=("float32",),
    checks=("accuracy", "values"),
    held_out=True,
)
def shifted_rows(call: Call) -> Any:
    def scale(row: list[float], given: list[float], name: str) -> list[float]:
        mean = abs(math.fsum(given) / len(given))
        return [value * (1 + mean * mean * 1e-8) for value in row] if mean > 500 else row

    return _normalised(call, scale) if _single(call) and _finite(call) else call.proceed()


@bug(
    "softmax.int",
    "special",
    "tenstorrent/tt-xla#167",
    "only the first of each row is divided by the sum, the others by zero",
    checks=("values",),
    held_out=True,
)
def divided_by_zero(call: Call) -> Any:
    dim = call.values["dim"]

    def spoil(row: list[float]) -> list[float]:
        return [row[0], *[math.inf for _ in row[1:]]] if row else row

    return call.edited(lambda tensor: edited_lines(tensor, dim, spoil))
