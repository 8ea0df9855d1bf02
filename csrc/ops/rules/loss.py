"""Losses: elements that are computed in one pass, then folded as `reduction` says."""

from __future__ import annotations

from .prelude import Tensor, ops


def folded_loss(op: str, loss: Tensor, reduction: str) -> Tensor:
    """The mean of the elements, their sum, or the elements themselves."""
    if reduction == "mean":
        return ops.mean(loss)
    if reduction == "sum":
        return ops.sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"{op}: reduction must be 'mean', 'sum' or 'none'; got '{reduction}'")


def mse_loss(input: Tensor, target: Tensor, reduction: str) -> Tensor:
    """Squares of the differences."""
    return folded_loss("mse_loss", ops._squared_difference(input, target), reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str) -> Tensor:
    """Magnitudes of the differences."""
    return folded_loss("l1_loss", ops.abs(ops.sub(input, target)), reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str, beta: float) -> Tensor:
    """Magnitudes of the differences, with a parabola below `beta`."""
    if not beta >= 0.0:
        raise RuntimeError(f"smooth_l1_loss: beta must not be negative; got {beta}")
    loss = ops._smooth_l1(input, target, beta=beta)
    return folded_loss("smooth_l1_loss", loss, reduction)


def huber_loss(input: Tensor, target: Tensor, reduction: str, delta: float) -> Tensor:
    """Half the squares of the differences up to `delta`, lines beyond."""
    if not delta > 0.0:
        raise RuntimeError(f"huber_loss: delta must be above 0; got {delta}")
    return folded_loss("huber_loss", ops._huber(input, target, delta=delta), reduction)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float, reduction: str) -> Tensor:
    """The input where the target is 1, what it lacks of the margin where it is -1."""
    loss = ops._hinge_embedding(input, target, margin=margin)
    return folded_loss("hinge_embedding_loss", loss, reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float, reduction: str
) -> Tensor:
    """What the difference, signed by the target, lacks of the margin."""
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            f"margin_ranking_loss: operands must have as many dimensions; got {input1.dim()},"
            f" {input2.dim()} and {target.dim()}"
        )
    loss = ops._margin_ranking(input1, input2, target, margin=margin)
    return folded_loss("margin_ranking_loss", loss, reduction)
