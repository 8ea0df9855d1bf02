"""Drawn calls of the losses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..dtypes import round_to
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


def _same_shape(chooser: Chooser, first: str, second: str) -> Sample:
    shape = chooser.shape()
    names = [a.name for a in chooser.spec.args if a.type == "Tensor"]
    domains = (first, second)
    operands = [
        _unit(chooser, shape) if domain == "unit" else chooser.tensor(shape, "any", modes_of=_CALM)
        for domain in domains
    ]
    return Sample(dict(zip(names[:2], operands, strict=True)))


def _unit(chooser: Chooser, shape: tuple[int, ...]) -> Tensor:
    """Values in [0, 1]."""
    rng = np.random.default_rng(chooser.seed())
    return chooser.laid_out(Tensor(chooser.dtype, round_to(rng.random(shape), chooser.info)))


def _positive(chooser: Chooser, shape: tuple[int, ...]) -> Tensor:
    rng = np.random.default_rng(chooser.seed())
    data = round_to(rng.uniform(0.25, 4, shape), chooser.info)
    return chooser.laid_out(Tensor(chooser.dtype, data))


def _weighted(chooser: Chooser, sample: Sample, name: str) -> Sample:
    shape = next(iter(sample.values.values())).shape
    values = {**sample.values, name: _positive(chooser, chooser.broadcastable(shape))}
    return replace(sample, values=chooser.spec.in_order(values))


def shares(chooser: Chooser) -> Sample:
    """Shares in [0, 1]."""
    return _same_shape(chooser, "unit", "unit")


def logits_weighted(chooser: Chooser) -> Sample:
    """Logits, shares and a weight."""
    return _weighted(chooser, _same_shape(chooser, "any", "unit"), "pos_weight")


def logarithm_and_share(chooser: Chooser) -> Sample:
    """Logarithms and shares."""
    return _same_shape(chooser, "any", "unit")


def logarithms(chooser: Chooser) -> Sample:
    """Logarithms of both."""
    return _same_shape(chooser, "any", "any")


def signs(chooser: Chooser) -> Sample:
    """An operand and signs."""
    shape = chooser.shape()
    names = [a.name for a in chooser.spec.args if a.type == "Tensor"]
    left = chooser.tensor(shape, "any", modes_of=_CALM)
    return Sample(dict(zip(names, (left, _signs(chooser, shape)), strict=True)))


def losses_shares(chooser: Chooser) -> Sample:
    """Shares, weighted at times, reduced."""
    sample = shares(chooser)
    return _reduced(chooser, _weighted(chooser, sample, "weight") if chooser.flag() else sample)


def losses_logits(chooser: Chooser) -> Sample:
    """Logits, weighted at times, reduced."""
    sample = _same_shape(chooser, "any", "unit")
    for name in ("weight", "pos_weight"):
        sample = _weighted(chooser, sample, name) if chooser.flag() else sample
    return _reduced(chooser, sample)


def losses_divergence(chooser: Chooser) -> Sample:
    """Logarithms and shares, or logarithms of both, reduced."""
    if chooser.flag():
        sample = _reduced(chooser, logarithms(chooser))
        return replace(sample, values={**sample.values, "log_target": True})
    return _reduced(chooser, logarithm_and_share(chooser))


def losses_soft_signs(chooser: Chooser) -> Sample:
    """Signs, reduced."""
    return _reduced(chooser, signs(chooser))


def nll_loss(chooser: Chooser) -> Sample:
    """Classes in any rank, weights, what is ignored."""
    shape = chooser.nonempty((2, 1, 3, 4))
    count = shape[0] if len(shape) == 1 else shape[1]
    target = chooser.places(count, () if len(shape) == 1 else (shape[0], *shape[2:]))
    values: dict[str, Any] = {
        "input": chooser.tensor(shape, "any", modes_of=_CALM),
        "target": target,
    }
    if chooser.flag():
        values["weight"] = _positive(chooser, (count,))
    if chooser.rarely():
        values["ignore_index"] = chooser.integer(0, count - 1)
    return _reduced(chooser, Sample(values))


def cross_entropy(chooser: Chooser) -> Sample:
    """The same, labels smoothed at times, or shares for classes."""
    sample = nll_loss(chooser)
    values = dict(sample.values)
    if chooser.flag():
        values["label_smoothing"] = chooser.one_of((0.25, 0.5, 1.0))
    if chooser.rarely():
        values["target"] = _unit(chooser, values["input"].shape)
        values.pop("ignore_index", None)
    return replace(sample, values=chooser.spec.in_order(values))
