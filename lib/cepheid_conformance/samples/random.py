"""Inputs of the random ops: sizes around the block of 16, seeds, generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import integer_range
from ..layouts import stepped, transposed
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


def like_seeded(draw: Draw) -> Iterator[Sample]:
    """Every size; dense layouts; another dtype; seeds."""
    for number, shape in enumerate(_shapes(draw)):
        yield Sample({"self": draw.tensor(shape)}, f"{list(shape)}", seed=400 + number)
    if draw.kind == "arguments":
        for seed in _SEEDS:
            yield Sample({"self": draw.tensor((19,))}, f"seed {seed}", seed=seed)
        turned = transposed(draw.tensor((4, 5)))
        for name in ("contiguous_format", "preserve_format"):
            yield Sample({"self": turned, "memory_format": name}, name, seed=8)
        yield Sample({"self": draw.tensor((19,)), "dtype": "float64"}, "dtype float64", seed=9)


def randint_like(draw: Draw) -> Iterator[Sample]:
    """One end or both."""
    low = 0 if draw.info.kind == "unsigned" else -20
    both = {"low": low} if draw.spec.overload else {}
    for sample in like_seeded(draw):
        rest = {name: value for name, value in sample.values.items() if name != "self"}
        values = {"self": sample.values["self"], **both, "high": 100, **rest}
        yield Sample(values, sample.note, sample.seed)


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


def _parameters(draw: Draw, defaults: bool, *choices: dict[str, Any]) -> Iterator[Sample]:
    """Tensors to fill: with default parameters, where there are any, and with each choice."""
    first = {} if defaults else choices[0]
    for number, (tensor, note) in enumerate(_targets(draw)):
        yield Sample({"self": tensor, **first}, note, seed=600 + number)
    if draw.kind == "arguments":
        for size in (15, 40):
            for choice in choices:
                yield Sample({"self": draw.tensor((size,)), **choice}, f"[{size}] {choice}", seed=9)
    yield from _seeds(draw, {"self": draw.tensor((19,)), **first})


def targets(draw: Draw) -> Iterator[Sample]:
    """Tensors to fill."""
    yield from _parameters(draw, True)


def bernoulli_p(draw: Draw) -> Iterator[Sample]:
    """One probability, both ends among them, and the very draw of a seed, which is not below."""
    own = float(Words(9).uniform(7, "float64")[6])
    choices = [{"p": p} for p in (0.25, 0.0, 1.0, 0.7, own, float(np.nextafter(own, 1)))]
    yield from _parameters(draw, False, *choices)


def bernoulli_each(draw: Draw) -> Iterator[Sample]:
    """Probabilities for each place, in precisions of their own; and broadcast."""
    for number, (tensor, note) in enumerate(_targets(draw)):
        p = draw.tensor(tensor.shape, "unit", dtype="float32")
        yield Sample({"self": tensor, "p": p}, note, seed=700 + number)
    if draw.kind == "arguments":
        for dtype in ("float16", "bfloat16", "float64"):
            p = draw.tensor((40,), "unit", dtype=dtype)
            yield Sample({"self": draw.tensor((40,)), "p": p}, f"p {dtype}", seed=10)
        for shape in ((), (4,), (3, 1)):
            p = draw.tensor(shape, "unit", dtype="float32")
            yield Sample({"self": draw.tensor((3, 4)), "p": p}, f"p {list(shape)}", seed=10)
    p = draw.tensor((19,), "unit", dtype="float64")
    yield from _seeds(draw, {"self": draw.tensor((19,)), "p": p})


def random_to(draw: Draw) -> Iterator[Sample]:
    """An end that every dtype holds, one that wider ones hold, and one beyond 28 bits."""
    choices = [{"to": 90}, {"to": 1}]
    if draw.info.itemsize > 2:
        beyond = [{"to": 2**28 - 1}, {"to": 2**28}]
        choices += [{"to": 2**24}] if draw.info.is_floating else beyond
    yield from _parameters(draw, False, *choices)


def exponential(draw: Draw) -> Iterator[Sample]:
    """Default and other rates."""
    yield from _parameters(draw, True, {"lambd": 0.25}, {"lambd": 3.0})


def geometric(draw: Draw) -> Iterator[Sample]:
    """Chances of success; the rarer, the longer the wait."""
    rare = [{"p": 0.0005}] if draw.info.itemsize > 2 else []  # more than a half holds
    yield from _parameters(draw, False, {"p": 0.3}, {"p": 0.9}, {"p": 0.15}, *rare)


def cauchy(draw: Draw) -> Iterator[Sample]:
    """Default and other parameters."""
    yield from _parameters(draw, True, {"median": 1.5}, {"median": -2.0, "sigma": 3.0})


def log_normal(draw: Draw) -> Iterator[Sample]:
    """Default and other moments, small enough for float16."""
    other = {"mean": 0.5, "std": 0.25}
    yield from _parameters(draw, False, other, {"mean": -1.0, "std": 1.0}, {"std": 1.0})


def normal_sized(draw: Draw) -> Iterator[Sample]:
    """Moments before the sizes."""
    mean = 0.0 if draw.info.is_complex else 1.5
    for sample in sizes_seeded(draw):
        values = {"mean": mean, "std": 3.0, **sample.values}
        yield Sample(values, sample.note, sample.seed)


def _dropped(draw: Draw, flag: str) -> Iterator[Sample]:
    for number, (tensor, note) in enumerate(_targets(draw)):
        values = {"input": tensor, "p": 0.3, flag: True}
        yield Sample(values, note, seed=800 + number)
    for size in {"sizes": (511, 512, 513), "arguments": (40,)}.get(draw.kind, ()):
        for p in (0.0, 0.1, 0.5, 0.9, 1.0):
            for train in (True, False):
                values = {"input": draw.tensor((size,)), "p": p, flag: train}
                yield Sample(values, f"[{size}], {p=}, {train=}", seed=21)
    if draw.kind == "special":
        data = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, -1.0] * 7, draw.info.carrier)
        for p in (0.5, 1.0):
            values = {"input": Tensor(draw.dtype, data), "p": p, flag: True}
            yield Sample(values, f"special values, {p=}", seed=22)


def dropout(draw: Draw) -> Iterator[Sample]:
    """Probabilities, both ends among them; blocks of 512; what isn't finite."""
    yield from _dropped(draw, "train")


def nn_dropout(draw: Draw) -> Iterator[Sample]:
    """The same, and defaults."""
    yield from _dropped(draw, "training")
    if draw.kind == "arguments":
        yield Sample({"input": draw.tensor((40,))}, "defaults", seed=23)


def _weights(draw: Draw, shape: tuple[int, ...]) -> Tensor:
    """Weights, each fifth of them 0."""
    tensor = draw.tensor(shape, "positive")
    data = tensor.data.copy()
    data[..., 1::5] = 0
    return tensor.replaced(data)


def _weights_beside_draws(draw: Draw, seed: int) -> Tensor:
    """Running parts that lie just above or just below the four draws of the seed."""
    beside = 1e-12 if draw.dtype == "float64" else 4e-6
    draws = np.sort(Words(seed).uniform(4, "float64"))
    ends = draws + np.array([beside, -beside, beside, -beside])
    return Tensor(draw.dtype, np.diff(ends, prepend=0, append=1).astype(draw.info.carrier))


def multinomial(draw: Draw) -> Iterator[Sample]:
    """Rows and matrices of weights, with and without replacement; more samples than weights."""
    shapes: tuple[tuple[int, ...], ...] = {
        "small": ((7,), (3, 5), (4, 17)),
        "sizes": ((33,), (625,), (3, 1025)),
        "shapes": ((2,), (0, 3), (1, 2)),
    }.get(draw.kind, ())
    for number, shape in enumerate(shapes):
        tensor = _weights(draw, shape)
        for count in sorted({1, max(shape[-1] // 2, 1), shape[-1]}):
            for replacement in (False, True):
                values = {"self": tensor, "num_samples": count, "replacement": replacement}
                yield Sample(values, f"{list(shape)} {count=} {replacement=}", seed=900 + number)
    if draw.kind == "arguments":
        values = {"self": _weights(draw, (6,)), "num_samples": 50, "replacement": True}
        yield Sample(values, "more samples than weights", seed=31)
        yield Sample({"self": stepped(_weights(draw, (12,))), "num_samples": 3}, "step 2", seed=32)
        if draw.info.itemsize > 2:
            values = {"self": _weights_beside_draws(draw, 33), "num_samples": 4}
            yield Sample({**values, "replacement": True}, "parts beside the draws", seed=33)
    yield from _seeds(draw, {"self": _weights(draw, (9,)), "num_samples": 4})


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


def randint_like_empty_range(draw: Draw) -> Iterator[ErrorSample]:
    """An end that isn't above the start."""
    values = {"self": draw.tensor((2,)), **({"low": 0} if draw.spec.overload else {}), "high": 0}
    yield ErrorSample(values, "RuntimeError", r"randint_like: .*low 0 and high 0")


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
    yield ErrorSample(values, "RuntimeError", r"normal_?: .*-1")


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


def _refused(draw: Draw, op: str, names: str, *rows: tuple[float, ...]) -> Iterator[ErrorSample]:
    """Parameters that the law doesn't have, by row."""
    for row in rows:
        given = dict(zip(names.split(), row, strict=True))
        values = {"self": draw.tensor((3,)), **given}
        yield ErrorSample(values, "RuntimeError", rf"{op}: .*", note=str(given))


_NAN = float("nan")


def bernoulli_p_range(draw: Draw) -> Iterator[ErrorSample]:
    """No probabilities; numbers that are no outcome."""
    yield from _refused(draw, r"bernoulli_", "p", (-0.1,), (1.5,), (_NAN,))
    values = {"self": draw.tensor((3,), dtype="complex64"), "p": 0.5}
    yield ErrorSample(values, "NotImplementedError", r"bernoulli_?: .*complex64", note="complex")


def random_complex(draw: Draw) -> Iterator[ErrorSample]:
    """Integers are no complex numbers."""
    values = {"self": draw.tensor((3,), dtype="complex64")}
    yield ErrorSample(values, "NotImplementedError", r"random_: .*complex64")


def random_to_empty(draw: Draw) -> Iterator[ErrorSample]:
    """An end that isn't above 0, or beyond the dtype."""
    yield from _refused(draw, "random_", "to", (0,), (-3,))
    if draw.info.is_integral and draw.info.itemsize < 8:
        yield from _refused(draw, "random_", "to", (integer_range(draw.info)[1] + 2,))


def _continuous(draw: Draw) -> Iterator[ErrorSample]:
    for dtype in ("int32", "int64"):
        values = {"self": Tensor(dtype, np.ones(3, dtype))}
        pattern = rf"{{op}}: expected a floating dtype; got {dtype}"
        also = ("RuntimeError",)
        yield ErrorSample(values, "NotImplementedError", pattern, note=dtype, also=also)


def exponential_lambda(draw: Draw) -> Iterator[ErrorSample]:
    """A rate that isn't above 0; a dtype without fractions."""
    yield from _continuous(draw)
    yield from _refused(draw, "exponential_", "lambd", (0.0,), (-1.0,), (_NAN,))


def geometric_p(draw: Draw) -> Iterator[ErrorSample]:
    """A chance that is none, sure, or no number; bool."""
    yield from _refused(draw, "geometric_", "p", (0.0,), (1.0,), (_NAN,))
    values = {"self": draw.tensor((3,), dtype="bool"), "p": 0.5}
    yield ErrorSample(values, "NotImplementedError", r"geometric_: .*bool", note="bool")


def cauchy_sigma(draw: Draw) -> Iterator[ErrorSample]:
    """A width that isn't above 0; a dtype without fractions."""
    yield from _continuous(draw)
    yield from _refused(draw, "cauchy_", "median sigma", (0.0, 0.0), (0.0, -1.0), (1.0, _NAN))


def log_normal_std(draw: Draw) -> Iterator[ErrorSample]:
    """A deviation that isn't above 0; a dtype without fractions."""
    yield from _continuous(draw)
    yield from _refused(draw, "log_normal_", "mean std", (0.0, 0.0), (0.0, -1.0), (0.0, _NAN))


def normal_sized_std(draw: Draw) -> Iterator[ErrorSample]:
    """A deviation below zero."""
    values = {"mean": 0.0, "std": -1.0, "size": [3], "dtype": draw.dtype}
    yield ErrorSample(values, "RuntimeError", r"normal_?: .*-1")


def bernoulli_each_p(draw: Draw) -> Iterator[ErrorSample]:
    """Probabilities beyond the ends, of a shape that doesn't fit, and whole numbers."""
    for value in (-0.5, 1.5, np.nan):
        p = Tensor("float32", np.array([0.5, value, 0.5], np.float32))
        values = {"self": draw.tensor((3,)), "p": p}
        yield ErrorSample(values, "RuntimeError", r"bernoulli_: .*", note=f"p {value}")
    values = {"self": draw.tensor((3,)), "p": draw.tensor((4, 3), "unit", dtype="float32")}
    yield ErrorSample(values, "RuntimeError", r"bernoulli_: .*\[3\].*\[4, 3\]", note="shape")
    values = {"self": draw.tensor((3,)), "p": draw.tensor((3,), "unit", dtype="int64")}
    yield ErrorSample(values, "NotImplementedError", r"bernoulli_: .*int64", note="integers")


def _dropout_refused(draw: Draw, flag: str, error: str) -> Iterator[ErrorSample]:
    for p in (-0.1, 1.5, _NAN):
        values = {"input": draw.tensor((3,)), "p": p, flag: True}
        # Of what is no number the functional module's own check lets pass.
        also = ("RuntimeError",) if p != p else ()
        pattern = r"dropout: p must lie in \[0, 1\]"
        yield ErrorSample(values, error, pattern, note=f"{p=}", also=also)
    values = {"input": draw.tensor((3,), dtype="int64"), "p": 0.5, flag: True}
    pattern = r"dropout: expected a floating dtype; got int64"
    yield ErrorSample(
        values, "NotImplementedError", pattern, note="integers", also=("RuntimeError",)
    )


def dropout_p(draw: Draw) -> Iterator[ErrorSample]:
    """No probability; a dtype without fractions."""
    yield from _dropout_refused(draw, "train", "RuntimeError")


def nn_dropout_p(draw: Draw) -> Iterator[ErrorSample]:
    """The same, with the functional module's class of error."""
    yield from _dropout_refused(draw, "training", "ValueError")


def multinomial_weights(draw: Draw) -> Iterator[ErrorSample]:
    """Weights below 0, infinite, NaN, all 0 in a row; a dtype without fractions."""
    for row in ([1, -1], [1, np.nan], [1, np.inf], [0, 0]):
        data = np.array([[1, 2], row], draw.info.carrier)
        for replacement in (False, True):
            values = {"self": Tensor(draw.dtype, data), "num_samples": 1}
            values["replacement"] = replacement
            yield ErrorSample(values, "RuntimeError", r"multinomial: .*", note=f"{row}")
    values = {"self": draw.tensor((3,), dtype="int64"), "num_samples": 1}
    pattern = r"multinomial: expected a floating dtype; got int64"
    also = ("RuntimeError",)
    yield ErrorSample(values, "NotImplementedError", pattern, note="integers", also=also)


def multinomial_counts(draw: Draw) -> Iterator[ErrorSample]:
    """No samples, more than there are without replacement; ranks 0 and 3."""
    row = draw.tensor((3,), "positive")
    for count in (0, -1, 4):
        values = {"self": row, "num_samples": count}
        yield ErrorSample(values, "RuntimeError", rf"multinomial: .*{count}", note=f"{count=}")
    for shape in ((), (2, 2, 2)):
        values = {"self": draw.tensor(shape, "positive"), "num_samples": 1}
        yield ErrorSample(values, "RuntimeError", r"multinomial: .*row", note=f"{list(shape)}")
