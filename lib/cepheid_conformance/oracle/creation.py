"""Reference results of creation, copies and conversion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, cast
from ..expected import Expected, exact, undetermined, within_ulp
from ..layouts import is_dense
from ..promotion import DEFAULT_FLOAT, number_dtype
from ..tensors import Tensor, contiguous_strides
from .common import converted

Shape = tuple[int, ...]


def empty(size: Sequence[int], dtype: str | None = None, **options: Any) -> Expected:
    """Any values, contiguous."""
    shape = tuple(size)
    return undetermined(
        dtype or DEFAULT_FLOAT, shape, strides=_format_strides(shape, options), offset=0
    )


def _format_strides(shape: Shape, options: dict[str, Any]) -> Shape:
    if options.get("memory_format") == "channels_last":
        return channels_last_strides(shape)
    return contiguous_strides(shape)


def channels_last_strides(shape: Shape) -> Shape:
    """Rank 4 with the second dim innermost."""
    _, c, h, w = shape
    return (h * w * c, 1, w * c, c)


def empty_strided(
    size: Sequence[int], stride: Sequence[int], dtype: str | None = None, **options: Any
) -> Expected:
    """Any values at the given strides."""
    return undetermined(dtype or DEFAULT_FLOAT, tuple(size), strides=tuple(stride), offset=0)


def preserved_strides(self: Tensor) -> Shape:
    """Strides of a new tensor like self: its own where it is dense, else packed in its order."""
    strides = self.element_strides()
    if is_dense(self) or 0 in self.shape:
        return strides if is_dense(self) else contiguous_strides(self.shape)
    if any(step == 0 and size > 1 for step, size in zip(strides, self.shape, strict=True)):
        return contiguous_strides(self.shape)
    order = sorted(range(len(strides)), key=lambda dim: strides[dim], reverse=True)
    packed = [0] * len(strides)
    step = 1
    for dim in reversed(order):
        packed[dim] = step
        step *= self.shape[dim]
    return tuple(packed)


def layout_like(self: Tensor, memory_format: str | None) -> Shape | None:
    """The strides of a new tensor like self, None where they are open."""
    if memory_format == "contiguous_format":
        return contiguous_strides(self.shape)
    if memory_format == "channels_last":
        return channels_last_strides(self.shape)
    # How gaps and overlaps are closed is open; what is dense keeps its strides.
    return preserved_strides(self) if is_dense(self) or 0 in self.shape else None


def empty_like(
    self: Any, dtype: str | None = None, memory_format: str | None = None, **options: Any
) -> Expected:
    """Any values in the shape of self."""
    strides = layout_like(self, memory_format)
    return undetermined(dtype or self.dtype, self.shape, strides=strides, offset=0)


def zeros(size: Sequence[int], dtype: str | None = None, **options: Any) -> Expected:
    """All zero."""
    return _filled(size, 0, dtype or DEFAULT_FLOAT)


def ones(size: Sequence[int], dtype: str | None = None, **options: Any) -> Expected:
    """All one."""
    return _filled(size, 1, dtype or DEFAULT_FLOAT)


def full(
    size: Sequence[int], fill_value: Any, dtype: str | None = None, **options: Any
) -> Expected:
    """All one value; without a dtype that of the number."""
    return _filled(size, fill_value, dtype or number_dtype(fill_value))


def _filled(size: Sequence[int], value: Any, dtype: str) -> Expected:
    shape = tuple(size)
    data = np.broadcast_to(converted(value, dtype), shape)
    return exact(dtype, data, strides=contiguous_strides(shape), offset=0)


def zeros_like(
    self: Any, dtype: str | None = None, memory_format: str | None = None, **options: Any
) -> Expected:
    """Zeros in the shape of self."""
    name = dtype or self.dtype
    data = np.zeros(self.shape, DTYPES[name].carrier)
    return exact(name, data, strides=layout_like(self, memory_format), offset=0)


def arange_end(end: Any, dtype: str | None = None, **options: Any) -> Expected:
    """0, 1, ... below end."""
    return arange(0, end, 1, dtype)


def arange(start: Any, end: Any, step: Any, dtype: str | None = None, **options: Any) -> Expected:
    """start + i * step for i below ceil((end - start) / step)."""
    whole = all(isinstance(value, int) for value in (start, end, step))
    name = dtype or ("int64" if whole else DEFAULT_FLOAT)
    if not DTYPES[name].is_inexact:
        stop = math.ceil(end) if step > 0 else math.floor(end)
        values = np.array(range(int(start), stop, int(step)), np.int64)
        return exact(name, values, strides=(1,), offset=0)
    count = max(math.ceil((end - start) / step), 0)
    wide: Any = np.longdouble if name == "float64" else np.float64
    steps = np.arange(count).astype(wide) * wide(step)
    # The product and the sum round in the compute type.
    compute = DTYPES["float32" if DTYPES[name].itemsize == 2 else name].eps
    bound = compute * (np.abs(steps) + abs(start))
    return within_ulp(
        name, wide(start) + steps, bound=bound, any_zero_sign=True, strides=(1,), offset=0
    )


def clone(self: Any, memory_format: str | None) -> Expected:
    """The same values in a storage of their own."""
    return exact(self.dtype, self.data, strides=layout_like(self, memory_format), offset=0)


def contiguous(self: Any, memory_format: str) -> Expected:
    """self where it is already laid out so, else a copy that is."""
    strides = _format_strides(self.shape, {"memory_format": memory_format})
    return _self_or_copy(self, self.dtype, strides, _same_layout(self, strides))


def _same_layout(self: Tensor, strides: Shape) -> bool:
    pairs = zip(self.shape, strides, self.element_strides(), strict=True)
    return 0 in self.shape or all(size == 1 or one == two for size, one, two in pairs)


def _self_or_copy(self: Tensor, dtype: str, strides: Shape | None, is_self: bool) -> Expected:
    if is_self:
        return exact(
            self.dtype,
            self.data,
            strides=self.element_strides(),
            offset=self.offset,
            alias="self",
        )
    value = cast(self.data, self.info, DTYPES[dtype])
    return exact(dtype, value, strides=strides, offset=0)


def to_copy(
    self: Any, dtype: str | None = None, memory_format: str | None = None, **options: Any
) -> Expected:
    """Converted, always in a storage of its own."""
    return _self_or_copy(self, dtype or self.dtype, layout_like(self, memory_format), False)


def to_dtype(
    self: Any,
    dtype: str | None,
    copy: bool = False,
    memory_format: str | None = None,
    **options: Any,
) -> Expected:
    """Converted; self where nothing changes and no copy is asked for."""
    name = dtype or self.dtype
    strides = layout_like(self, memory_format)
    return _self_or_copy(self, name, strides, name == self.dtype and not copy)


def to_device(self: Any, device: str, dtype: str | None = None, **options: Any) -> Expected:
    """Moved and converted; to its own device and dtype, self."""
    return to_dtype(self, dtype, **options)


def to_options(self: Any, dtype: str | None = None, **options: Any) -> Expected:
    """Converted; what isn't said stays."""
    return to_dtype(self, dtype, **options)


def to_other(self: Any, other: Any, **options: Any) -> Expected:
    """Converted to the other's dtype and device."""
    return to_dtype(self, other.dtype, **options)


def copy(self: Any, src: Any, non_blocking: bool = False) -> Expected:
    """self, holding src converted and broadcast."""
    value = np.broadcast_to(cast(src.data, src.info, self.info), self.shape)
    return _written(self, value)


def fill(self: Any, value: Any) -> Expected:
    """self, holding one value."""
    return _written(self, np.broadcast_to(converted(value, self.dtype), self.shape))


def zero(self: Any) -> Expected:
    """self, all zero."""
    return fill(self, 0)


def _written(self: Tensor, value: Array) -> Expected:
    strides = self.element_strides()
    return exact(self.dtype, value, strides=strides, offset=self.offset, alias="self")


def item(self: Any) -> Expected:
    """The one element as a Python number."""
    value = self.data.reshape(())
    plain = {"float": np.float64, "complex": np.complex128}.get(self.info.kind)
    if plain is not None:
        return Expected(self.dtype, value.astype(plain), plain=True)
    return Expected(self.dtype, value, plain=True)


def ones_like(
    self: Any, dtype: str | None = None, memory_format: str | None = None, **options: Any
) -> Expected:
    """Ones in the shape of self."""
    return full_like(self, 1, dtype, memory_format)


def full_like(
    self: Any,
    fill_value: Any,
    dtype: str | None = None,
    memory_format: str | None = None,
    **options: Any,
) -> Expected:
    """All one value, in the shape of self."""
    name = dtype or self.dtype
    data = np.broadcast_to(converted(fill_value, name), self.shape)
    return exact(name, data, strides=layout_like(self, memory_format), offset=0)


def new_empty(self: Any, size: Sequence[int], dtype: str | None, **options: Any) -> Expected:
    """Any values, in the dtype of self."""
    return empty(size, dtype or self.dtype)


def new_full(
    self: Any, size: Sequence[int], fill_value: Any, dtype: str | None, **options: Any
) -> Expected:
    """All one value, in the dtype of self."""
    return _filled(size, fill_value, dtype or self.dtype)


def new_zeros(self: Any, size: Sequence[int], dtype: str | None, **options: Any) -> Expected:
    """All zero, in the dtype of self."""
    return _filled(size, 0, dtype or self.dtype)


def new_ones(self: Any, size: Sequence[int], dtype: str | None, **options: Any) -> Expected:
    """All one, in the dtype of self."""
    return _filled(size, 1, dtype or self.dtype)


def eye(n: int, dtype: str | None = None, **options: Any) -> Expected:
    """The identity matrix."""
    return eye_m(n, n, dtype)


def eye_m(n: int, m: int, dtype: str | None = None, **options: Any) -> Expected:
    """Ones where the two places are equal."""
    name = dtype or DEFAULT_FLOAT
    data = np.equal.outer(np.arange(n), np.arange(m)).astype(DTYPES[name].carrier)
    return exact(name, data, strides=contiguous_strides((n, m)), offset=0)
