"""Drawn calls of pooling."""

from __future__ import annotations

from typing import Any

from ..sample import Sample
from .chooser import Chooser

_BATCHES = ((1, 2), (2, 1), (2,), (0, 3), (3, 2))


def _pooled(chooser: Chooser, directions: int) -> tuple[dict[str, Any], list[int]]:
    """Arguments, and planes or rows into which the windows fit."""
    kernel = [chooser.integer(1, 4) for _ in range(directions)]
    values: dict[str, Any] = {"kernel_size": kernel}
    padding, dilation = [0] * directions, [1] * directions
    if chooser.flag():
        values["stride"] = [chooser.integer(1, 3) for _ in kernel]
    if chooser.flag():
        values["padding"] = padding = [chooser.integer(0, k // 2) for k in kernel]
    if chooser.spec.argument("dilation") is not None and chooser.flag():
        values["dilation"] = dilation = [chooser.integer(1, 3) for _ in kernel]
    if chooser.flag():
        values["ceil_mode"] = True
    sizes = []
    for d in range(directions):
        # At least a dilation, so that no window lies wholly in the padding.
        least = max(dilation[d], dilation[d] * (kernel[d] - 1) + 1 - 2 * padding[d])
        sizes.append(chooser.integer(least, least + 9))
    return values, sizes


def _sample(chooser: Chooser, values: dict[str, Any], sizes: list[int], domain: str) -> Sample:
    tensor = chooser.tensor((*chooser.one_of(_BATCHES), *sizes), domain)
    return Sample(chooser.spec.in_order({"self": tensor, **values}))


def max_pool2d(chooser: Chooser) -> Sample:
    """Windows of planes, of any values."""
    return _sample(chooser, *_pooled(chooser, 2), "full")


def _divided(chooser: Chooser, values: dict[str, Any]) -> None:
    if chooser.flag():
        values["count_include_pad"] = False


def avg_pool2d(chooser: Chooser) -> Sample:
    """Windows of planes, divisors of every kind."""
    values, sizes = _pooled(chooser, 2)
    _divided(chooser, values)
    if chooser.rarely():
        values["divisor_override"] = chooser.one_of((1, 2, 7, -3))
    return _sample(chooser, values, sizes, "folded")


def avg_pool1d(chooser: Chooser) -> Sample:
    """Windows of rows."""
    values, sizes = _pooled(chooser, 1)
    _divided(chooser, values)
    return _sample(chooser, values, sizes, "folded")


def _adaptive(chooser: Chooser, directions: int) -> Sample:
    sizes = [chooser.integer(1, 12) for _ in range(directions)]
    values = {"output_size": [chooser.integer(0, 9) for _ in sizes]}
    return _sample(chooser, values, sizes, "folded")


def adaptive_avg_pool2d(chooser: Chooser) -> Sample:
    """Planes to any size."""
    return _adaptive(chooser, 2)


def adaptive_avg_pool1d(chooser: Chooser) -> Sample:
    """Rows to any length."""
    return _adaptive(chooser, 1)


def max_pool1d(chooser: Chooser) -> Sample:
    """Windows of rows, of any values."""
    return _sample(chooser, *_pooled(chooser, 1), "full")
