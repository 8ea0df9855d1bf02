"""Drawn calls of the losses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..sample import Sample
from ..tensors import Tensor
from .chooser import Chooser

_CALM = ("plain", "any", "ties")


def pairs(chooser: Chooser) -> Sample:
    """Two operands, the second broadcast at times."""
    shape = chooser.shape()
    names = [a.name for a in chooser.spec.args if a.type == "Tensor"]
    left = chooser.tensor(shape, "any", modes_of=_CALM)
    right = chooser.tensor(chooser.broadcastable(shape), "any", modes_of=_CALM)
    return Sample(dict(zip(names, (left, right), strict=True)))


def _with(chooser: Chooser, sample: Sample, name: str, *numbers: float) -> Sample:
    values = {**sample.values, name: chooser.one_of(numbers)}
    return replace(sample, values=chooser.spec.in_order(values))


def _signs(chooser: Chooser, shape: tuple[int, ...]) -> Tensor:
    rng = np.random.default_rng(chooser.seed())
    data = np.asarray(rng.choice(np.array([-1, 1]), shape)).astype(chooser.info.carrier)
    return chooser.laid_out(Tensor(chooser.dtype, data))


def _reduced(chooser: Chooser, sample: Sample) -> Sample:
    values: dict[str, Any] = dict(sample.values)
    if chooser.flag():
        values["reduction"] = chooser.one_of(("sum", "none", "mean"))
    return replace(sample, values=chooser.spec.in_order(values))


def pairs_beta(chooser: Chooser) -> Sample:
    """Two operands and where the parabola ends."""
    return _with(chooser, pairs(chooser), "beta", 1.0, 0.5, 2.0, 0.0)


def pairs_delta(chooser: Chooser) -> Sample:
    """Two operands and where the line begins."""
    return _with(chooser, pairs(chooser), "delta", 1.0, 0.5, 2.0)


def signs_margin(chooser: Chooser) -> Sample:
    """Signs and a margin."""
    sample = pairs(chooser)
    second = list(sample.values)[1]
    signs = _signs(chooser, sample.values[second].shape)
    sample = replace(sample, values={**sample.values, second: signs})
    return _with(chooser, sample, "margin", 1.0, 0.5, -1.0)


def ranks(chooser: Chooser) -> Sample:
    """Two operands, signs and a margin."""
    shape = chooser.shape()
    values = {name: chooser.tensor(shape, "any", modes_of=_CALM) for name in ("input1", "input2")}
    sample = Sample({**values, "target": _signs(chooser, shape)})
    return _with(chooser, sample, "margin", 0.0, 0.5, -1.0)


def losses(chooser: Chooser) -> Sample:
    """Pairs, reduced."""
    return _reduced(chooser, pairs(chooser))


def losses_beta(chooser: Chooser) -> Sample:
    """Pairs and beta, reduced."""
    return _reduced(chooser, pairs_beta(chooser))


def losses_delta(chooser: Chooser) -> Sample:
    """Pairs and delta, reduced."""
    return _reduced(chooser, pairs_delta(chooser))


def losses_signs(chooser: Chooser) -> Sample:
    """Signs and a margin, reduced."""
    return _reduced(chooser, signs_margin(chooser))


def losses_ranks(chooser: Chooser) -> Sample:
    """Ranks and a margin, reduced."""
    return _reduced(chooser, ranks(chooser))
