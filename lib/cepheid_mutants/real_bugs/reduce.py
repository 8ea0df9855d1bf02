"""Bugs of reductions."""

from __future__ import annotations

import math
from typing import Any

from .. import bits
from ..calls import Call
from .registry import bug, is_strided, lines, read_as_contiguous, replaced

SPECIAL = ("special", "order", "values")


def _dims(call: Call) -> list[int]:
    x, dim = call.values["self"], call.values.get("dim")
    rank = max(x.dim(), 1)
    given = [dim] if isinstance(dim, int) else list(dim or range(rank))
    return sorted({item % rank for item in given})


def _rows(call: Call) -> list[list[Any]]:
    """The folded numbers of each element of the result, if one dim or all are folded."""
    x = call.values["self"]
    if not bits.has_memory(x) or not bits.can_decode(bits.dtype_name(x)):
        return []
    found, dims = bits.read_numbers(x), _dims(call)
    if len(dims) == max(x.dim(), 1):
        return [found]
    if len(dims) != 1 or len(found) != x.numel():
        return []
    return [[found[place] for place in line] for line in lines(list(x.shape), dims[0])]


def _by_row(call: Call, change: Any) -> Any:
    """Replace each number of the result by `change(number, row)`."""
    rows = _rows(call)

    def edit(tensor: Any) -> None:
        if bits.has_memory(tensor) and tensor.numel() == len(rows):
            old = bits.read_numbers(tensor)
            bits.write_numbers(
                tensor, [change(number, row) for number, row in zip(old, rows, strict=True)]
            )

    return call.edited(edit)


@bug("amax", "value", "cupy/cupy#8876", "the maximum of negative numbers is zero", held_out=True)
def maximum_from_zero(call: Call) -> Any:
    return call.edited(
        lambda tensor: bits.edit_numbers(tensor, lambda value: 0 if value < 0 else value)
    )


@bug(
    "argmax",
    "size",
    "pytorch/pytorch#38922",
    "over a dim of one, rows of a later chunk name the start of their chunk",
    checks=("sizes", "shapes"),
    held_out=True,
)
def chunk_start(call: Call) -> Any:
    x, dims = call.values["self"], _dims(call)
    if x.dim() < 2 or len(dims) != 1 or x.shape[dims[0]] != 1:
        return call.proceed()

    def edit(tensor: Any) -> None:
        if bits.has_memory(tensor):
            old = bits.read_numbers(tensor)
            bits.write_numbers(
                tensor, [value if place < 32400 else 32400 for place, value in enumerate(old)]
            )

    return call.edited(edit)


@bug(
    "argmax",
    "special",
    "jax-ml/jax#4640",
    "where NaN is largest an impossible index is named",
    dtypes=("float32",),
    checks=SPECIAL,
    held_out=True,
)
def impossible_index(call: Call) -> Any:
    return _by_row(call, lambda old, row: 2**31 - 1 if any(v != v for v in row) else old)


@bug(
    "argmax",
    "special",
    "ml-explore/mlx#4274",
    "NaN is skipped",
    dtypes=("float32",),
    checks=SPECIAL,
    held_out=True,
)
def nan_skipped(call: Call) -> Any:
    def best(old: int, row: list[Any]) -> int:
        known = [place for place, value in enumerate(row) if value == value]
        return max(known, key=lambda place: (row[place], -place)) if known else old

    return _by_row(call, best)


@bug(
    "argmax",
    "order",
    "pytorch/pytorch#41998",
    "of equal maxima a later one is named",
    checks=("order", "values"),
    held_out=True,
)
def later_tie(call: Call) -> Any:
    def last(old: int, row: list[Any]) -> int:
        return (
            max(place for place, value in enumerate(row) if value == row[old])
            if (0 <= old < len(row) and row[old] == row[old])
            else old
        )

    return _by_row(call, last)


@bug(
    "argmax",
    "value",
    "chainer/chainer#6742",
    "where all numbers are negative the index is -1",
    checks=("values", "special"),
    held_out=True,
)
def below_zero(call: Call) -> Any:
    return _by_row(call, lambda old, row: -1 if row and max(row) < 0 else old)


@bug(
    "argmax",
    "integer",
    "nv-legate/cupynumeric#985",
    "where an unsigned row is all zero the index is the lowest number",
    dtypes=("uint8",),
    checks=("special", "order", "values", "sizes"),
    held_out=True,
)
def all_identity(call: Call) -> Any:
    if bits.dtype_name(call.values["self"]) != "uint8":
        return call.proceed()
    return _by_row(call, lambda old, row: -(2**63) if not any(row) else old)


@bug(
    "sum.dim_IntList",
    "accuracy",
    "pytorch/pytorch#2391",
    "float16 partial sums along a dim are rounded to float16",
    dtypes=("float16",),
    checks=("sizes", "accuracy", "special"),
    held_out=True,
)
def half_partial_sums(call: Call) -> Any:
    if bits.dtype_name(call.values["self"]) != "float16" or call.values.get("dtype"):
        return call.proceed()

    def add_up(old: float, row: list[Any]) -> float:
        total = 0.0
        for value in row:
            total = bits.round_to(total + value, "float16")
        return total

    return _by_row(call, add_up)


@bug(
    "mean",
    "accuracy",
    "pytorch/pytorch#91597",
    "the sum of a float16 mean overflows before it is divided",
    dtypes=("float16",),
    checks=("sizes", "accuracy", "special"),
    held_out=True,
)
def mean_overflow(call: Call) -> Any:
    if bits.dtype_name(call.values["self"]) != "float16" or call.values.get("dtype"):
        return call.proceed()

    def divide(old: float, row: list[Any]) -> float:
        if not all(map(math.isfinite, row)) or not row:
            return old
        total = bits.round_to(math.fsum(row), "float16")
        return bits.round_to(total / len(row), "float16") if math.isinf(total) else old

    return _by_row(call, divide)


@bug(
    "sum",
    "layout",
    "ggml-org/llama.cpp#25568",
    "a permuted input is summed by memory",
    checks=("layouts", "values"),
    held_out=True,
)
def permuted_sum(call: Call) -> Any:
    return replaced(call, "self", lambda x: read_as_contiguous(call, x))


@bug(
    "sum.dim_IntList",
    "dtype",
    "pytorch/pytorch#5863",
    "uint8 sums along a dim stay uint8",
    dtypes=("uint8",),
    checks=("dtype", "values"),
    held_out=True,
)
def byte_sum(call: Call) -> Any:
    result = call.proceed()
    byte = bits.dtype_name(call.values["self"]) == "uint8" and not call.values.get("dtype")
    return call.api.cast(result, "uint8") if byte and not call.out else result


@bug(
    "sum",
    "integer",
    "pytorch/pytorch#5966",
    "sums of uint8 wrap at 256",
    dtypes=("uint8",),
    checks=("dtype", "values", "sizes"),
    held_out=True,
)
def wrapped_sum(call: Call) -> Any:
    if bits.dtype_name(call.values["self"]) != "uint8":
        return call.proceed()
    return call.edited(lambda tensor: bits.edit_numbers(tensor, lambda value: value % 256))


@bug(
    "sum.dim_IntList",
    "shape",
    "torch-spyre/torch-spyre#1707",
    "sums over all dims of a float16 tensor of rank five and more miss the last slice",
    dtypes=("float16",),
    checks=("shapes", "sizes", "values"),
    held_out=True,
)
def rank_five(call: Call) -> Any:
    x = call.values["self"]
    if x.dim() < 5 or len(_dims(call)) != x.dim() or bits.dtype_name(x) != "float16":
        return call.proceed()
    return _by_row(call, lambda old, row: math.fsum(row[: len(row) - len(row) // 2]))


@bug(
    "any.dim",
    "layout",
    "pytorch/pytorch#15058",
    "a strided line is read one element after another, as counted by bincount once",
    dtypes=("bool", "int64"),
    checks=("layouts", "values"),
    held_out=True,
)
def strided_line(call: Call) -> Any:
    x = call.values["self"]
    if not is_strided(x) or x.dim() != 1:
        return call.proceed()
    return call.with_changed(self=read_as_contiguous(call, x))
