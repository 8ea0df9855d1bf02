"""Reference values of the losses: elements in a wider type, and their folds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array
from ..expected import Expected, within_bound
from ..tensors import Tensor
from .common import common, wide
from .reduce import accumulation_eps

Elements = tuple[str, Array, Array]  # the dtype, wide values, what their errors are relative to


def _element(elements: Elements) -> Expected:
    """Elements whose operations are each rounded to the dtype."""
    return _folded(elements, "none")


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, 0)


def _folded(elements: Elements, reduction: str) -> Expected:
    """Operations are rounded to the dtype before elements are summed, which is pairwise."""
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
    info = DTYPES[dtype]
    return info.real_name if info.is_complex else dtype, value, value


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
    return dtype, value, np.abs(value) + np.where(y == 1, 0, abs(margin))


def _ranked(input1: Any, input2: Any, target: Any, margin: float) -> Elements:
    dtype, (x, y, sign) = _operands(input1, input2, target)
    with np.errstate(all="ignore"):
        value = np.maximum(margin - sign * (x - y), 0)
        size = np.abs(x - y) + abs(margin)
    return dtype, value, size


def _bits(input: Any, target: Any) -> Elements:
    dtype, (x, y) = _operands(input, target)
    with np.errstate(all="ignore"):
        value = -(y * np.maximum(np.log(x), -100) + (1 - y) * np.maximum(np.log1p(-x), -100))
    return dtype, value, 2 * np.abs(value)


def _logits(input: Any, target: Any, pos_weight: Any) -> Elements:
    dtype, (x, y, p) = _operands(input, target, pos_weight)
    with np.errstate(all="ignore"):
        larger = 1 + (p - 1) * y
        beyond = np.log1p(np.exp(-np.abs(x)))
        value = np.where(x > 0, (1 - y) * x, -p * y * x) + larger * beyond
        size = 2 * (np.abs(x) + (1 + 3 * np.abs(p)) * (np.maximum(-x, 0) + beyond))
    return dtype, value, size


def _diverged(input: Any, target: Any, log_target: bool) -> Elements:
    dtype, (x, y) = _operands(input, target)
    with np.errstate(all="ignore"):
        share = np.exp(y) if log_target else y
        logarithm = y if log_target else np.where(y == 0, 0, np.log(y))
        value = share * (logarithm - x)
        size = 3 * np.abs(share) * (np.abs(logarithm) + np.abs(x))
    return dtype, value, size


def _soft(input: Any, target: Any) -> Elements:
    dtype, (x, y) = _operands(input, target)
    with np.errstate(all="ignore"):
        value = np.logaddexp(0, -x * y)
        size = value + np.minimum(value, 1) * (1 + np.abs(x))
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


def _bit_cross_entropy(self: Any, target: Any) -> Expected:
    """-(y log x + (1 - y) log(1 - x)), no logarithm below -100."""
    return _element(_bits(self, target))


def _logit_cross_entropy(self: Any, target: Any, pos_weight: Any) -> Expected:
    """The same of sigmoid(x), what is by y multiplied by pos_weight."""
    return _element(_logits(self, target, pos_weight))


def _divergence(self: Any, target: Any) -> Expected:
    """y (log y - x)."""
    return _element(_diverged(self, target, False))


def _log_divergence(self: Any, target: Any) -> Expected:
    """exp(y) (y - x)."""
    return _element(_diverged(self, target, True))


def _soft_margin(self: Any, target: Any) -> Expected:
    """log(1 + exp(-x y))."""
    return _element(_soft(self, target))


def _weighted(elements: Elements, weight: Any) -> Elements:
    dtype, value, size = elements
    if weight is None:
        return elements
    factor = wide(weight, dtype)
    with np.errstate(all="ignore"):
        return dtype, value * factor, (size + np.abs(value)) * np.abs(factor)


def binary_cross_entropy(input: Any, target: Any, weight: Any, reduction: str) -> Expected:
    """Folded entropies of shares."""
    return _folded(_weighted(_bits(input, target), weight), reduction)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any, reduction: str, pos_weight: Any
) -> Expected:
    """Folded entropies of sigmoids."""
    one = Tensor(input.dtype, np.ones((), input.info.carrier))
    elements = _logits(input, target, one if pos_weight is None else pos_weight)
    return _folded(_weighted(elements, weight), reduction)


def kl_div(input: Any, target: Any, reduction: str, log_target: bool) -> Expected:
    """Folded divergences; by the first dimension's size."""
    dtype, value, size = _diverged(input, target, log_target)
    if reduction == "batchmean":
        batch = input.shape[0] if input.shape else 1
        with np.errstate(all="ignore"):
            one = np.asarray(batch, value.dtype)
            return _folded((dtype, value / one, 2 * size / one), "sum")
    return _folded((dtype, value, size), reduction)


def soft_margin_loss(input: Any, target: Any, reduction: str) -> Expected:
    """Folded soft margins."""
    return _folded(_soft(input, target), reduction)


def _by_classes(array: Array) -> Array:
    """The classes last."""
    return array if array.ndim == 1 else np.moveaxis(array, 1, -1)


def _class_weights(weight: Any, logs: Array, dtype: str) -> Array:
    return np.ones(logs.shape[-1], logs.dtype) if weight is None else wide(weight, dtype)


def _picked(values: Array, index: Array) -> Array:
    if values.shape[-1] == 0 or index.size == 0:
        return np.zeros(index.shape, values.dtype)
    return np.take_along_axis(values, index[..., None], -1)[..., 0]


def _class_fold(dtype: str, value: Array, error: Array, weights: Array, reduction: str) -> Expected:
    """`error`: of each element; the mean is by the weights."""
    if reduction == "none":
        return within_bound(dtype, value, _finite(error))
    terms = np.abs(_finite(value))
    rounding = (math.log2(max(value.size, 1)) + 12) * accumulation_eps(dtype)
    with np.errstate(all="ignore"):
        bound = np.sum(_finite(error)) + rounding * np.sum(terms)
        total = np.sum(value)
        if reduction == "mean":
            # The total of the weights is rounded too.
            total, bound = total / np.sum(weights), 2 * bound / np.sum(weights)
    return within_bound(dtype, np.asarray(total), np.asarray(_finite(bound)))


def _of_indices(
    dtype: str, logs: Array, error: Array, target: Any, weight: Any, ignored: int, smoothing: float
) -> tuple[Array, Array, Array]:
    """Elements, their errors and their weights."""
    kept = target.data != ignored
    index = np.where(kept, target.data, 0).astype(np.int64)
    scale = _class_weights(weight, logs, dtype)
    count = np.asarray(max(logs.shape[-1], 1), logs.dtype)
    with np.errstate(all="ignore"):
        value = (1 - smoothing) * _picked(-logs * scale, index)
        slack = _picked(error * np.abs(scale), index)
        if smoothing:
            value = value + smoothing / count * np.sum(-logs * scale, -1)
            slack = slack + smoothing / count * np.sum(error * np.abs(scale), -1)
    weights = np.where(kept, _picked(np.broadcast_to(scale, logs.shape), index), 0)
    return np.where(kept, value, 0), np.where(kept, slack, 0), weights


def nll_loss(input: Any, target: Any, weight: Any, ignore_index: int, reduction: str) -> Expected:
    """Minus the logarithm of each target's class."""
    dtype = input.dtype
    logs = _by_classes(wide(input, dtype))
    error = 2 * DTYPES[dtype].eps * np.abs(logs)
    parts = _of_indices(dtype, logs, error, target, weight, ignore_index, 0)
    return _class_fold(dtype, *parts, reduction)


def _log_shares(x: Array, dtype: str) -> tuple[Array, Array]:
    """Logarithms of softmax, rounded to the dtype, and their error."""
    with np.errstate(all="ignore"):
        shifted = x - x.max(-1, keepdims=True) if x.size else x
        logarithm = np.log(np.exp(shifted).sum(-1, keepdims=True))
        logs = shifted - logarithm
        error = accumulation_eps(dtype) * (np.abs(shifted) + 4 * np.abs(logarithm) + 8)
    return logs, error + 3 * DTYPES[dtype].eps * np.abs(logs)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any,
    ignore_index: int,
    reduction: str,
    label_smoothing: float,
) -> Expected:
    """nll_loss of log_softmax; shares of classes for a target of the input's shape."""
    dtype = input.dtype
    logs, error = _log_shares(_by_classes(wide(input, dtype)), dtype)
    if target.shape != input.shape:
        parts = _of_indices(dtype, logs, error, target, weight, ignore_index, label_smoothing)
        return _class_fold(dtype, *parts, reduction)
    scale = _class_weights(weight, logs, dtype)
    count = np.asarray(max(logs.shape[-1], 1), logs.dtype)
    shares = _by_classes(wide(target, dtype)) * (1 - label_smoothing) + label_smoothing / count
    with np.errstate(all="ignore"):
        value = np.sum(-logs * scale * shares, -1)
        slack = np.sum(error * np.abs(scale * shares), -1)
    return _class_fold(dtype, value, slack, np.ones_like(value), reduction)
