"""Drawn calls of the scans."""

from __future__ import annotations

from typing import Any

from ..sample import Sample
from .chooser import Chooser
from .reduce import factors, result_dtypes


def scan(chooser: Chooser) -> Sample:
    """One dim, at times in another dtype."""
    shape = chooser.shape()
    values: dict[str, Any] = {"dim": chooser.dim(len(shape))}
    if chooser.rarely():
        values["dtype"] = chooser.one_of(result_dtypes(chooser))
    domain = "exact" if "dtype" in values else "folded"
    return Sample({"self": chooser.tensor(shape, domain), **values})


def plain_scan(chooser: Chooser) -> Sample:
    """One dim."""
    shape = chooser.shape()
    return Sample({"self": chooser.tensor(shape, "folded"), "dim": chooser.dim(len(shape))})


def product_scan(chooser: Chooser) -> Sample:
    """One dim, factors whose products are exact."""
    shape = chooser.shape()
    return Sample({"self": factors(chooser, shape), "dim": chooser.dim(len(shape))})


def extreme_scan(chooser: Chooser) -> Sample:
    """One dim, any values."""
    shape = chooser.shape()
    return Sample({"self": chooser.tensor(shape, "full"), "dim": chooser.dim(len(shape))})
