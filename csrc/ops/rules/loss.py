"""Losses: elements that are computed in one pass, then folded as `reduction` says."""

from __future__ import annotations

from .prelude import Shape, Tensor, ops, show


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
    if beta == 0.0:
        return folded_loss("smooth_l1_loss", ops.abs(ops.sub(input, target)), reduction)
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


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: str
) -> Tensor:
    """Of shares in [0, 1], which have the targets' shape."""
    if input.shape != target.shape:
        raise ValueError(
            f"binary_cross_entropy: input and target must have one shape; got {show(input.shape)}"
            f" and {show(target.shape)}, use target.expand or unsqueeze"
        )
    loss = ops._bit_cross_entropy(input, target)
    if weight is not None:
        loss = ops.mul(loss, weight)
    return folded_loss("binary_cross_entropy", loss, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    pos_weight: Tensor | None,
) -> Tensor:
    """Of the sigmoids of the input; `pos_weight` multiplies what a target of 1 adds."""
    if input.shape != target.shape:
        raise ValueError(
            "binary_cross_entropy_with_logits: input and target must have one shape;"
            f" got {show(input.shape)} and {show(target.shape)}, use target.expand or unsqueeze"
        )
    if pos_weight is not None:
        loss = ops._logit_cross_entropy(input, target, pos_weight)
    else:
        loss = ops._logit_cross_entropy(input, target, 1)
    if weight is not None:
        loss = ops.mul(loss, weight)
    return folded_loss("binary_cross_entropy_with_logits", loss, reduction)


def kl_div(input: Tensor, target: Tensor, reduction: str, log_target: bool) -> Tensor:
    """How far shares are from what the input, their logarithms, says they are."""
    loss = ops._log_divergence(input, target) if log_target else ops._divergence(input, target)
    if reduction == "batchmean":
        if input.dim() == 0:
            return ops.sum(loss)
        if input.shape[0] == 0:
            return ops.mean(loss)
        # Item by item: neither the whole sum nor the size of the batch need fit into 16 bits.
        return ops.mean(ops.sum(ops.reshape(loss, (input.shape[0], -1)), (1,)))
    if reduction == "mean" or reduction == "sum" or reduction == "none":
        return folded_loss("kl_div", loss, reduction)
    raise ValueError(
        f"kl_div: reduction must be 'batchmean', 'mean', 'sum' or 'none'; got '{reduction}'"
    )


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str) -> Tensor:
    """log(1 + exp(-target input))."""
    return folded_loss("soft_margin_loss", ops._soft_margin(input, target), reduction)


def check_classes(op: str, input: Shape, weight: Shape | None) -> None:
    """Raises ValueError without a dimension of classes, RuntimeError unless each has a weight."""
    if len(input) == 0:
        raise ValueError(f"{op}: input must have a dimension of classes; got input []")
    classes = input[0] if len(input) == 1 else input[1]
    if weight is not None and weight != (classes,):
        raise RuntimeError(
            f"{op}: weight must have one element per class; got weight {show(weight)}"
            f" and input {show(input)}"
        )


def class_loss(op: str, elements: Shape, reduction: str) -> Shape:
    """The shape of what the elements are folded to."""
    if reduction == "none":
        return elements
    if reduction == "mean" or reduction == "sum":
        return ()
    raise ValueError(f"{op}: reduction must be 'mean', 'sum' or 'none'; got '{reduction}'")


def nll_loss(op: str, input: Shape, target: Shape, weight: Shape | None, reduction: str) -> Shape:
    """One element for each target: the input's shape without its classes."""
    check_classes(op, input, weight)
    elements = () if len(input) == 1 else (input[0], *input[2:])
    if target != elements:
        raise ValueError(
            f"{op}: target must have the input's shape without the classes, {show(elements)};"
            f" got target {show(target)} and input {show(input)}"
        )
    return class_loss(op, elements, reduction)


def cross_entropy(
    op: str,
    input: Shape,
    target: Shape,
    weight: Shape | None,
    reduction: str,
    label_smoothing: float,
) -> Shape:
    """As nll_loss; a target of the input's shape holds shares of the classes."""
    if not (label_smoothing >= 0.0 and label_smoothing <= 1.0):
        raise RuntimeError(
            f"{op}: label_smoothing must be between 0 and 1; got {label_smoothing}"
        )
    if target == input:
        check_classes(op, input, weight)
        elements = () if len(input) == 1 else (input[0], *input[2:])
        return class_loss(op, elements, reduction)
    return nll_loss(op, input, target, weight, reduction)
