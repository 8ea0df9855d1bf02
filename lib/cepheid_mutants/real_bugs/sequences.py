"""Bugs of running sums, sorting and random numbers."""

from __future__ import annotations

from typing import Any

from .. import bits
from ..calls import Call
from .registry import bug, is_strided, lines, read_as_contiguous, replaced

RANDOM = ("values", "layouts", "sizes", "determinism")


@bug(
    "cumsum",
    "layout",
    "tile-ai/tilelang#2523",
    "a part of a wider matrix is scanned with the width of the part",
    checks=("layouts",),
    held_out=True,
)
def wrong_pitch(call: Call) -> Any:
    return replaced(call, "self", lambda x: read_as_contiguous(call, x))


@bug(
    "cumsum",
    "size",
    "pytorch/pytorch#143486",
    "rows that begin beyond what an index counts are scanned from another row",
    checks=("sizes",),
    held_out=True,
)
def far_rows(call: Call) -> Any:
    """The index counted to 2**32 elements; here it counts to 2**12."""

    def edit(tensor: Any) -> None:
        if tensor.dim() == 2 and tensor.numel() > 4096:
            start = 4096 // tensor.shape[1] * tensor.shape[1]
            parts = 2 if bits.dtype_name(tensor) in bits.COMPLEX_PARTS else 1
            cut = start * parts
            bits.edit_bits(tensor, lambda found: found[:cut] + found[: len(found) - cut])

    return call.edited(edit)


def _reordered(call: Call, order_of: Any) -> Any:
    """Sorted results with the places of each line exchanged by `order_of(sorted numbers)`."""
    x = call.values["self"]
    value = call.functional()
    items = call.results(value)
    if not items or not bits.has_memory(x) or not bits.can_decode(bits.dtype_name(x)):
        return call.proceed()
    given = bits.read_numbers(x)
    indices = bits.read_numbers(items[-1])
    read = [bits.read_bits(item) for item in items]
    for line in lines(list(x.shape) or [1], call.values.get("dim", -1)):
        order = order_of([given[line[indices[place]]] for place in line])
        for item in read:
            moved = [item[line[place]] for place in order]
            for place, found in zip(line, moved, strict=True):
                item[place] = found
    for item, found in zip(items, read, strict=True):
        bits.write_bits(item, found)
    return call.deliver(value)


@bug(
    "argsort",
    "size",
    "pytorch/pytorch#15764",
    "rows of 2,048 and more are sorted in pieces that are not merged",
    checks=("sizes",),
    held_out=True,
)
def unmerged(call: Call) -> Any:
    def halves(row: list[Any]) -> list[int]:
        places = list(range(len(row)))
        return places[1024:] + places[:1024] if len(row) >= 2048 else places

    return _reordered(call, halves)


@bug(
    "sort",
    "order",
    "NVIDIA/thrust#1637",
    "a NaN stays between smaller and larger numbers",
    dtypes=("float32", "float64"),
    checks=("order", "special"),
    held_out=True,
)
def nan_between(call: Call) -> Any:
    def middle(row: list[Any]) -> list[int]:
        strange = [place for place, value in enumerate(row) if value != value]
        rest = [place for place, value in enumerate(row) if value == value]
        half = len(rest) // 2
        return rest[:half] + strange + rest[half:]

    return _reordered(call, middle)


@bug(
    "sort.stable",
    "order",
    "PaddlePaddle/Paddle#40739",
    "what follows a NaN is not sorted",
    dtypes=("float32", "float64"),
    checks=("order", "special"),
    held_out=True,
)
def unsorted_after_nan(call: Call) -> Any:
    def stop(row: list[Any]) -> list[int]:
        places = list(range(len(row)))
        return places[::-1] if any(value != value for value in row) else places

    return _reordered(call, stop)


@bug(
    "normal_",
    "random",
    "pytorch/pytorch#75281",
    "a transposed tensor receives other numbers than a plain one",
    checks=RANDOM,
    held_out=True,
)
def layout_dependent(call: Call) -> Any:
    x = call.values["self"]
    result = call.proceed()
    if is_strided(x):
        parts = 2 if bits.dtype_name(x) in bits.COMPLEX_PARTS else 1
        found = bits.read_bits(x)
        bits.write_bits(x, found[parts:] + found[:parts])
    return result


@bug(
    "bernoulli",
    "random",
    "pytorch/pytorch#15356",
    "probability zero sometimes gives one",
    checks=RANDOM,
    held_out=True,
)
def zero_drawn(call: Call) -> Any:
    x = call.values["self"]
    given = bits.read_numbers(x) if bits.has_memory(x) else []

    def edit(tensor: Any) -> None:
        if bits.has_memory(tensor):
            found = bits.read_numbers(tensor)
            for place, chance in enumerate(given):
                if chance == 0 and place % 37 == 3:
                    found[place] = 1.0
            bits.write_numbers(tensor, found)

    return call.edited(edit)


@bug(
    "bernoulli",
    "layout",
    "pytorch/pytorch#9917",
    "expanded probabilities are read beyond their memory",
    checks=("layouts", "values"),
    held_out=True,
)
def expanded_chances(call: Call) -> Any:
    x = call.values["self"]
    if not is_strided(x) or 0 not in list(x.stride()):
        return call.proceed()
    count = len(bits.read_bits(x))
    return call.proceed(self=call.api.filled(x, [0] * count))


@bug(
    "uniform_",
    "layout",
    "pytorch/pytorch#191193",
    "into a strided view only part of the numbers is written",
    checks=RANDOM,
    held_out=True,
)
def half_written(call: Call) -> Any:
    x = call.values["self"]
    before = bits.read_bits(x) if bits.has_memory(x) else []
    strided = is_strided(x)
    result = call.proceed()
    if strided:
        now = bits.read_bits(x)
        bits.write_bits(
            x,
            [
                old if place % 2 else new
                for place, (old, new) in enumerate(zip(before, now, strict=True))
            ],
        )
    return result


@bug(
    "randperm",
    "size",
    "pytorch/pytorch#59756",
    "long permutations end in zeros",
    checks=("sizes", "values"),
    held_out=True,
)
def zero_end(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        if tensor.numel() > 1000:
            bits.edit_bits(tensor, lambda found: found[:1000] + [0] * (len(found) - 1000))

    return call.edited(edit)


@bug(
    "rand",
    "random",
    "lakehq/sail#530",
    "all rows of a seeded draw are the same",
    checks=RANDOM,
    held_out=True,
)
def same_rows(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        if tensor.dim() > 1 and bits.has_memory(tensor):
            found = bits.read_bits(tensor)
            row = len(found) // tensor.shape[0]
            bits.write_bits(tensor, found[:row] * tensor.shape[0])

    return call.edited(edit)
