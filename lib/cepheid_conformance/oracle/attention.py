"""Reference values of attention: softmax(q k^T scale + mask) v in a wider type."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array
from ..expected import Expected, within_bound
from ..wide import widen
from .reduce import accumulation_eps


def _seen(mask: Any, is_causal: bool, queries: int, keys: int) -> Array:
    """What is added to the scores."""
    if is_causal:
        return np.where(np.tril(np.ones((queries, keys), bool)), 0.0, -np.inf)
    if mask is None:
        return np.zeros((queries, keys))
    if mask.dtype == "bool":
        return np.where(mask.data, 0.0, -np.inf)
    return np.asarray(widen(mask.data, mask.dtype))


def _heads(array: Array, heads: int) -> Array:
    return np.repeat(array, heads // array.shape[-3], axis=-3)


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> Expected:
    """All weights are dropped (dropout_p 1) or none: between them values are random. A query that
    sees nothing gets 0."""
    dtype = query.dtype
    q, k, v = (widen(item.data, dtype) for item in (query, key, value))
    if enable_gqa:
        k, v = _heads(k, q.shape[-3]), _heads(v, q.shape[-3])
    depth, keys = q.shape[-1], k.shape[-2]
    factor = 1 / math.sqrt(max(depth, 1)) if scale is None else scale
    added = _seen(attn_mask, is_causal, q.shape[-2], keys)
    with np.errstate(all="ignore"):
        scores = np.matmul(q, np.swapaxes(k, -1, -2)) * factor + added
        size = np.matmul(np.abs(q), np.swapaxes(np.abs(k), -1, -2)) * abs(factor) + np.abs(
            np.where(np.isfinite(added), added, 0)
        )
        largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        terms = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
        total = terms.sum(axis=-1, keepdims=True)
        weights = terms / np.where(total == 0, 1, total)
        if dropout_p == 1:
            weights = np.zeros_like(weights)
        result = np.matmul(weights, v)
        bound = _bound(dtype, weights, size, v, depth, keys)
    return within_bound(dtype, result, bound)


def _bound(dtype: str, weights: Array, size: Array, v: Array, depth: int, keys: int) -> Array:
    """Scores carry the error of their product, and so, relatively, do weights; both products and
    the weights may be rounded to the dtype on the way."""
    unit = accumulation_eps(dtype)
    most = np.where(np.isfinite(weights), size, 0).max(axis=-1, keepdims=True, initial=0)
    relative = unit * ((depth + 4) * most + 8 + keys) + DTYPES[dtype].eps * (1 + most)
    bound = 2 * np.matmul(weights * relative, np.abs(v))
    return np.where(np.isfinite(bound), bound, 0)


def _attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any,
    kept: Any,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> Expected:
    """The same."""
    return scaled_dot_product_attention(
        query, key, value, attn_mask, 0.0, is_causal, scale, enable_gqa
    )
