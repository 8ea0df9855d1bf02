"""Drawn calls of convolutions."""

from __future__ import annotations

from typing import Any

from ..sample import Sample
from ..samples.conv import places
from .chooser import Chooser

# Whether a weight meets the zeros of the padding is open; an infinite one would tell.
_FINITE = ("plain", "any", "ties", "scaled", "zeros")
_PAIRS = {"stride": (1, 3), "padding": (0, 2), "dilation": (1, 2)}


def conv2d(chooser: Chooser) -> Sample:
    """Images with and without batch, every keyword."""
    return Sample(chooser.spec.in_order(_convolution(chooser, 2)))


def conv1d(chooser: Chooser) -> Sample:
    """Rows with and without batch, every keyword."""
    return Sample(chooser.spec.in_order(_convolution(chooser, 1)))


def conv2d_input(chooser: Chooser) -> Sample:
    """The gradient of a drawn convolution's input."""
    return _gradient(chooser, "input")


def conv2d_weight(chooser: Chooser) -> Sample:
    """The gradient of a drawn convolution's weight."""
    return _gradient(chooser, "weight")


def _gradient(chooser: Chooser, wanted: str) -> Sample:
    values = _convolution(chooser, 2, (1, 2, 0, 3))
    values.pop("bias", None)
    image, weight = values["input"].shape, values["weight"].shape
    sizes = places(image, weight, values)
    values[f"{wanted}_size"] = list(values.pop(wanted).shape)
    values["grad_output"] = chooser.tensor(
        (image[0], weight[0], *sizes), "product", modes_of=_FINITE
    )
    return Sample(chooser.spec.in_order(values))


def _convolution(
    chooser: Chooser, directions: int, batches: tuple[int | None, ...] = (1, 2, None, 0, 3)
) -> dict[str, Any]:
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
    batch = chooser.one_of(tuple(() if n is None else (n,) for n in batches))
    values: dict[str, Any] = {
        "input": chooser.tensor((*batch, inside * groups, *image), "product"),
        "weight": chooser.tensor((outside * groups, inside, *kernel), "product", modes_of=_FINITE),
    }
    if chooser.flag():
        values["bias"] = chooser.tensor((outside * groups,), "any")
    if groups > 1:
        values["groups"] = groups
    return {**values, **options}
