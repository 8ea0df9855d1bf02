"""Class `order`: ties, stability, the place of NaN."""

from __future__ import annotations

import itertools
import math
from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import rule
from ..schema import Op

CHECKS = ("order", "special", "values")


def _sorts(op: Op) -> bool:
    return op.name in ("sort", "argsort")


def _lines(x: Any, dim: int) -> list[list[int]]:
    """Flat positions of each line along a dim."""
    shape = list(x.shape) or [1]
    dim %= len(shape)
    steps = [math.prod(shape[place + 1 :]) for place in range(len(shape))]
    outer = [range(size) if place != dim else range(1) for place, size in enumerate(shape)]
    return [
        [
            sum(i * s for i, s in zip(start, steps, strict=True)) + along * steps[dim]
            for along in range(shape[dim])
        ]
        for start in itertools.product(*outer)
    ]


def _reordered(call: Call, choose: Any) -> Any:
    """Permute indices and values of each sorted line by what `choose(line values)` says."""
    x = call.values["self"]
    value = call.functional()
    items = call.results(value)
    if not items or not bits.has_memory(items[0]) or not bits.can_decode(bits.dtype_name(x)):
        return call.proceed()
    data = bits.read_numbers(x)
    indices = bits.read_numbers(items[-1])
    read = [bits.read_bits(item) for item in items]
    for line in _lines(x, call.values.get("dim", -1)):
        ordered = [data[line[indices[place]]] for place in line]
        order = choose(ordered)
        for item in read:
            moved = [item[line[place]] for place in order]
            for place, found in zip(line, moved, strict=True):
                item[place] = found
    for item, found in zip(items, read, strict=True):
        bits.write_bits(item, found)
    return call.deliver(value)


@rule(
    "order",
    "unstable",
    "equal elements come in reverse order",
    lambda op: op.key == "sort.stable",
    checks=CHECKS,
)
def unstable(call: Call) -> Any:
    def choose(ordered: list[Any]) -> list[int]:
        groups = itertools.groupby(range(len(ordered)), lambda place: repr(ordered[place] + 0))
        return [place for _, group in groups for place in reversed(list(group))]

    return _reordered(call, choose) if call.values.get("stable") else call.proceed()


@rule(
    "order",
    "nan_first",
    "NaN is sorted before all numbers",
    _sorts,
    dtypes=("float32", "float64"),
    checks=CHECKS,
)
def nan_first(call: Call) -> Any:
    def choose(ordered: list[Any]) -> list[int]:
        strange = [place for place, value in enumerate(ordered) if value != value]
        return strange + [place for place in range(len(ordered)) if place not in set(strange)]

    return _reordered(call, choose) if not call.values.get("descending") else call.proceed()


@rule("order", "neighbours", "the last two of each line are exchanged", _sorts, checks=CHECKS)
def neighbours(call: Call) -> Any:
    def choose(ordered: list[Any]) -> list[int]:
        places = list(range(len(ordered)))
        return places[:-2] + places[:-3:-1] if len(places) > 1 else places

    return _reordered(call, choose)


@rule("order", "indices_sorted", "indices are those of the sorted elements", _sorts, checks=CHECKS)
def indices_sorted(call: Call) -> Any:
    x = call.values["self"]
    value = call.functional()
    indices = call.results(value)[-1]
    if bits.has_memory(indices):
        found = bits.read_numbers(indices)
        for line in _lines(x, call.values.get("dim", -1)):
            for along, place in enumerate(line):
                found[place] = along
        bits.write_numbers(indices, found)
    return call.deliver(value)


@rule(
    "order",
    "last_tie",
    "of equal elements the last is named",
    lambda op: op.name == "argmax",
    checks=CHECKS,
)
def last_tie(call: Call) -> Any:
    return _named(call, lambda line: max(range(len(line)), key=lambda i: (_key(line[i]), i)))


@rule(
    "order",
    "nan_skipped",
    "NaN is never named",
    lambda op: op.name == "argmax",
    dtypes=("float32", "float64"),
    checks=CHECKS,
)
def nan_skipped(call: Call) -> Any:
    def choose(line: list[Any]) -> int:
        known = [i for i in range(len(line)) if line[i] == line[i]] or [0]
        return max(known, key=lambda i: (_key(line[i]), -i))

    return _named(call, choose)


@rule(
    "order",
    "last_nan",
    "of several NaN the last is named",
    lambda op: op.name == "argmax",
    dtypes=("float32", "float64"),
    checks=CHECKS,
)
def last_nan(call: Call) -> Any:
    def choose(line: list[Any]) -> int:
        strange = [i for i in range(len(line)) if line[i] != line[i]]
        return strange[-1] if strange else max(range(len(line)), key=lambda i: (_key(line[i]), -i))

    return _named(call, choose)


def _key(value: Any) -> tuple[bool, Any]:
    return (True, 0) if value != value else (False, value)


def _named(call: Call, choose: Any) -> Any:
    x = call.values["self"]
    value = call.functional()
    if not bits.has_memory(value) or not bits.can_decode(bits.dtype_name(x)):
        return call.proceed()
    data = bits.read_numbers(x)
    dim = call.values.get("dim")
    lines = [list(range(len(data)))] if dim is None else _lines(x, dim)
    bits.write_numbers(value, [choose([data[place] for place in line]) for line in lines])
    return call.deliver(value)


@rule(
    "order",
    "duplicates_once",
    "of several values for one place only the last is added",
    lambda op: op.key == "index_put",
    checks=("arguments", "values"),
)
def duplicates_once(call: Call) -> Any:
    if not call.values.get("accumulate"):
        return call.proceed()
    add = call.api.function("add")
    changed = call.functional(accumulate=False)
    base = call.values["self"]
    picked = call.api.method("__getitem__")(
        base, tuple(slice(None) if item is None else item for item in call.values["indices"])
    )
    total = add(picked, call.values["values"])
    once = call.functional(accumulate=False, values=total)
    return call.deliver(once if list(once.shape) == list(changed.shape) else changed)
