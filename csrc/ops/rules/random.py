"""Random tensors: an empty one, filled by a draw."""

from __future__ import annotations

from .creation import check_sizes
from .prelude import Device, DType, Generator, Ints, Layout, MemoryFormat, Tensor, ops


def rand(
    size: Ints,
    generator: Generator | None,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """Uniform on [0, 1)."""
    check_sizes("rand", size)
    result = ops.empty(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    return ops.uniform_(result, 0.0, 1.0, generator=generator)


def randn(
    size: Ints,
    generator: Generator | None,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """Normal with mean 0 and variance 1."""
    check_sizes("randn", size)
    result = ops.empty(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    return ops.normal_(result, 0.0, 1.0, generator=generator)


def randint_high(
    high: int,
    size: Ints,
    generator: Generator | None,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """Integers from 0 to below `high`."""
    return randint_low(0, high, size, generator, dtype, layout, device, pin_memory)


def randint_low(
    low: int,
    high: int,
    size: Ints,
    generator: Generator | None,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """Integers from `low` to below `high`."""
    check_sizes("randint", size)
    if low >= high:
        raise RuntimeError(f"randint: low must be below high; got low {low} and high {high}")
    result = ops.empty(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    return ops.random_(result, low, high, generator=generator)


def rand_like(
    self: Tensor,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
    memory_format: MemoryFormat | None,
) -> Tensor:
    """Uniform on [0, 1), with the shape, dtype, device and layout of `self`."""
    result = ops.empty_like(
        self,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        memory_format=memory_format,
    )
    return ops.uniform_(result, 0.0, 1.0)


def randn_like(
    self: Tensor,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
    memory_format: MemoryFormat | None,
) -> Tensor:
    """Normal with mean 0 and variance 1, with the shape, dtype, device and layout of `self`."""
    result = ops.empty_like(
        self,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        memory_format=memory_format,
    )
    return ops.normal_(result, 0.0, 1.0)


def randint_like(
    self: Tensor,
    high: int,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
    memory_format: MemoryFormat | None,
) -> Tensor:
    """Integers from 0 to below `high`, with the shape, dtype, device and layout of `self`."""
    return randint_like_low(self, 0, high, dtype, layout, device, pin_memory, memory_format)


def randint_like_low(
    self: Tensor,
    low: int,
    high: int,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
    memory_format: MemoryFormat | None,
) -> Tensor:
    """Integers from `low` to below `high`, with the shape, dtype, device and layout of `self`."""
    if low >= high:
        raise RuntimeError(f"randint_like: low must be below high; got low {low} and high {high}")
    result = ops.empty_like(
        self,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        memory_format=memory_format,
    )
    return ops.random_(result, low, high)


def normal_sized(
    mean: float,
    std: float,
    size: Ints,
    generator: Generator | None,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """Normal with a mean and a standard deviation."""
    check_sizes("normal", size)
    result = ops.empty(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    return ops.normal_(result, mean, std, generator=generator)


def random_to(self: Tensor, to: int, generator: Generator | None) -> Tensor:
    """Integers from 0 to below `to`."""
    return ops.random_(self, 0, to, generator=generator)


def nn_dropout(input: Tensor, p: float, training: bool) -> Tensor:
    """Elements zeroed with probability p, the others divided by what is left."""
    if not (p >= 0.0 and p <= 1.0):
        raise ValueError(f"dropout: p must lie in [0, 1]; got {p}")
    return ops.dropout(input, p, training)
