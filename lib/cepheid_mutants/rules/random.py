"""Class `random`: seeds, generators, ranges and distributions."""

from __future__ import annotations

from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import rule
from ..schema import Op
from ..traits import is_random

CHECKS = ("values", "determinism", "freshness", "replay", "arguments", "sizes")
_CONTINUOUS = ("rand", "randn", "uniform_", "normal_")


def _continuous(op: Op) -> bool:
    return op.name in _CONTINUOUS


@rule("random", "seed_ignored", "what is drawn doesn't follow the seed", is_random, checks=CHECKS)
def seed_ignored(call: Call) -> Any:
    call.memory.calls += 1
    result = call.proceed()
    extra = call.memory.calls % 7

    def turn(found: list[int]) -> list[int]:
        shift = extra % max(len(found), 1)
        return found[shift:] + found[:shift]

    for tensor in call.owned(result):
        parts = 2 if bits.dtype_name(tensor) in bits.COMPLEX_PARTS else 1
        if parts == 1:
            bits.edit_bits(tensor, turn)
    return result


@rule(
    "random",
    "generator_ignored",
    "a generator that is given is not used",
    lambda op: is_random(op) and op.has("generator"),
    checks=CHECKS,
)
def generator_ignored(call: Call) -> Any:
    if call.values.get("generator") is None:
        return call.proceed()
    return call.proceed(generator=None)


@rule("random", "repeats", "the second half repeats the first", is_random, checks=CHECKS)
def repeats(call: Call) -> Any:
    def again(found: list[int]) -> list[int]:
        half = len(found) // 2
        return found[:half] + found[: len(found) - half]

    return call.edited(lambda tensor: bits.edit_bits(tensor, again))


@rule("random", "scaled", "the spread is too large by a tenth", _continuous, checks=CHECKS)
def scaled(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_numbers(tensor, lambda value: value * 1.1))


@rule("random", "shifted", "the mean is off by a twentieth", _continuous, checks=CHECKS)
def shifted(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_numbers(tensor, lambda value: value + 0.05))


@rule(
    "random",
    "positive",
    "only magnitudes are drawn",
    lambda op: op.name in ("randn", "normal_"),
    checks=CHECKS,
)
def positive(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_numbers(tensor, abs))


@rule(
    "random",
    "upper_included",
    "the upper bound can be drawn",
    lambda op: op.name in ("randint", "random_"),
    checks=CHECKS,
)
def upper_included(call: Call) -> Any:
    name = "high" if "high" in call.values else "to"
    top = call.values.get(name)
    if not isinstance(top, int):
        return call.proceed()

    def spoil(tensor: Any) -> None:
        if tensor.numel() > 20 and bits.has_memory(tensor):
            found = bits.read_numbers(tensor)
            found[7] = top
            bits.write_numbers(tensor, found)

    return call.edited(spoil)


@rule(
    "random",
    "lower_never",
    "the lower bound is never drawn",
    lambda op: op.name in ("randint", "random_"),
    checks=CHECKS,
)
def lower_never(call: Call) -> Any:
    low = call.values.get("low", call.values.get("from", 0))
    top = call.values.get("high", call.values.get("to"))
    if not isinstance(top, int) or top - low < 2:
        return call.proceed()
    return call.edited(
        lambda tensor: bits.edit_numbers(tensor, lambda value: low + 1 if value == low else value)
    )


@rule(
    "random",
    "one_draw",
    "every row is the first row",
    lambda op: is_random(op) and op.name != "randperm",
    checks=CHECKS,
)
def one_draw(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        if tensor.dim() < 2 or tensor.numel() == 0:
            return
        row = tensor.numel() // tensor.shape[0]
        parts = 2 if bits.dtype_name(tensor) in bits.COMPLEX_PARTS else 1
        row *= parts
        bits.edit_bits(tensor, lambda found: found[:row] * tensor.shape[0])

    return call.edited(edit)


@rule(
    "random",
    "probability_turned",
    "true is drawn with one minus the probability",
    lambda op: op.name == "bernoulli",
    checks=CHECKS,
)
def probability_turned(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_numbers(tensor, lambda value: 1 - value))


@rule(
    "random",
    "not_permuted",
    "the numbers come in order",
    lambda op: op.name == "randperm",
    checks=CHECKS,
)
def not_permuted(call: Call) -> Any:
    def ordered(tensor: Any) -> None:
        if bits.has_memory(tensor):
            bits.write_numbers(tensor, sorted(bits.read_numbers(tensor)))

    return call.edited(ordered)


@rule("random", "twice", "one number comes twice", lambda op: op.name == "randperm", checks=CHECKS)
def twice(call: Call) -> Any:
    return call.edited(lambda tensor: bits.edit_bits(tensor, lambda found: [*found[:-1], found[0]]))
