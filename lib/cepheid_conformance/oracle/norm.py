"""Reference values of softmax and of norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, cast
from ..expected import Expected, within_bound
from ..wide import widen
from .common import normal_dim
from .reduce import accumulation_eps, reduced_axes


def softmax(self: Any, dim: int, dtype: str | None) -> Expected:
    """exp(x - max) / sum(exp(x - max)) along a dim."""
    result = dtype or self.dtype
    x = widen(cast(self.data, self.info, DTYPES[result]), result)
    axis = normal_dim(dim, len(self.shape)) if self.shape else None
    eps = accumulation_eps(result)
    with np.errstate(all="ignore"):
        if x.size == 0:
            return within_bound(result, x, 0.0)
        shifted = x - x.max(axis=axis, keepdims=True)
        terms = np.exp(shifted)
        value = terms / terms.sum(axis=axis, keepdims=True)
        # The difference carries half a unit of the larger operand, which exp makes relative.
        count = x.shape[axis] if axis is not None else 1
        largest = np.abs(x).max(axis=axis, keepdims=True)
        relative = eps * (math.log2(count) + 8 + np.where(np.isfinite(largest), largest, 0))
        # Of operands that are far beyond the range of exp every difference is 0 or infinite.
        relative = np.minimum(relative, 0.5)
        bound = np.where(np.isfinite(value), value, 0) * relative
    # Results below the smallest normal may lose their last bits.
    floor = 2 * DTYPES[result].smallest + 4 * DTYPES["float32"].tiny * (result != "float64")
    return within_bound(result, np.asarray(value), bound + floor, any_zero_sign=False)


def log_softmax(self: Any, dim: int, dtype: str | None) -> Expected:
    """x - log(sum(exp(x))) along a dim."""
    result = dtype or self.dtype
    x = widen(cast(self.data, self.info, DTYPES[result]), result)
    axis = normal_dim(dim, len(self.shape)) if self.shape else None
    with np.errstate(all="ignore"):
        if x.size == 0:
            return within_bound(result, x, 0.0)
        shifted = x - x.max(axis=axis, keepdims=True)
        logarithm = np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
        value = shifted - logarithm
        bound = accumulation_eps(result) * (np.abs(shifted) + 4 * logarithm + 8)
        bound = np.where(np.isfinite(bound), bound, 0)
    return within_bound(result, np.asarray(value), bound)


def logsumexp(self: Any, dim: Sequence[int], keepdim: bool = False) -> Expected:
    """log(sum(exp(x))) over dims; of nothing, -infinity."""
    result = self.dtype if self.info.is_inexact else "float32"
    axes = reduced_axes(dim, len(self.shape))
    x = widen(cast(self.data, self.info, DTYPES[result]), result)
    with np.errstate(all="ignore"):
        largest = x.max(axis=axes, keepdims=True, initial=-np.inf)
        base = np.where(np.isfinite(largest), largest, 0)
        total = np.exp(x - base).sum(axis=axes, keepdims=True)
        value = np.where(np.isfinite(largest), base + np.log(total), largest)
        bound = accumulation_eps(result) * (np.abs(base) + 4 * np.abs(np.log(total)) + 8)
        bound = np.where(np.isfinite(value) & np.isfinite(bound), bound, 0)
    shape = value.shape if keepdim else np.sum(x, axis=axes).shape
    return within_bound(result, value.reshape(shape), bound.reshape(shape))


def layer_norm(
    input: Any,
    normalized_shape: Sequence[int],
    weight: Any,
    bias: Any,
    eps: float,
    cudnn_enable: bool = True,
) -> Expected:
    """(x - mean) / sqrt(variance + eps) over the last dims, then scaled and shifted."""
    dtype = input.dtype
    x = widen(input.data, dtype)
    axes = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    scale = widen(weight.data, weight.dtype) if weight is not None else np.ones((), x.dtype)
    shift = widen(bias.data, bias.dtype) if bias is not None else np.zeros((), x.dtype)
    return _standardised(dtype, x, axes, scale, shift, eps)


def _standardised(
    dtype: str, x: Array, axes: tuple[int, ...], scale: Array, shift: Array, eps: float
) -> Expected:
    """By the mean and the deviation over axes, then scaled and shifted."""
    with np.errstate(all="ignore"):
        if x.size == 0:
            return within_bound(dtype, x, 0.0)
        mean = x.mean(axis=axes, keepdims=True)
        variance = ((x - mean) ** 2).mean(axis=axes, keepdims=True)
        # The mean's error enters each element; both it and the variance are pairwise sums.
        size = np.abs(x).max(axis=axes, keepdims=True)
        count = math.prod(x.shape[axis] for axis in axes)
    return _about(dtype, x, (mean, variance + eps), (scale, shift), size, count)


def _about(
    dtype: str,
    x: Array,
    moments: tuple[Array, Array],
    affine: tuple[Array, Array],
    size: Array,
    count: int,
) -> Expected:
    """(x - mean) / sqrt(variance) scale + shift; `size`: of the terms of the moments."""
    unit = accumulation_eps(dtype)
    scale, shift = affine
    with np.errstate(all="ignore"):
        centred, deviation = x - moments[0], np.sqrt(moments[1])
        value = centred / deviation * scale + shift
        factor = (math.log2(max(count, 1)) + 8) * unit
        relative = np.abs(centred) / deviation * (1 + size**2 / deviation**2 * unit)
        bound = factor * ((size / deviation + relative) * np.abs(scale) + np.abs(shift))
        bound = np.where(np.isfinite(bound), bound, 0)
    return within_bound(dtype, np.asarray(value), bound)


def rms_norm(
    input: Any, normalized_shape: Sequence[int], weight: Any, eps: float | None
) -> Expected:
    """x / sqrt(mean(x^2) + eps) over the last dims, then scaled."""
    dtype = input.dtype
    x = widen(input.data, dtype)
    if x.size == 0:
        return within_bound(dtype, x, 0.0)
    axes = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    scale = widen(weight.data, weight.dtype) if weight is not None else np.ones((), x.dtype)
    added = DTYPES[dtype].eps if eps is None else eps
    with np.errstate(all="ignore"):
        value = x / np.sqrt((x**2).mean(axis=axes, keepdims=True) + added)
        factor = (math.log2(math.prod(normalized_shape)) + 8) * accumulation_eps(dtype)
        # Normalised elements may be rounded before they are scaled.
        rounding = DTYPES[dtype].eps / 2 if weight is not None else 0
        bound = (factor + rounding) * np.abs(value * scale)
        bound = np.where(np.isfinite(bound), bound, 0)
    return within_bound(dtype, value * scale, bound)


def _of_channels(given: Any, rank: int, otherwise: float) -> Array:
    """One number for each channel, as an array that broadcasts to the input."""
    if given is None:
        return np.asarray(otherwise, np.longdouble)
    return widen(given.data, given.dtype).reshape(-1, *([1] * (rank - 2)))


def group_norm(input: Any, num_groups: int, weight: Any, bias: Any, eps: float) -> Expected:
    """Over groups of channels of each item, then scaled and shifted by channel."""
    dtype, shape = input.dtype, input.shape
    x = widen(input.data, dtype)
    if x.size == 0:
        return within_bound(dtype, x, 0.0)
    grouped = (shape[0], num_groups, shape[1] // num_groups, *shape[2:])

    def by_group(given: Any, otherwise: float) -> Array:
        numbers = _of_channels(given, len(shape), otherwise)
        return np.broadcast_to(numbers, shape).reshape(grouped)

    axes = tuple(range(2, len(grouped)))
    found = _standardised(
        dtype, x.reshape(grouped), axes, by_group(weight, 1), by_group(bias, 0), eps
    )
    return _reshaped(found, shape)


def _reshaped(found: Expected, shape: tuple[int, ...]) -> Expected:
    value = np.asarray(found.value)
    bound = np.broadcast_to(np.asarray(found.bound), value.shape)
    return within_bound(found.dtype, value.reshape(shape), bound.reshape(shape))


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any,
    bias: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> Expected:
    """Over all but the channels, or by the running statistics, then scaled and shifted."""
    dtype, rank = input.dtype, len(input.shape)
    x = widen(input.data, dtype)
    affine = _of_channels(weight, rank, 1), _of_channels(bias, rank, 0)
    if training:
        axes = tuple(axis for axis in range(rank) if axis != 1)
        return _standardised(dtype, x, axes, *affine, eps)
    mean, variance = (_of_channels(given, rank, 0) for given in (running_mean, running_var))
    size = np.abs(x) + np.abs(mean)
    return _about(dtype, x, (mean, variance + eps), affine, size, 1)


def normalize(input: Any, p: float, dim: int, eps: float) -> Expected:
    """Divided by the p-norm along a dim, or by eps where that is more."""
    dtype = input.dtype
    x = widen(input.data, dtype)
    axis = normal_dim(dim, x.ndim) if x.ndim else None
    if x.size == 0:
        return within_bound(dtype, x, 0.0)
    with np.errstate(all="ignore"):
        size = _norm(np.abs(x), p, axis)
        value = x / np.maximum(size, eps)
        count = x.shape[axis] if axis is not None else 1
        relative = DTYPES[dtype].eps + (math.log2(count) + 16) * accumulation_eps(dtype)
        bound = np.where(np.isfinite(value), np.abs(value), 0) * relative
    return within_bound(dtype, value, bound + DTYPES[dtype].smallest)


def _norm(size: Array, p: float, axis: int | None) -> Array:
    if math.isinf(p):
        return np.asarray(size.max(axis=axis, keepdims=True))
    if p == 0:
        return np.asarray((size != 0).sum(axis=axis, keepdims=True, dtype=size.dtype))
    return np.asarray((size**p).sum(axis=axis, keepdims=True) ** (1 / np.longdouble(p)))
