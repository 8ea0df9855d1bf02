"""Ops that are views where the layout allows it and copies elsewhere."""

from __future__ import annotations

from .prelude import Ints, Tensor, infer_size, numel, ops, show, view_strides, wrap_dim


def reshape(self: Tensor, shape: Ints) -> Tensor:
    """The same elements in another shape: a view if strides exist for it, else a copy."""
    size = infer_size("reshape", shape, self.numel())
    if view_strides(self.shape, self.stride(), size) is not None:
        return ops.view(self, size)
    return ops.view(ops.contiguous(self), size)


def flatten(self: Tensor, start_dim: int, end_dim: int) -> Tensor:
    """The dimensions from start_dim to end_dim, both included, made one."""
    start = wrap_dim("flatten", start_dim, self.dim())
    end = wrap_dim("flatten", end_dim, self.dim())
    if start > end:
        raise RuntimeError(
            f"flatten: start_dim must not come after end_dim; got {start_dim} and {end_dim}"
            f" for shape {show(self.shape)}"
        )
    if self.dim() == 0:
        return ops.reshape(self, (1,))
    if start == end:
        return self
    length = numel("flatten", self.shape[start : end + 1])
    return ops.reshape(self, (*self.shape[:start], length, *self.shape[end + 1 :]))
