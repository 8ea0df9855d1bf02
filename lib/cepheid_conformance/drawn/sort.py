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
