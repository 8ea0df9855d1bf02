"""Derivatives of scatter_reduce and take_along_dim, made of ops as in derivatives.py."""

from __future__ import annotations

from .prelude import Shape, Tensor, numel, ops, wrap_dim


def from_front(indices: Tensor, size: int) -> Tensor:
    """Places counted from the front, also those given from the end."""
    return ops.remainder(ops.to(indices, "int64"), max(size, 1))


def take_backward(op: str, grad: Tensor, sizes: Shape, index: Tensor) -> Tensor:
    """Each place of the flattened tensor gets the sum of what was taken from it."""
    count = index.numel()
    length = numel(op, sizes)
    places = from_front(ops.reshape(index, (count,)), length)
    whole = ops.new_zeros(grad, (length,))
    return ops.reshape(ops.index_add(whole, 0, places, ops.reshape(grad, (count,))), sizes)


def take_along_dim_backward(
    op: str, grad: Tensor, sizes: Shape, indices: Tensor, dim: int | None
) -> Tensor:
    """Each place gets the sum of what was taken from it."""
    if dim is None:
        return take_backward(op, grad, sizes, indices)
    i = wrap_dim(op, dim, len(sizes))
    whole = ops.new_zeros(grad, (*grad.shape[:i], sizes[i], *grad.shape[i + 1 :]))
    places = from_front(ops.expand(indices, grad.shape), sizes[i])
    return ops.scatter_add(whole, i, places, grad)


def unless_replaced(op: str, grad: Tensor, dim: int, index: Tensor, include_self: bool) -> Tensor:
    """Of self: nothing where what was there before doesn't count."""
    if include_self:
        return grad
    return grad * ops.scatter(ops.ones_like(grad), dim, index, 0)


def in_each_place(
    op: str, of_self: Tensor, dim: int, index: Tensor, of_src: Tensor, include_self: bool
) -> Tensor:
    """The sum of numbers that belong to the elements that meet in a place."""
    start = of_self if include_self else ops.zeros_like(of_self)
    return ops.scatter_add(start, dim, index, of_src)


def without_each(op: str, x: Tensor, product: Tensor, zeros: Tensor) -> Tensor:
    """The product of a place without one of its elements, by that of those that aren't zero."""
    none = ops.eq(x, 0)
    others = zeros - ops.to(none, zeros.dtype)
    return ops.where(ops.eq(others, 0), product / ops.masked_fill(x, none, 1), 0)


def used(src: Tensor, index: Tensor) -> Tensor:
    """The corner of src that the index has places for."""
    part = src
    for d in range(index.dim()):
        part = ops.narrow(part, d, 0, index.shape[d])
    return part


def in_corner(op: str, made: Tensor, sizes: Shape) -> Tensor:
    """The gradient of src, zero outside the corner that was used."""
    whole = ops.new_zeros(made, sizes)
    ops.copy_(used(whole, made), made)
    return whole


def scatter_prod_backward(
    op: str, grad: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, include_self: bool
) -> tuple[Tensor, Tensor]:
    """Each element gets the product of the others of its place."""
    of_self = ops.eq(self, 0)
    of_src = ops.eq(src, 0)
    zeros = in_each_place(
        op, ops.to(of_self, grad.dtype), dim, index, ops.to(of_src, grad.dtype), include_self
    )
    one = ops.masked_fill(self, of_self, 1)
    start = one if include_self else ops.ones_like(self)
    product = ops.scatter_reduce(start, dim, index, ops.masked_fill(src, of_src, 1), "prod")
    places = ops.gather(product, dim, index)
    made = ops.gather(grad, dim, index)
    made = made * without_each(op, src, places, ops.gather(zeros, dim, index))
    return grad * without_each(op, self, product, zeros), made


def scatter_extreme_backward(
    op: str,
    grad: Tensor,
    self: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    include_self: bool,
    result: Tensor,
) -> tuple[Tensor, Tensor]:
    """Elements that are equal to the extreme of their place share its gradient evenly."""
    of_self = ops.to(ops.eq(self, result), grad.dtype)
    of_src = ops.to(ops.eq(src, ops.gather(result, dim, index)), grad.dtype)
    count = in_each_place(op, of_self, dim, index, of_src, include_self)
    share = grad / ops.clamp_min(count, 1)
    return of_self * share, of_src * ops.gather(share, dim, index)


def scatter_reduce_backward(
    op: str,
    grad: Tensor,
    self: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    include_self: bool,
    result: Tensor,
) -> tuple[Tensor, Tensor]:
    """Of self and src."""
    given = used(src, index)
    of_self = grad
    of_src = ops.gather(grad, dim, index)
    if reduce == "mean":
        ones = ops.ones_like(given)
        count = in_each_place(op, ops.ones_like(grad), dim, index, ones, include_self)
        of_self = grad / ops.clamp_min(count, 1)
        of_src = ops.gather(of_self, dim, index)
    elif reduce == "prod":
        both = scatter_prod_backward(op, grad, self, dim, index, given, include_self)
        of_self = both[0]
        of_src = both[1]
    elif reduce != "sum":
        both = scatter_extreme_backward(
            op, grad, self, dim, index, given, include_self, result
        )
        of_self = both[0]
        of_src = both[1]
    replaced = unless_replaced(op, of_self, dim, index, include_self)
    return replaced, in_corner(op, of_src, src.shape)
