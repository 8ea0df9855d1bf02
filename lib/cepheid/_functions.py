"""Functions of the top namespace that ask a tensor about itself."""

from __future__ import annotations

from cepheid import _C


def numel(input: _C.Tensor) -> int:
    """The number of elements."""
    return input.numel()


def is_floating_point(input: _C.Tensor) -> bool:
    """Whether the dtype is a floating one (complex ones are not)."""
    return input.is_floating_point()


def is_complex(input: _C.Tensor) -> bool:
    """Whether the dtype is complex."""
    return input.is_complex()


def is_signed(input: _C.Tensor) -> bool:
    """Whether the dtype can hold negative numbers."""
    return input.is_signed()


def is_inference(input: _C.Tensor) -> bool:
    """Whether the tensor was made in inference mode."""
    return input.is_inference()
