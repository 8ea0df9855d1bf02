"""RMSprop (Hinton, lecture 6e, 2012)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cepheid._C import Tensor, functions
from cepheid.optim._options import checked, decayed, new_count, step_counts, unsupported, zeros
from cepheid.optim.optimizer import Group, ListOptimizer

__all__ = ["RMSprop"]


class RMSprop(ListOptimizer):
    """p -= lr * g / (sqrt(v) + eps), where v averages g^2 and weighs the past by `alpha`.

    `centered` takes the square of the average g off v. With `momentum` a velocity gathers steps.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        checked("learning rate", lr)
        checked("epsilon value", eps)
        checked("momentum value", momentum)
        checked("weight_decay value", weight_decay)
        checked("alpha value", alpha)
        unsupported("RMSprop", differentiable=differentiable, capturable=capturable)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, param: Tensor, group: Group) -> dict[str, Any]:
        state = {"step": new_count(), "square_avg": zeros(param)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros(param)
        if group["centered"]:
            state["grad_avg"] = zeros(param)
        return state

    def _update(
        self, group: Group, params: list[Tensor], grads: list[Tensor], states: list[dict[str, Any]]
    ) -> None:
        step_counts(states)
        grads = decayed(group, params, grads)
        alpha, lr = group["alpha"], float(group["lr"])
        squares = [state["square_avg"] for state in states]
        functions._foreach_mul_(squares, alpha)
        functions._foreach_addcmul_(squares, grads, grads, 1 - alpha)
        if group["centered"]:
            means = [state["grad_avg"] for state in states]
            functions._foreach_lerp_(means, grads, 1 - alpha)
            roots = functions._foreach_addcmul(squares, means, means, -1)
            functions._foreach_sqrt_(roots)
        else:
            roots = functions._foreach_sqrt(squares)
        functions._foreach_add_(roots, group["eps"])
        if group["momentum"] > 0:
            velocities = [state["momentum_buffer"] for state in states]
            functions._foreach_mul_(velocities, group["momentum"])
            functions._foreach_addcdiv_(velocities, grads, roots)
            functions._foreach_add_(params, velocities, alpha=-lr)
        else:
            functions._foreach_addcdiv_(params, grads, roots, -lr)
