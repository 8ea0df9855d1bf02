"""Derivatives of losses, made of ops as in derivatives.py."""

from __future__ import annotations

from .derivatives_layers import wide
from .prelude import Scalar, Shape, Tensor, ops


def smooth_sign(difference: Tensor, beta: Scalar) -> Tensor:
    """The sign, with a slope in place of the step where the difference is below beta."""
    return ops.where(ops.lt(ops.abs(difference), beta), difference / beta, ops.sgn(difference))


def class_dim(sizes: Shape) -> int:
    """Which dimension the classes are."""
    return 0 if len(sizes) == 1 else 1


def class_places(target: Tensor, ignore_index: int) -> Tensor:
    """The targets, 0 in place of those that don't count."""
    return ops.masked_fill(ops.to(target, "int64"), ops.eq(target, ignore_index), 0)


def target_weights(
    op: str, like: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int
) -> Tensor:
    """What each target counts: its class's weight, 0 where it is ignored."""
    seen = ops.to(ops.ne(target, ignore_index), like.dtype)
    if weight is None:
        return seen
    flat = ops.reshape(class_places(target, ignore_index), (target.numel(),))
    return seen * ops.reshape(ops.index_select(weight, 0, flat), target.shape)


def nll_loss_backward(
    op: str,
    grad: Tensor,
    sizes: Shape,
    target: Tensor,
    weight: Tensor | None,
    ignore_index: int,
    reduction: str,
) -> Tensor:
    """Minus its weight at each target's class."""
    dim = class_dim(sizes)
    each = target_weights(op, grad, target, weight, ignore_index)
    scaled = grad / ops.sum(each) if reduction == "mean" else grad
    ignored = ops.eq(target, ignore_index)
    made = ops.masked_fill(-(scaled * each), ignored, 0)
    places = ops.unsqueeze(class_places(target, ignore_index), dim)
    return ops.scatter_add(ops.new_zeros(grad, sizes), dim, places, ops.unsqueeze(made, dim))


def shares_of_classes(
    op: str, like: Tensor, target: Tensor, ignore_index: int, label_smoothing: float
) -> Tensor:
    """The target as the share of each class; ignored ones have none."""
    dim = class_dim(like.shape)
    even = ops.new_full(like, (), label_smoothing) / like.shape[dim]
    if target.is_floating_point():
        return wide(target) * (1.0 - label_smoothing) + even
    seen = ops.unsqueeze(ops.to(ops.ne(target, ignore_index), like.dtype), dim)
    places = ops.unsqueeze(class_places(target, ignore_index), dim)
    whole = ops.new_full(like, like.shape, 1) * (even * seen)
    return ops.scatter_add(whole, dim, places, seen * (1.0 - label_smoothing))


def along_classes(op: str, weight: Tensor, rank: int) -> Tensor:
    """One number per class, for a tensor of `rank` dimensions."""
    if rank == 1:
        return weight
    return ops.reshape(weight, (weight.numel(), *((1,) * (rank - 2))))


def share_of_mean(
    op: str, grad: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, dim: int
) -> Tensor:
    """The gradient of each element of which a mean was taken."""
    if target.is_floating_point():
        return grad / (target.numel() // max(target.shape[dim], 1))
    return grad / ops.sum(target_weights(op, grad, target, weight, ignore_index))


def cross_entropy_backward(
    op: str,
    grad: Tensor,
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignore_index: int,
    reduction: str,
    label_smoothing: float,
) -> Tensor:
    """softmax times what all shares of a target count, less each share."""
    x = wide(input)
    g = wide(grad)
    dim = class_dim(input.shape)
    shares = shares_of_classes(op, x, target, ignore_index, label_smoothing)
    if weight is not None:
        shares = shares * along_classes(op, weight, input.dim())
    whole = ops.softmax(x, dim) * ops.sum(shares, (dim,), True) - shares
    if reduction == "mean":
        return whole * share_of_mean(op, g, target, weight, ignore_index, dim)
    return whole * (ops.unsqueeze(g, dim) if reduction == "none" else g)


def cross_entropy_target(
    op: str,
    grad: Tensor,
    input: Tensor,
    weight: Tensor | None,
    reduction: str,
    label_smoothing: float,
) -> Tensor:
    """Of targets that are shares: minus the logarithms of softmax."""
    g = wide(grad)
    dim = class_dim(input.shape)
    each = ops.log_softmax(wide(input), dim) * (label_smoothing - 1.0)
    if weight is not None:
        each = each * along_classes(op, weight, input.dim())
    if reduction == "mean":
        return each * (g / (input.numel() // max(input.shape[dim], 1)))
    return each * (ops.unsqueeze(g, dim) if reduction == "none" else g)
