"""Reference values of softmax and layer_norm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import DTYPES, cast
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
    unit = accumulation_eps(dtype)
    count = math.prod(normalized_shape)
    with np.errstate(all="ignore"):
        if x.size == 0:
            return within_bound(dtype, x, 0.0)
        mean = x.mean(axis=axes, keepdims=True)
        centred = x - mean
        variance = (centred**2).mean(axis=axes, keepdims=True)
        deviation = np.sqrt(variance + eps)
        scale = widen(weight.data, dtype) if weight is not None else np.ones((), x.dtype)
        shift = widen(bias.data, dtype) if bias is not None else np.zeros((), x.dtype)
        value = centred / deviation * scale + shift
        # The mean's error enters each element; both it and the variance are pairwise sums.
        size = np.abs(x).max(axis=axes, keepdims=True)
        factor = (math.log2(max(count, 1)) + 8) * unit
        relative = np.abs(centred) / deviation * (1 + size**2 / deviation**2 * unit)
        bound = factor * ((size / deviation + relative) * np.abs(scale) + np.abs(shift))
        bound = np.where(np.isfinite(bound), bound, 0)
    return within_bound(dtype, np.asarray(value), bound)
