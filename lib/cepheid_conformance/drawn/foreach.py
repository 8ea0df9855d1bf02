"""Drawn calls of the ops on lists of tensors."""

from __future__ import annotations

from ..sample import Sample
from ..samples.foreach import filled, numbers_of
from .chooser import Chooser


def lists(chooser: Chooser) -> Sample:
    """One to four tensors of any shapes and layouts; numbers in another order each time."""
    shapes = tuple(chooser.shape() for _ in range(chooser.integer(1, 4)))
    numbers = numbers_of(chooser.spec, chooser.dtype, chooser.info.is_inexact)
    order = chooser.permutation(len(numbers))
    chosen = tuple(numbers[place] for place in order)
    return Sample(filled(chooser.spec, shapes, chooser.tensor, chosen))
