"""Drawn calls of the random ops: sizes, seeds, generators, bounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..dtypes import integer_range
from ..sample import Sample
from .chooser import Chooser

_SEEDS = (0, 1, 42, 1234567, 2**32 + 5, 2**63 - 1)


def _seeded(chooser: Chooser, values: dict[str, Any]) -> Sample:
    """A seed of the default generator and, at times, a generator of its own."""
    number = chooser.one_of(_SEEDS) if chooser.flag() else chooser.seed()
    if chooser.rarely():
        values = chooser.spec.in_order({**values, "generator": chooser.seed()})
    return Sample(values, seed=number)


def sizes_seeded(chooser: Chooser) -> Sample:
    """Sizes with the dtype named."""
    return _seeded(chooser, {"size": list(chooser.shape()), "dtype": chooser.dtype})


def randint_high(chooser: Chooser) -> Sample:
    """An upper end that every dtype holds."""
    sample = sizes_seeded(chooser)
    return replace(sample, values={"high": chooser.integer(1, 120), **sample.values})


def randint(chooser: Chooser) -> Sample:
    """Both ends."""
    sample = sizes_seeded(chooser)
    low = chooser.integer(0, 50) - (0 if chooser.info.kind == "unsigned" else 40)
    high = low + chooser.integer(1, 70)
    return replace(sample, values={"low": low, "high": high, **sample.values})


def like_seeded(chooser: Chooser) -> Sample:
    """Any layout."""
    return Sample({"self": chooser.tensor(chooser.shape(), "any")}, seed=chooser.seed())


def randint_like(chooser: Chooser) -> Sample:
    """One end or both."""
    sample = like_seeded(chooser)
    low = {"low": chooser.integer(0, 50)} if chooser.spec.overload else {}
    return replace(sample, values={**sample.values, **low, "high": chooser.integer(51, 120)})


def randperm(chooser: Chooser) -> Sample:
    """Lengths that the dtype can count."""
    most = 127 if chooser.info.itemsize == 1 else 256
    return _seeded(chooser, {"n": chooser.integer(0, most), "dtype": chooser.dtype})


def _target(chooser: Chooser, domain: str = "any") -> Any:
    return chooser.tensor(chooser.shape(), domain, writable=True)


def uniform(chooser: Chooser) -> Sample:
    """Bounds whose distance is exact."""
    values: dict[str, Any] = {"self": _target(chooser)}
    if chooser.flag():
        low = float(chooser.integer(0, 8) - 4)
        values |= {"from": low, "to": low + chooser.one_of((1.0, 2.0, 5.0))}
    return _seeded(chooser, values)


def normal(chooser: Chooser) -> Sample:
    """Moments; whether a real mean moves an imaginary part too is open."""
    values: dict[str, Any] = {"self": _target(chooser)}
    if chooser.flag():
        mean = 0.0 if chooser.info.is_complex else chooser.one_of((1.5, 0.0, -2.0))
        values |= {"mean": mean, "std": chooser.one_of((3.0, 0.5))}
    return _seeded(chooser, values)


def random_from(chooser: Chooser) -> Sample:
    """Both ends inside the dtype."""
    _, top = integer_range(chooser.info) if not chooser.info.is_inexact else (0, 128)
    low = chooser.integer(0, min(top, 90))
    high = low + chooser.integer(1, max(min(top + 1, 128) - low, 1))
    return _seeded(chooser, {"self": _target(chooser), "from": low, "to": high})


def probabilities(chooser: Chooser) -> Sample:
    """Probabilities from 0 to 1."""
    return _seeded(chooser, {"self": _target(chooser, "unit")})


def targets(chooser: Chooser) -> Sample:
    """A tensor to fill."""
    return _seeded(chooser, {"self": _target(chooser)})


def bernoulli_p(chooser: Chooser) -> Sample:
    """One probability, both ends among them."""
    p = chooser.one_of((0.5, 0.0, 1.0, 0.2, 0.9))
    return _seeded(chooser, {"self": _target(chooser), "p": p})


def bernoulli_each(chooser: Chooser) -> Sample:
    """A probability for each place, or broadcast."""
    shape = chooser.shape()
    dtype = chooser.one_of(("float32", "float64", "float16", "bfloat16"))
    p = chooser.tensor(chooser.broadcastable(shape), "unit", dtype=dtype)
    return _seeded(chooser, {"self": chooser.tensor(shape, "any", writable=True), "p": p})


def random_to(chooser: Chooser) -> Sample:
    """An end that every dtype holds."""
    return _seeded(chooser, {"self": _target(chooser), "to": chooser.integer(1, 127)})


def exponential(chooser: Chooser) -> Sample:
    """Rates."""
    lambd = chooser.one_of((1.0, 0.25, 3.0))
    return _seeded(chooser, {"self": _target(chooser), "lambd": lambd})


def geometric(chooser: Chooser) -> Sample:
    """Chances of success, of which no dtype overflows."""
    return _seeded(chooser, {"self": _target(chooser), "p": chooser.one_of((0.5, 0.3, 0.9))})


def cauchy(chooser: Chooser) -> Sample:
    """Both parameters."""
    values = {"self": _target(chooser), "median": chooser.one_of((0.0, 1.5, -2.0))}
    return _seeded(chooser, {**values, "sigma": chooser.one_of((1.0, 0.5, 3.0))})


def log_normal(chooser: Chooser) -> Sample:
    """Both moments, small enough for float16."""
    values = {"self": _target(chooser), "mean": chooser.one_of((0.5, 0.0, -1.0))}
    return _seeded(chooser, {**values, "std": chooser.one_of((0.25, 1.0))})


def normal_sized(chooser: Chooser) -> Sample:
    """Moments before the sizes."""
    sample = sizes_seeded(chooser)
    mean = 0.0 if chooser.info.is_complex else chooser.one_of((1.5, 0.0, -2.0))
    values = {"mean": mean, "std": chooser.one_of((3.0, 0.5)), **sample.values}
    return replace(sample, values=values)


def _dropped(chooser: Chooser, flag: str) -> Sample:
    values = {"input": _target(chooser), "p": chooser.one_of((0.5, 0.1, 0.9, 0.0, 1.0))}
    return Sample({**values, flag: not chooser.rarely()}, seed=chooser.seed())


def dropout(chooser: Chooser) -> Sample:
    """Probabilities, both ends among them."""
    return _dropped(chooser, "train")


def nn_dropout(chooser: Chooser) -> Sample:
    """The same."""
    return _dropped(chooser, "training")


def multinomial(chooser: Chooser) -> Sample:
    """Rows of weights above 0."""
    shape = chooser.nonempty(ranks=(1, 2))
    replacement = chooser.flag()
    count = chooser.integer(1, 40 if replacement else shape[-1])
    values = {"self": chooser.tensor(shape, "positive"), "num_samples": count}
    return _seeded(chooser, {**values, "replacement": replacement})
