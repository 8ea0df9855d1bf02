"""Reference values of the losses: elements in a wider type, and their folds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array
from ..expected import Expected, within_bound
from .common import common, wide
from .reduce import accumulation_eps

Elements = tuple[str, Array, Array]  # the dtype, wide values, what their errors are relative to


def _element(elements: Elements) -> Expected:
    """Elements whose operations are each rounded to the dtype."""
    return _folded(elements, "none")


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, 0)


def _folded(elements: Elements, reduction: str) -> Expected:
    """Elements are rounded to the dtype before they are summed, which is pairwise."""
    dtype, value, size = elements
    eps = accumulation_eps(dtype)
    if reduction == "none":
        return within_bound(dtype, value, (DTYPES[dtype].eps + 4 * eps) * _finite(size))
    with np.errstate(all="ignore"):
        total, count = np.sum(value), max(value.size, 1)
        rounding = DTYPES[dtype].eps / 2 + (math.log2(count) + 12) * eps
        bound = rounding * np.sum(_finite(size))
        if reduction == "mean":
            return within_bound(
                dtype, np.asarray(total / value.dtype.type(value.size)), bound / count
            )
    return within_bound(dtype, np.asarray(total), bound)


def _operands(*operands: Any) -> tuple[str, list[Array]]:
    dtype = common(*operands)
    return dtype, [wide(item, dtype) for item in operands]


def _squares(input: Any, target: Any) -> Elements:
    dtype, (x, y) = _operands(input, target)
    with np.errstate(all="ignore"):
        value = (x - y) ** 2
    return dtype, value, value


def _magnitudes(input: Any, target: Any) -> Elements:
    dtype, (x, y) = _operands(input, target)
    with np.errstate(all="ignore"):
        value = np.abs(x - y)
    return dtype, value, value


def _bent(input: Any, target: Any, beta: float) -> Elements:
    dtype, size, _ = _magnitudes(input, target)
    with np.errstate(all="ignore"):
        below = size**2 / (2 * beta) if beta else np.zeros_like(size)
        value = np.where(size < beta, below, size - beta / 2)
    return dtype, value, size + beta


def _lined(input: Any, target: Any, delta: float) -> Elements:
    dtype, size, _ = _magnitudes(input, target)
    with np.errstate(all="ignore"):
        value = np.where(size <= delta, size**2 / 2, delta * (size - delta / 2))
    return dtype, value, delta * (size + delta)


def _hinged(input: Any, target: Any, margin: float) -> Elements:
    dtype, (x, y) = _operands(input, target)
    with np.errstate(all="ignore"):
        value = np.where(y == 1, x, np.maximum(margin - x, 0))
    return dtype, value, np.abs(value) + abs(margin)


def _ranked(input1: Any, input2: Any, target: Any, margin: float) -> Elements:
    dtype, (x, y, sign) = _operands(input1, input2, target)
    with np.errstate(all="ignore"):
        value = np.maximum(margin - sign * (x - y), 0)
        size = np.abs(x - y) + abs(margin)
    return dtype, value, size


def _squared_difference(self: Any, target: Any) -> Expected:
    """(x - y)^2."""
    return _element(_squares(self, target))


def _smooth_l1(self: Any, target: Any, beta: float) -> Expected:
    """|x - y|, with a parabola below beta."""
    return _element(_bent(self, target, beta))


def _huber(self: Any, target: Any, delta: float) -> Expected:
    """(x - y)^2 / 2 up to delta, a line beyond."""
    return _element(_lined(self, target, delta))


def _hinge_embedding(self: Any, target: Any, margin: float) -> Expected:
    """x where y is 1, max(0, margin - x) where it is -1."""
    return _element(_hinged(self, target, margin))


def _margin_ranking(input1: Any, input2: Any, target: Any, margin: float) -> Expected:
    """max(0, margin - y (x1 - x2))."""
    return _element(_ranked(input1, input2, target, margin))


def mse_loss(input: Any, target: Any, reduction: str) -> Expected:
    """Folded squares."""
    return _folded(_squares(input, target), reduction)


def l1_loss(input: Any, target: Any, reduction: str) -> Expected:
    """Folded magnitudes."""
    return _folded(_magnitudes(input, target), reduction)


def smooth_l1_loss(input: Any, target: Any, reduction: str, beta: float) -> Expected:
    """Folded magnitudes with a parabola below beta."""
    return _folded(_bent(input, target, beta), reduction)


def huber_loss(input: Any, target: Any, reduction: str, delta: float) -> Expected:
    """Folded parabolas with lines beyond delta."""
    return _folded(_lined(input, target, delta), reduction)


def hinge_embedding_loss(input: Any, target: Any, margin: float, reduction: str) -> Expected:
    """Folded hinges."""
    return _folded(_hinged(input, target, margin), reduction)


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float, reduction: str
) -> Expected:
    """Folded ranks."""
    return _folded(_ranked(input1, input2, target, margin), reduction)
