"""Drawn calls of convolutions."""

from __future__ import annotations

from typing import Any

from ..sample import Sample
from .chooser import Chooser

# Whether a weight meets the zeros of the padding is open; an infinite one would tell.
_FINITE = ("plain", "any", "ties", "scaled", "zeros")
_PAIRS = {"stride": (1, 3), "padding": (0, 2), "dilation": (1, 2)}


def conv2d(chooser: Chooser) -> Sample:
    """Images with and without batch, every keyword."""
    return _convolution(chooser, 2)


def conv1d(chooser: Chooser) -> Sample:
    """Rows with and without batch, every keyword."""
    return _convolution(chooser, 1)


def _convolution(chooser: Chooser, directions: int) -> Sample:
    groups = chooser.one_of((1, 1, 2, 3))
    inside, outside = chooser.integer(1, 3), chooser.integer(1, 4)
    kernel = [chooser.integer(1, 4) for _ in range(directions)]
    options = {
        name: [chooser.integer(*ends) for _ in kernel]
        for name, ends in _PAIRS.items()
        if chooser.flag()
    }
    padding, dilation = options.get("padding", [0, 0]), options.get("dilation", [1, 1])
    image = []
    for side in range(directions):
        least = dilation[side] * (kernel[side] - 1) + 1 - 2 * padding[side]
        image.append(chooser.integer(max(least, 1), max(least, 1) + 8))
    batch = chooser.one_of(((1,), (2,), (), (0,), (3,)))
    values: dict[str, Any] = {
        "input": chooser.tensor((*batch, inside * groups, *image), "product"),
        "weight": chooser.tensor((outside * groups, inside, *kernel), "product", modes_of=_FINITE),
    }
    if chooser.flag():
        values["bias"] = chooser.tensor((outside * groups,), "any")
    if groups > 1:
        values["groups"] = groups
    return Sample(chooser.spec.in_order({**values, **options}))
