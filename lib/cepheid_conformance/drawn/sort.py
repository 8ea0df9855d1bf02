"""Drawn calls of the sorts."""

from __future__ import annotations

from typing import Any

from ..sample import Sample
from .chooser import Chooser


def sort(chooser: Chooser) -> Sample:
    """Any values, each dim, both directions."""
    shape = chooser.shape()
    values: dict[str, Any] = {"self": chooser.tensor(shape, "full")}
    if chooser.flag():
        values["dim"] = chooser.dim(len(shape))
    if chooser.flag():
        values["descending"] = chooser.flag()
    return Sample(values)


def sort_stable(chooser: Chooser) -> Sample:
    """The same, stable or not."""
    values = sort(chooser).values
    return Sample(chooser.spec.in_order({"stable": chooser.one_of((True, False)), **values}))


def msort(chooser: Chooser) -> Sample:
    """Any values."""
    return Sample({"self": chooser.tensor(chooser.shape(), "full")})


def topk(chooser: Chooser) -> Sample:
    """Any values, each dim and count, both ends."""
    shape = chooser.shape()
    dim = chooser.dim(len(shape))
    values: dict[str, Any] = {
        "self": chooser.tensor(shape, "full"),
        "k": chooser.integer(0, shape[dim]) if shape else 1,
        "dim": dim,
    }
    if chooser.flag():
        values["largest"] = chooser.flag()
    if chooser.rarely():
        values["sorted"] = chooser.flag()
    return Sample(values)


def kthvalue(chooser: Chooser) -> Sample:
    """Any values, each dim and place."""
    shape = chooser.nonempty()
    dim = chooser.dim(len(shape))
    k = chooser.integer(1, shape[dim]) if shape else 1
    values: dict[str, Any] = {"self": chooser.tensor(shape, "full"), "k": k, "dim": dim}
    if chooser.flag():
        values["keepdim"] = True
    return Sample(values)


def median_all(chooser: Chooser) -> Sample:
    """Any values."""
    return Sample({"self": chooser.tensor(chooser.nonempty(), "full")})


def median_dim(chooser: Chooser) -> Sample:
    """Any values, each dim, no repeated memory: PyTorch's result would be left to chance."""
    shape = chooser.nonempty()
    values: dict[str, Any] = {
        "self": chooser.tensor(shape, "full", writable=True),
        "dim": chooser.dim(len(shape)),
    }
    if chooser.flag():
        values["keepdim"] = True
    return Sample(values)
