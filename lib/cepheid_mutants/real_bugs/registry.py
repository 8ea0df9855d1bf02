"""The list of re-made bugs, and what their re-makings share."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import Fault, Mutant

BUGS: list[Mutant] = []


def bug(
    op: str,
    fault_class: str,
    source: str,
    what: str,
    *,
    dtypes: tuple[str, ...] = (),
    checks: tuple[str, ...] = (),
    held_out: bool = False,
) -> Callable[[Fault], Fault]:
    """Register a re-made bug. `source` is tracker and number, such as `pytorch/pytorch#38922`;
    `held_out` marks those made without having read the suite's inputs for the op's family."""

    def register(fault: Fault) -> Fault:
        name = source.rpartition("/")[2].replace("#", "-")
        BUGS.append(
            Mutant(op, fault_class, name, what, fault, dtypes, checks, "", source, held_out)
        )
        return fault

    return register


def edited_lines(x: Any, dim: int, change: Callable[[list[Any]], list[Any]]) -> None:
    """Replace each line of numbers along a dim by what `change` makes of it."""
    if not bits.has_memory(x) or not bits.can_decode(bits.dtype_name(x)):
        return
    found = bits.read_numbers(x)
    for line in lines(list(x.shape) or [1], dim):
        for place, value in zip(line, change([found[i] for i in line]), strict=True):
            found[place] = value
    bits.write_numbers(x, found)


def lines(shape: list[int], dim: int) -> list[list[int]]:
    """Flat positions of each line along a dim."""
    dim %= len(shape)
    steps = [math.prod(shape[place + 1 :]) for place in range(len(shape))]
    outer = [range(size if place != dim else 1) for place, size in enumerate(shape)]
    starts = (
        sum(i * step for i, step in zip(place, steps, strict=True))
        for place in itertools.product(*outer)
    )
    return [[start + along * steps[dim] for along in range(shape[dim])] for start in starts]


def read_as_contiguous(call: Call, x: Any) -> Any:
    """The elements that lie one after another from the first element of `x`."""
    parts = 2 if bits.dtype_name(x) in bits.COMPLEX_PARTS else 1
    memory = bits.storage_bits(x)[x.storage_offset() * parts :]
    count = x.numel() * parts
    return call.api.filled(x, (memory * (count // max(len(memory), 1) + 1))[:count])


def is_strided(x: Any) -> bool:
    """Whether elements are readable and not one after another."""
    return bits.has_memory(x) and not x.is_contiguous()


def replaced(call: Call, name: str, change: Callable[[Any], Any]) -> Any:
    """The call with one tensor argument changed where it is strided."""
    x = call.values.get(name)
    if not call.api.is_tensor(x) or not is_strided(x):
        return call.proceed()
    return call.with_changed(**{name: change(x)})


def numbers_edited(call: Call, change: Callable[[list[Any], Any], None]) -> Any:
    """The call with the numbers of its result edited, knowing those of its first input."""
    first = call.values[call.op.first_tensor]
    known = bits.has_memory(first) and bits.can_decode(bits.dtype_name(first))
    given = bits.read_numbers(first) if known else []

    def edit(tensor: Any) -> None:
        if known and bits.has_memory(tensor) and bits.can_decode(bits.dtype_name(tensor)):
            found = bits.read_numbers(tensor)
            if len(found) == len(given):
                change(found, given)
                bits.write_numbers(tensor, found)

    return call.edited(edit)
