"""Drawn calls of softmax and layer_norm."""

from __future__ import annotations

import math
from typing import Any

from ..sample import Sample
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
