"""Tensors made from numbers."""

from __future__ import annotations

from .prelude import (
    Device,
    DType,
    Ints,
    Layout,
    MemoryFormat,
    Scalar,
    Tensor,
    number_dtype,
    ops,
    show,
)


def check_sizes(op: str, size: Ints) -> None:
    """Raises RuntimeError where a size is negative."""
    for length in size:
        if length < 0:
            raise RuntimeError(f"{op}: sizes must not be negative; got size {show(size)}")


def zeros(
    size: Ints,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """Zeros of the given size."""
    check_sizes("zeros", size)
    result = ops.empty(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    return ops.fill_(result, 0)


def ones(
    size: Ints,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """Ones of the given size."""
    check_sizes("ones", size)
    result = ops.empty(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    return ops.fill_(result, 1)


def full(
    size: Ints,
    fill_value: Scalar,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """One number everywhere; its own dtype unless one is given."""
    check_sizes("full", size)
    kind = number_dtype(fill_value) if dtype is None else dtype
    result = ops.empty(size, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)
    return ops.fill_(result, fill_value)


def zeros_like(
    self: Tensor,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
    memory_format: MemoryFormat | None,
) -> Tensor:
    """Zeros with the shape, dtype, device and layout of `self`."""
    result = ops.empty_like(
        self,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        memory_format=memory_format,
    )
    return ops.fill_(result, 0)


def arange_end(
    end: Scalar,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """0, 1, 2, ... below `end`."""
    return ops.arange(0, end, 1, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)


def ones_like(
    self: Tensor,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
    memory_format: MemoryFormat | None,
) -> Tensor:
    """Ones with the shape, dtype, device and layout of `self`."""
    result = ops.empty_like(
        self,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        memory_format=memory_format,
    )
    return ops.fill_(result, 1)


def full_like(
    self: Tensor,
    fill_value: Scalar,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
    memory_format: MemoryFormat | None,
) -> Tensor:
    """One number everywhere, with the shape, dtype, device and layout of `self`."""
    result = ops.empty_like(
        self,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        memory_format=memory_format,
    )
    return ops.fill_(result, fill_value)


def zero_(self: Tensor) -> Tensor:
    """`self`, all zero."""
    return ops.fill_(self, 0)


def new_full(
    self: Tensor,
    size: Ints,
    fill_value: Scalar,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """One number everywhere, with the dtype and device of `self`."""
    result = ops.new_empty(
        self, size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
    )
    return ops.fill_(result, fill_value)


def new_zeros(
    self: Tensor,
    size: Ints,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """Zeros with the dtype and device of `self`."""
    result = ops.new_empty(
        self, size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
    )
    return ops.fill_(result, 0)


def new_ones(
    self: Tensor,
    size: Ints,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """Ones with the dtype and device of `self`."""
    result = ops.new_empty(
        self, size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
    )
    return ops.fill_(result, 1)


def eye_m(
    n: int,
    m: int,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """Ones on the diagonal of a matrix of zeros."""
    check_sizes("eye", (n, m))
    result = zeros((n, m), dtype, layout, device, pin_memory)
    ops.fill_(ops.diagonal(result, 0, 0, 1), 1)
    return result


def eye(
    n: int,
    dtype: DType | None,
    layout: Layout | None,
    device: Device | None,
    pin_memory: bool | None,
) -> Tensor:
    """The identity matrix."""
    return eye_m(n, n, dtype, layout, device, pin_memory)
