"""Inputs of the random ops: sizes around the block of 16, seeds, generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import integer_range
from ..layouts import stepped
from ..oracle.random import Words
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .creation import negative_size

__all__ = ["negative_size"]

# Around a block and the generator's 624 words, and more than 16 bits count.
_SIZES = (15, 16, 31, 32, 33, 255, 624, 625, 1025, 4097, 40_003)
_SEEDS = (0, 1, 1234567, 2**32 + 5, 2**63 - 1)


def _shapes(draw: Draw) -> tuple[tuple[int, ...], ...]:
    return {
        "small": ((3, 5), (7,), (2, 3, 4), (17,)),
        "sizes": tuple((size,) for size in _SIZES),
        "shapes": ((), (1,), (0,), (0, 3), (1, 1), (2, 1, 3), (1, 2, 1, 2, 1, 2)),
    }.get(draw.kind, ())


def sizes_seeded(draw: Draw) -> Iterator[Sample]:
    """Sizes with the dtype named; seeds; a generator of one's own."""
    for number, shape in enumerate(_shapes(draw)):
        values: dict[str, Any] = {"size": list(shape), "dtype": draw.dtype}
        yield Sample(values, f"{list(shape)}", seed=100 + number)
    yield from _seeds(draw, {"size": [19], "dtype": draw.dtype})


def _seeds(draw: Draw, values: dict[str, Any]) -> Iterator[Sample]:
    """Each seed through the default generator, and one through a generator argument."""
    if draw.kind == "arguments":
        for seed in _SEEDS:
            yield Sample(values, f"seed {seed}", seed=seed)
        yield Sample({**values, "generator": 42}, "generator 42", seed=7)


def randint_high(draw: Draw) -> Iterator[Sample]:
    """An upper end that the dtype holds."""
    for sample in sizes_seeded(draw):
        yield Sample({"high": 100, **sample.values}, sample.note, sample.seed)


def randint(draw: Draw) -> Iterator[Sample]:
    """Both ends; spans on both sides of the two-word limit."""
    low = 0 if draw.info.kind == "unsigned" else -20
    for sample in sizes_seeded(draw):
        yield Sample({"low": low, "high": 100, **sample.values}, sample.note, sample.seed)
    if draw.kind == "dtype" and draw.dtype in ("int64", "int32"):
        for span in (2**28 - 1, 2**28, 2**31 - 1):
            values: dict[str, Any] = {"low": 0, "high": span, "size": [9], "dtype": draw.dtype}
            yield Sample(values, f"span {span}", seed=3)
    if draw.kind == "dtype" and draw.dtype == "int64":
        values = {"low": -(2**40), "high": 2**50, "size": [9], "dtype": "int64"}
        yield Sample(values, "a span beyond 32 bits", seed=3)


def randperm(draw: Draw) -> Iterator[Sample]:
    """Lengths that the dtype can count."""
    lengths = {"small": (7, 20), "sizes": (33, 100, 127), "shapes": (0, 1, 2)}.get(draw.kind, ())
    if draw.kind == "sizes" and draw.info.itemsize > 2:
        lengths = (*lengths, 1025, 4097, 40_003)
    for n in lengths:
        yield Sample({"n": n, "dtype": draw.dtype}, f"{n=}", seed=11)
    yield from _seeds(draw, {"n": 30, "dtype": draw.dtype})


def _targets(draw: Draw) -> Iterator[tuple[Tensor, str]]:
    for shape in _shapes(draw):
        yield draw.tensor(shape), f"{list(shape)}"
    if draw.kind == "arguments":
        yield stepped(draw.tensor((20,))), "step 2"


def uniform(draw: Draw) -> Iterator[Sample]:
    """Default and other bounds."""
    for number, (tensor, note) in enumerate(_targets(draw)):
        yield Sample({"self": tensor}, note, seed=200 + number)
        values: dict[str, Any] = {"self": tensor, "from": -2.5, "to": 3.25}
        yield Sample(values, f"{note}, -2.5 to 3.25", seed=200 + number)
    if draw.kind == "arguments":
        # An end that float16 hasn't and float32 has: it is rounded as the values are, no further.
        values = {"self": draw.tensor((19,)), "from": 1.0, "to": 1 + 2.0**-11}
        yield Sample(values, "a narrow range", seed=5)
    yield from _seeds(draw, {"self": draw.tensor((19,))})


def normal(draw: Draw) -> Iterator[Sample]:
    """Default and other moments."""
    for number, (tensor, note) in enumerate(_targets(draw)):
        yield Sample({"self": tensor}, note, seed=300 + number)
        mean = 0.0 if draw.info.is_complex else 1.5
        values = {"self": tensor, "mean": mean, "std": 3.0}
        yield Sample(values, f"{note}, {mean=}, std 3", seed=300 + number)
    if draw.kind == "arguments":
        for size in (5, 20):
            for std in (0.0, 0.5, 1.0):
                values = {"self": draw.tensor((size,)), "mean": 2.5, "std": std}
                yield Sample(values, f"[{size}], mean 2.5, {std=}", seed=17)
    yield from _seeds(draw, {"self": draw.tensor((19,))})


# Ends of which the last integer before them rounds up to them, and a large one that is exact.
_INEXACT_ENDS = {
    "float16": ((-4096, -2048),),
    "bfloat16": ((-512, -256),),
    "float32": ((0, 2**44), (-(2**25), -(2**24))),
    "float64": ((0, 2**50 + 1),),
}


def random_from(draw: Draw) -> Iterator[Sample]:
    """Both ends, and up to the dtype's own end."""
    for number, (tensor, note) in enumerate(_targets(draw)):
        yield Sample({"self": tensor, "from": 3, "to": 90}, note, seed=400 + number)
    if draw.kind == "dtype":
        values = {"self": draw.tensor((9,)), "from": 5, "to": None}
        yield Sample(values, "without an end", seed=5)
        for start, end in _INEXACT_ENDS.get(draw.dtype, ()):
            values = {"self": draw.tensor((60,)), "from": start, "to": end}
            yield Sample(values, f"from {start} to {end}", seed=6)
    yield from _seeds(draw, {"self": draw.tensor((19,)), "from": 0, "to": 50})


def probabilities(draw: Draw) -> Iterator[Sample]:
    """Probabilities from 0 to 1, both ends among them."""
    for number, shape in enumerate(_shapes(draw)):
        tensor = draw.tensor(shape, "unit")
        data = tensor.data.copy()
        data.ravel()[::5] = 0
        data.ravel()[1::5] = 1
        yield Sample({"self": tensor.replaced(data)}, f"{list(shape)}", seed=500 + number)
    if draw.kind == "arguments" and draw.info.itemsize > 2:
        # The very draws of the seed: none of them lies below itself.
        data = Words(8).uniform(40, draw.dtype).astype(draw.info.carrier)
        yield Sample({"self": Tensor(draw.dtype, data)}, "p as drawn", seed=8)
    yield from _seeds(draw, {"self": draw.tensor((19,), "unit")})


# Errors.


def randint_empty_range_high(draw: Draw) -> Iterator[ErrorSample]:
    """Nothing lies below zero."""
    for high in (0, -3):
        values = {"high": high, "size": [2], "dtype": draw.dtype}
        yield ErrorSample(values, "RuntimeError", rf"randint: .*{high}", note=f"{high=}")


def randint_empty_range(draw: Draw) -> Iterator[ErrorSample]:
    """An end that isn't above the start."""
    values = {"low": 5, "high": 5, "size": [2], "dtype": draw.dtype}
    yield ErrorSample(values, "RuntimeError", r"randint: .*5.*5")


def randperm_negative(draw: Draw) -> Iterator[ErrorSample]:
    """A length below zero."""
    yield ErrorSample({"n": -1, "dtype": draw.dtype}, "RuntimeError", r"randperm: .*-1")


def randperm_too_large(draw: Draw) -> Iterator[ErrorSample]:
    """More numbers than the dtype can tell apart."""
    if draw.info.itemsize == 1 or draw.dtype == "float16":
        values = {"n": 70000, "dtype": draw.dtype}
        yield ErrorSample(values, "RuntimeError", r"randperm: .*70000")


def _not_floating(draw: Draw) -> Iterator[ErrorSample]:
    for dtype in ("int32", "int64"):
        values = {"self": Tensor(dtype, np.ones(3, dtype))}
        pattern = rf"{{op}}: expected a floating dtype; got {dtype}"
        yield ErrorSample(values, "NotImplementedError", pattern, note=dtype)


def uniform_bounds(draw: Draw) -> Iterator[ErrorSample]:
    """An end below the start; an end that is no number; a dtype without fractions."""
    yield from _not_floating(draw)
    values = {"self": draw.tensor((3,)), "from": 2.0, "to": 1.0}
    yield ErrorSample(values, "RuntimeError", r"uniform_: .*2.*1")
    values = {"self": draw.tensor((3,)), "from": 0.0, "to": float("inf")}
    yield ErrorSample(values, "RuntimeError", r"uniform_: .*inf", note="infinite")


def normal_negative_std(draw: Draw) -> Iterator[ErrorSample]:
    """A deviation below zero; a dtype without fractions."""
    yield from _not_floating(draw)
    values = {"self": draw.tensor((3,)), "mean": 0.0, "std": -1.0}
    yield ErrorSample(values, "RuntimeError", r"normal_: .*-1")


def random_from_empty(draw: Draw) -> Iterator[ErrorSample]:
    """An end that isn't above the start; a start that the dtype hasn't."""
    values: dict[str, Any] = {"self": draw.tensor((3,)), "from": 5, "to": 5}
    yield ErrorSample(values, "RuntimeError", r"random_: .*5.*5")
    if draw.info.is_integral and draw.dtype != "int64":
        lowest, highest = integer_range(draw.info)
        values = {"self": draw.tensor((3,)), "from": lowest - 1, "to": None}
        pattern = rf"random_: from must lie in {draw.dtype}; got {lowest - 1}"
        yield ErrorSample(values, "RuntimeError", pattern, note="start too low, no end")
        for start, end in ((lowest - 1, 5), (5, highest + 2)):
            values = {"self": draw.tensor((3,)), "from": start, "to": end}
            yield ErrorSample(values, "RuntimeError", r"random_: .*", note=f"{start} to {end}")


def probability_range(draw: Draw) -> Iterator[ErrorSample]:
    """Probabilities below 0, above 1 and NaN; a dtype without fractions."""
    yield from _not_floating(draw)
    for value in (-0.5, 1.5, np.nan):
        data = np.array([0.5, value, 0.5], draw.info.carrier)
        tensor = Tensor(draw.dtype, data)
        yield ErrorSample({"self": tensor}, "RuntimeError", r"bernoulli: .*", note=f"p {value}")
