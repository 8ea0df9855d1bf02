"""Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cepheid._C import Tensor, functions
from cepheid.optim._options import (
    checked,
    checked_betas,
    decayed,
    new_count,
    signed,
    step_counts,
    unsupported,
    zeros,
)
from cepheid.optim.optimizer import Group, ListOptimizer

__all__ = ["Adam", "AdamW"]


class Adam(ListOptimizer):
    """p -= lr * m / (sqrt(v) + eps), where m and v are averages of the gradient and of its square
    that weigh the past by `betas`, corrected for having started at 0.

    `amsgrad` takes the largest v so far. `weight_decay` adds that much of p to the gradient or,
    with `decoupled_weight_decay`, takes lr * weight_decay * p off p. `maximize` negates the
    gradient. `foreach` and `fused` change nothing: every group is one pass over lists of tensors.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        checked("learning rate", lr)
        checked("epsilon value", eps)
        checked_betas(betas)
        checked("weight_decay value", weight_decay)
        unsupported(
            type(self).__name__, differentiable=differentiable, capturable=capturable,
            foreach=foreach, fused=fused,
        )  # fmt: skip
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, param: Tensor, group: Group) -> dict[str, Any]:
        state = {"step": new_count(), "exp_avg": zeros(param), "exp_avg_sq": zeros(param)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros(param)
        return state

    def _update(
        self, group: Group, params: list[Tensor], grads: list[Tensor], states: list[dict[str, Any]]
    ) -> None:
        lr, (beta1, beta2) = float(group["lr"]), map(float, group["betas"])
        if not group["decoupled_weight_decay"]:
            grads = decayed(group, params, grads)
        else:
            grads = signed(group, grads)
            if group["weight_decay"] != 0:
                functions._foreach_mul_(params, 1 - lr * group["weight_decay"])
        counts = step_counts(states)
        means = [state["exp_avg"] for state in states]
        squares = [state["exp_avg_sq"] for state in states]
        functions._foreach_lerp_(means, grads, 1 - beta1)
        functions._foreach_mul_(squares, beta2)
        functions._foreach_addcmul_(squares, grads, grads, 1 - beta2)
        if group["amsgrad"]:
            largest = [state["max_exp_avg_sq"] for state in states]
            functions._foreach_maximum_(largest, squares)
            squares = largest
        roots = functions._foreach_sqrt(squares)
        functions._foreach_div_(roots, [(1 - beta2**count) ** 0.5 for count in counts])
        functions._foreach_add_(roots, group["eps"])
        strides = [-(lr / (1 - beta1**count)) for count in counts]
        functions._foreach_addcdiv_(params, means, roots, strides)


class AdamW(Adam):
    """Adam whose `weight_decay` takes lr * weight_decay * p off p, apart from the gradient."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
