"""Drawn calls of softmax and of norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtypes import round_to
from ..sample import Sample
from ..tensors import Tensor
from .chooser import Chooser

_CALM = ("plain", "any", "ties")


def softmax(chooser: Chooser) -> Sample:
    """Each dim, infinities and NaN among the values, another dtype."""
    shape = chooser.shape()
    modes = (*_CALM, "zeros", "marked")
    values: dict[str, Any] = {
        "self": chooser.tensor(shape, "folded", modes_of=modes),
        "dim": chooser.dim(len(shape)),
    }
    if chooser.rarely():
        values["dtype"] = chooser.one_of(("float32", "float64"))
    return Sample(values)


def logsumexp(chooser: Chooser) -> Sample:
    """Any dims, infinities and NaN among the values."""
    shape = chooser.shape()
    inexact = chooser.info.is_inexact
    modes = (*_CALM, "zeros", "marked") if inexact else None
    dims = (chooser.subset(len(shape)) or [chooser.dim(len(shape))]) if shape else [0]
    values: dict[str, Any] = {
        "self": chooser.tensor(shape, "folded", modes_of=modes)
        if inexact
        else chooser.tensor(shape, "small"),
        "dim": dims,
    }
    if chooser.flag():
        values["keepdim"] = True
    return Sample(values)


def layer_norm(chooser: Chooser) -> Sample:
    """The last dims, with and without weight and bias, eps."""
    shape = chooser.shape(ranks=(1, 2, 3, 4))
    dims = chooser.integer(1, len(shape))
    inner = shape[len(shape) - dims :]
    modes = (*_CALM, "marked") if math.prod(inner) else _CALM
    values: dict[str, Any] = {
        "input": chooser.tensor(shape, "folded", modes_of=modes),
        "normalized_shape": list(inner),
    }
    for name in ("weight", "bias"):
        if chooser.flag():
            values[name] = chooser.tensor(inner, "any")
    if chooser.rarely():
        values["eps"] = chooser.one_of((0.5, 1e-3))
    return Sample(values)


def rms_norm(chooser: Chooser) -> Sample:
    """The calls of layer_norm, without a bias."""
    sample = layer_norm(chooser)
    values = {key: value for key, value in sample.values.items() if key != "bias"}
    return Sample(chooser.spec.in_order({"eps": 1e-5, **values}))


def _channelled(chooser: Chooser) -> tuple[tuple[int, ...], dict[str, Any]]:
    """A shape of more than one value per channel, and parameters."""
    shape = chooser.shape(ranks=(2, 3, 4, 5))
    shape = (shape[0], max(shape[1], 1), *shape[2:])
    if math.prod(shape) in (1, shape[1]):
        shape = (shape[0] + 1, *shape[1:])
    affine = {
        name: chooser.tensor((shape[1],), "any", modes_of=_CALM)
        for name in ("weight", "bias")
        if chooser.flag()
    }
    return shape, affine


def batch_norm(chooser: Chooser) -> Sample:
    """Statistics of the batch and given ones."""
    shape, affine = _channelled(chooser)
    values: dict[str, Any] = {
        "input": chooser.tensor(shape, "folded", modes_of=_CALM),
        "running_mean": None,
        "running_var": None,
        **affine,
        "training": True,
    }
    if chooser.flag():
        rng = np.random.default_rng(chooser.seed())
        variance = round_to(rng.uniform(0.25, 4, (shape[1],)), chooser.info)
        values["running_mean"] = chooser.tensor((shape[1],), "any", modes_of=_CALM)
        values["running_var"] = chooser.laid_out(Tensor(chooser.dtype, variance))
        values["training"] = False
    return Sample(values)


def group_norm(chooser: Chooser) -> Sample:
    """Any number of groups that divides the channels."""
    shape, affine = _channelled(chooser)
    fitting = [count for count in range(1, shape[1] + 1) if shape[1] % count == 0]
    values = {
        "input": chooser.tensor(shape, "folded", modes_of=_CALM),
        "num_groups": chooser.one_of(fitting),
    }
    return Sample({**values, **affine})


def normalize(chooser: Chooser) -> Sample:
    """Any dim, several norms."""
    shape = chooser.nonempty()
    values: dict[str, Any] = {"input": chooser.tensor(shape, "folded", modes_of=_CALM)}
    if chooser.flag():
        values["p"] = chooser.one_of((2.0, 1.0, 3.0))
    return Sample({**values, "dim": chooser.dim(len(shape)), "eps": 1e-3})
