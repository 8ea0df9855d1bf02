"""Layouts: the same values at other places of a storage, or values that overlap."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .tensors import Tensor, contiguous_strides, strided


def transposed(tensor: Tensor) -> Tensor:
    """Memory order of the dims reversed."""
    strides = contiguous_strides(tensor.shape[::-1])[::-1]
    return replace(tensor, strides=strides, layout="transposed")


def stepped(tensor: Tensor) -> Tensor:
    """Every second element, in each dim's memory."""
    strides = tuple(2 * stride for stride in contiguous_strides(tensor.shape))
    return replace(tensor, strides=strides, layout="step 2")


def shifted(tensor: Tensor) -> Tensor:
    """Contiguous, five elements into the storage, with more behind."""
    return replace(tensor, offset=5, extra=3, layout="offset 5")


def guarded(tensor: Tensor) -> Tensor:
    """Contiguous, with room on both sides for what is written beyond an end."""
    return replace(tensor, offset=24, extra=48, layout="guarded")


def padded(tensor: Tensor) -> Tensor:
    """Rows three elements longer than their values."""
    if len(tensor.shape) < 2:
        return replace(tensor, offset=1, extra=7, layout="padded")
    outer = contiguous_strides((*tensor.shape[:-1], tensor.shape[-1] + 3))
    return replace(tensor, strides=outer, offset=2, layout="padded rows")


def expanded(tensor: Tensor) -> Tensor:
    """The first index repeated along the first dim: stride 0."""
    if not tensor.shape or tensor.shape[0] < 2:
        return tensor
    data = np.broadcast_to(tensor.data[:1], tensor.shape)
    strides = (0, *contiguous_strides(tensor.shape)[1:])
    return replace(tensor, data=data, strides=strides, layout="expanded")


def expanded_last(tensor: Tensor) -> Tensor:
    """The last index repeated along the last dim: stride 0."""
    if len(tensor.shape) < 2 or tensor.shape[-1] < 2:
        return tensor
    data = np.broadcast_to(tensor.data[..., :1], tensor.shape)
    strides = (*contiguous_strides(tensor.shape[:-1]), 0)
    return replace(tensor, data=data, strides=strides, layout="expanded last")


def overlapping(tensor: Tensor) -> Tensor:
    """Windows over one line: rows start one element apart."""
    if len(tensor.shape) < 2 or tensor.data.size == 0:
        return tensor
    strides = (1,) * len(tensor.shape)
    length = 1 + sum(size - 1 for size in tensor.shape)
    line = np.resize(tensor.data.ravel(), length)
    data = strided(line, tensor.shape, strides).copy()
    return replace(tensor, data=data, strides=strides, layout="overlapping windows")


def channels_last(tensor: Tensor) -> Tensor:
    """Rank 4 with the second dim innermost."""
    if len(tensor.shape) != 4:
        return tensor
    _n, c, h, w = tensor.shape
    return replace(tensor, strides=(c * h * w, 1, w * c, c), layout="channels last")


def middle_first(tensor: Tensor) -> Tensor:
    """Rank 3 and more: the first two dims swapped in memory."""
    if len(tensor.shape) < 3:
        return tensor
    order = (1, 0, *range(2, len(tensor.shape)))
    inner = contiguous_strides(tuple(tensor.shape[dim] for dim in order))
    strides = [0] * len(order)
    for place, dim in enumerate(order):
        strides[dim] = inner[place]
    return replace(tensor, strides=tuple(strides), layout="first two dims swapped")


LAYOUTS: tuple[Callable[[Tensor], Tensor], ...] = (
    transposed,
    stepped,
    shifted,
    padded,
    expanded,
    expanded_last,
    overlapping,
    channels_last,
    middle_first,
)
# Layouts in which no two elements share a place: an op may write to them.
WRITABLE = (transposed, stepped, shifted, padded, channels_last, middle_first)


def is_dense(tensor: Tensor) -> bool:
    """Whether the elements fill their span without gap or overlap."""
    return (
        tensor.data.size > 0
        and tensor.span() == math.prod(tensor.shape)
        and not any(
            stride == 0 and size > 1
            for size, stride in zip(tensor.shape, tensor.element_strides(), strict=True)
        )
    )
