"""Class `size`: tails, tiles and long dims."""

from __future__ import annotations

from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import family_of_rules, rule
from ..schema import Op
from ..traits import (
    SINGLE,
    gives_zeros,
    has_plain_values,
    is_reduction,
    same_when_rearranged,
)

CHECKS = ("sizes", "values")
_THRESHOLDS = ("1024", "4096", "65536")
_TILES = ("8", "32", "256")


def _many(op: Op) -> bool:
    return has_plain_values(op) and op.key not in SINGLE


def _per(fault: Any) -> Any:
    return lambda op: fault if _many(op) else ()


def _is_zero(op: Op, parameter: str) -> str:
    return gives_zeros(op)


def _parts(tensor: Any) -> int:
    return 2 if bits.dtype_name(tensor) in bits.COMPLEX_PARTS else 1


def _zeroed(call: Call, first: Any) -> Any:
    """Zero what comes from element `first(n)` on."""

    def edit(tensor: Any) -> None:
        parts = _parts(tensor)

        def change(found: list[int]) -> list[int]:
            start = first(len(found) // parts) * parts
            return found[:start] + [0] * (len(found) - start)

        bits.edit_bits(tensor, change)

    return call.edited(edit)


@family_of_rules(
    "size",
    "tail_*_zero",
    "the elements after the last whole vector of * are zero",
    _per(_TILES),
    checks=CHECKS,
    equivalent=_is_zero,
)
def tail_zero(parameter: str) -> Any:
    tile = int(parameter)
    return lambda call: _zeroed(call, lambda n: n if n < tile else n - n % tile)


@rule(
    "size",
    "tail_16_unwritten",
    "the elements after the last whole vector of 16 keep what the memory held",
    _many,
    checks=CHECKS,
)
def tail_unwritten(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        parts = _parts(tensor)

        def change(found: list[int]) -> list[int]:
            start = len(found) - len(found) % (16 * parts)
            return found[:start] + [item ^ 1 for item in found[start:]]

        if tensor.numel() > 16:
            bits.edit_bits(tensor, change)

    return call.edited(edit)


@family_of_rules(
    "size",
    "beyond_*",
    "the elements after the first * are zero",
    _per(_THRESHOLDS),
    checks=CHECKS,
    equivalent=_is_zero,
)
def beyond(parameter: str) -> Any:
    limit = int(parameter)
    return lambda call: _zeroed(call, lambda n: min(n, limit))


@rule(
    "size",
    "last_row",
    "the last row repeats the one before",
    _many,
    checks=CHECKS,
    equivalent=same_when_rearranged,
)
def last_row(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        if tensor.dim() < 1 or tensor.shape[0] < 2:
            return
        row = tensor.numel() // tensor.shape[0] * _parts(tensor)
        bits.edit_bits(tensor, lambda found: found[:-row] + found[-2 * row : -row])

    return call.edited(edit)


@rule("size", "last_element", "the last element is not computed", _many, checks=CHECKS)
def last_element(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        bits.edit_bits(tensor, lambda found: [*found[:-1], found[-1] ^ 1])

    return call.edited(edit)


@rule(
    "size",
    "second_block",
    "the second block of 1,024 elements repeats the first",
    _many,
    checks=CHECKS,
    equivalent=same_when_rearranged,
)
def second_block(call: Call) -> Any:
    def change(found: list[int]) -> list[int]:
        again = found[: max(0, min(1024, len(found) - 1024))]
        return found[:1024] + again + found[1024 + len(again) :]

    return call.edited(lambda tensor: bits.edit_bits(tensor, change))


def _folds(op: Op) -> bool:
    return is_reduction(op) and op.has("self")


@family_of_rules(
    "size",
    "folds_whole_*",
    "of the folded elements only whole vectors of * are taken",
    lambda op: ("4", "32", "256") if _folds(op) else (),
    checks=CHECKS,
)
def folds_whole(parameter: str) -> Any:
    tile = int(parameter)
    return lambda call: _folded(call, lambda n: n if n < tile else n - n % tile)


@family_of_rules(
    "size",
    "folds_first_*",
    "of the folded elements only the first * are taken",
    lambda op: ("1024", "4096") if _folds(op) else (),
    checks=CHECKS,
)
def folds_first(parameter: str) -> Any:
    limit = int(parameter)
    return lambda call: _folded(call, lambda n: min(n, limit))


def _folded(call: Call, taken: Any) -> Any:
    """The fold of the first `taken(n)` elements of the folded dim, or of all as one line."""
    x = call.values["self"]
    dim = call.values.get("dim")
    dim = dim[0] if isinstance(dim, (list, tuple)) and len(dim) == 1 else dim
    if x.dim() == 0 or not bits.has_memory(x):
        return call.proceed()
    if isinstance(dim, int) and not isinstance(dim, bool):
        return _cut(call, x, dim, taken) if -x.dim() <= dim < x.dim() else call.proceed()
    if dim or x.dim() != 1:
        return call.proceed()
    return _cut(call, x, 0, taken)


def _cut(call: Call, x: Any, dim: int, taken: Any) -> Any:
    size = x.shape[dim]
    if taken(size) == size:
        return call.proceed()
    index = (slice(None),) * (dim % x.dim()) + (slice(0, taken(size)),)
    return call.with_changed(self=call.api.method("__getitem__")(x, index))


@rule(
    "size",
    "inner_64",
    "of the inner dim of a product only the first 64 terms are taken",
    lambda op: op.family == "matmul",
    checks=CHECKS,
)
def inner_dim(call: Call) -> Any:
    one, two = (call.values[argument.name] for argument in call.op.args[:2])
    if min(one.dim(), two.dim()) < 1 or one.shape[-1] <= 64:
        return call.proceed()
    take = call.api.method("__getitem__")
    first = take(one, (slice(None),) * (one.dim() - 1) + (slice(0, 64),))
    lead = max(two.dim() - 2, 0)
    second = take(two, (slice(None),) * lead + (slice(0, 64),))
    names = [argument.name for argument in call.op.args[:2]]
    return call.with_changed(**dict(zip(names, (first, second), strict=True)))
