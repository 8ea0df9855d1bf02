"""Shapes of reductions, and the folds over everything."""

from __future__ import annotations

from .prelude import DType, Ints, Scalar, Shape, Tensor, numel, ops, show, wrap_dim


def scalar_shape(op: str) -> Shape:
    """No dimensions."""
    return ()


def folded(op: str, rank: int, dim: Ints | None) -> Ints:
    """1 for each dimension that is folded, else 0; a tensor without dimensions counts as one."""
    limit = max(rank, 1)
    if dim is None or len(dim) == 0:
        return (1,) * limit
    result = (0,) * limit
    for d in dim:
        i = wrap_dim(op, d, rank)
        if result[i] == 1:
            raise RuntimeError(
                f"{op}: each dimension may be named once; got dim {show(dim)}, where {i} repeats"
            )
        result = (*result[:i], 1, *result[i + 1 :])
    return result


def without_folded(self: Shape, flags: Ints, keepdim: bool) -> Shape:
    """`self` with folded dimensions dropped, or kept with size 1."""
    result = ()
    for i in range(len(self)):
        if flags[i] == 0:
            result = (*result, self[i])
        elif keepdim:
            result = (*result, 1)
    return result


def reduced(op: str, self: Shape, dim: Ints | None, keepdim: bool) -> Shape:
    """`dim` folded; None or () folds everything."""
    return without_folded(self, folded(op, len(self), dim), keepdim)


def reduced_listed(op: str, self: Shape, dim: Ints | None, keepdim: bool) -> Shape:
    """`dim` folded; None folds everything, () nothing."""
    if dim is not None and len(dim) == 0:
        return self
    return without_folded(self, folded(op, len(self), dim), keepdim)


def reduced_nonempty(op: str, self: Shape, dim: Ints, keepdim: bool) -> Shape:
    """As `reduced`, for folds without a neutral element: what is folded must hold something."""
    flags = folded(op, len(self), dim)
    for i in range(len(self)):
        if flags[i] == 1 and self[i] == 0:
            if len(dim) == 0:
                raise RuntimeError(
                    f"{op}: a fold over no elements has no value; got shape {show(self)},"
                    f" name a dim whose size isn't 0"
                )
            raise IndexError(
                f"{op}: dim {i} must have a size above 0; got shape {show(self)}, fold another dim"
            )
    return without_folded(self, flags, keepdim)


def reduced_one(op: str, self: Shape, dim: int | None, keepdim: bool) -> Shape:
    """One dimension folded, or everything when dim is None; what is folded must hold something."""
    if dim is None:
        for size in self:
            if size == 0:
                raise IndexError(
                    f"{op}: a fold over no elements has no value; got shape {show(self)},"
                    f" name a dim whose size isn't 0"
                )
        return without_folded(self, (1,) * len(self), keepdim)
    i = wrap_dim(op, dim, len(self))
    if len(self) > 0 and self[i] == 0:
        raise IndexError(
            f"{op}: dim {i} must have a size above 0; got shape {show(self)}, fold another dim"
        )
    return without_folded(self, folded(op, len(self), (dim,)), keepdim)


def whole_nonempty(op: str, self: Shape) -> Shape:
    """No dimensions; there must be something to fold."""
    if numel(op, self) == 0:
        raise RuntimeError(
            f"{op}: a fold over no elements has no value; got shape {show(self)},"
            f" name a dim whose size isn't 0"
        )
    return ()


def counted(op: str, self: Shape, dim: Ints) -> Shape:
    """`dim` folded away; () folds everything."""
    return without_folded(self, folded(op, len(self), dim), False)


def reduced_int(op: str, self: Shape, dim: int, keepdim: bool) -> Shape:
    """One dimension folded."""
    return without_folded(self, folded(op, len(self), (dim,)), keepdim)


def sum_all(self: Tensor, dtype: DType | None) -> Tensor:
    """The sum of all elements."""
    return ops.sum(self, None, False, dtype=dtype)


def mean_all(self: Tensor, dtype: DType | None) -> Tensor:
    """The mean of all elements."""
    return ops.mean(self, None, False, dtype=dtype)


def count_nonzero_dim(self: Tensor, dim: int | None) -> Tensor:
    """How many elements along one dimension, or of all, are not zero."""
    return ops.count_nonzero(self, () if dim is None else (dim,))


def var_all(self: Tensor, unbiased: bool) -> Tensor:
    """`var` over everything."""
    return ops.var(self, None, correction=1 if unbiased else 0)


def var_unbiased(self: Tensor, dim: Ints | None, unbiased: bool, keepdim: bool) -> Tensor:
    """`var` with the correction that unbiased stands for."""
    return ops.var(self, dim, correction=1 if unbiased else 0, keepdim=keepdim)


def var_mean_all(self: Tensor, unbiased: bool) -> tuple[Tensor, Tensor]:
    """`var` and mean over everything."""
    return var_mean(self, None, 1 if unbiased else 0, False)


def var_mean_unbiased(
    self: Tensor, dim: Ints | None, unbiased: bool, keepdim: bool
) -> tuple[Tensor, Tensor]:
    """`var` and mean with the correction that unbiased stands for."""
    return var_mean(self, dim, 1 if unbiased else 0, keepdim)


def var_mean(
    self: Tensor, dim: Ints | None, correction: Scalar | None, keepdim: bool
) -> tuple[Tensor, Tensor]:
    """`var` and mean of the same elements."""
    return (
        ops.var(self, dim, correction=correction, keepdim=keepdim),
        ops.mean(self, dim, keepdim),
    )


def std_all(self: Tensor, unbiased: bool) -> Tensor:
    """`std` over everything."""
    return ops.std(self, None, correction=1 if unbiased else 0)


def std_unbiased(self: Tensor, dim: Ints | None, unbiased: bool, keepdim: bool) -> Tensor:
    """`std` with the correction that unbiased stands for."""
    return ops.std(self, dim, correction=1 if unbiased else 0, keepdim=keepdim)


def std_mean_all(self: Tensor, unbiased: bool) -> tuple[Tensor, Tensor]:
    """`std` and mean over everything."""
    return std_mean(self, None, 1 if unbiased else 0, False)


def std_mean_unbiased(
    self: Tensor, dim: Ints | None, unbiased: bool, keepdim: bool
) -> tuple[Tensor, Tensor]:
    """`std` and mean with the correction that unbiased stands for."""
    return std_mean(self, dim, 1 if unbiased else 0, keepdim)


def std_mean(
    self: Tensor, dim: Ints | None, correction: Scalar | None, keepdim: bool
) -> tuple[Tensor, Tensor]:
    """`std` and mean of the same elements."""
    return (
        ops.std(self, dim, correction=correction, keepdim=keepdim),
        ops.mean(self, dim, keepdim),
    )
