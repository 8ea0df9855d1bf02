"""Reference values of matrix products."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array
from ..expected import Expected, exact, within_bound
from ..tensors import Tensor
from ..wide import widen
from .common import is_integer, wrapping
from .pointwise import mul
from .reduce import accumulation_eps


def matmul(**operands: Any) -> Expected:
    """The product of self and mat2 (mm, bmm) or other (matmul)."""
    first, second = operands.values()
    dtype = first.dtype
    if is_integer(dtype):
        return exact(dtype, np.matmul(wrapping(first.data), wrapping(second.data)))
    a, b = widen(first.data, dtype), widen(second.data, dtype)
    with np.errstate(all="ignore"):
        value = np.matmul(a, b)
        size = np.matmul(magnitude(a), magnitude(b))
    return within_bound(dtype, value, product_bound(size, first.shape[-1], dtype))


def addmm(self: Any, beta: Any, alpha: Any, **operands: Any) -> Expected:
    """beta self + alpha times the product; with a beta of 0 self does not enter, NaN or not."""
    first, second = operands.values()
    dtype = first.dtype
    added: Any = 0
    if is_integer(dtype):
        if beta != 0:
            added = wrapping(self.data) * np.int64(beta)
        product = np.matmul(wrapping(first.data), wrapping(second.data))
        return exact(dtype, added + np.int64(alpha) * product)
    a, b = widen(first.data, dtype), widen(second.data, dtype)
    with np.errstate(all="ignore"):
        if beta != 0:
            added = widen(self.data, dtype) * beta
        product = np.matmul(a, b)
        size = abs(alpha) * np.matmul(magnitude(a), magnitude(b))
        value = added + alpha * product
    bound = product_bound(size + magnitude(added), first.shape[-1], dtype)
    return within_bound(dtype, value, bound)


def outer(self: Any, vec2: Any) -> Expected:
    """Each element of self by each of vec2."""
    return mul(Tensor(self.dtype, self.data[:, None]), vec2)


def linear(input: Any, weight: Any, bias: Any) -> Expected:
    """The product with the transposed weight, and the bias added to each row."""
    dtype = input.dtype
    turned = np.swapaxes(weight.data, -1, -2) if weight.data.ndim == 2 else weight.data
    if is_integer(dtype):
        value = np.matmul(wrapping(input.data), wrapping(turned))
        return exact(dtype, value if bias is None else value + wrapping(bias.data))
    a, b = widen(input.data, dtype), widen(turned, dtype)
    added: Any = 0 if bias is None else widen(bias.data, dtype)
    with np.errstate(all="ignore"):
        value = np.matmul(a, b) + added
        size = np.matmul(magnitude(a), magnitude(b)) + magnitude(added)
    return within_bound(dtype, value, product_bound(size, input.shape[-1], dtype))


def magnitude(values: Array) -> Array:
    """|values|; infinities and NaN don't enter bounds."""
    return np.asarray(np.where(np.isfinite(values), np.abs(values), 0))


def product_bound(size: Array, terms: int, dtype: str) -> Array:
    """Error of a product of matrices: (2 sqrt(K) + 4) eps (|A||B|); complex products take four."""
    factor = (2 * math.sqrt(terms) + 4) * (2 if DTYPES[dtype].is_complex else 1)
    return np.asarray(size * factor * accumulation_eps(dtype))


def kron(self: Any, other: Any) -> Expected:
    """A copy of other, times an element, in the place of each element of self."""
    rank = max(len(self.shape), len(other.shape))
    left = self.data.reshape((1,) * (rank - len(self.shape)) + self.shape)
    right = other.data.reshape((1,) * (rank - len(other.shape)) + other.shape)
    apart, beside = tuple(range(1, 2 * rank, 2)), tuple(range(0, 2 * rank, 2))
    spread = Tensor(self.dtype, np.expand_dims(left, apart))
    expected = mul(spread, Tensor(other.dtype, np.expand_dims(right, beside)))
    shape = tuple(a * b for a, b in zip(left.shape, right.shape, strict=True))
    bound = expected.bound
    if bound is not None:
        bound = np.broadcast_to(np.asarray(bound), expected.shape).reshape(shape)
    assert expected.value is not None
    return replace(expected, value=expected.value.reshape(shape), bound=bound)
