"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cepheid._C import Tensor, functions
from cepheid.optim._options import checked, decayed, unsupported
from cepheid.optim.optimizer import Group, ListOptimizer

__all__ = ["SGD"]


class SGD(ListOptimizer):
    """p -= lr * g. With `momentum` v = momentum * v + (1 - dampening) * g stands for g, and with
    `nesterov` g + momentum * v; `weight_decay` adds that much of p to g. `maximize` negates g.

    `foreach` and `fused` change nothing: every group is one pass over lists of tensors.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        checked("learning rate", lr)
        checked("momentum value", momentum)
        checked("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        unsupported("SGD", differentiable=differentiable, foreach=foreach, fused=fused)
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _new_state(self, param: Tensor, group: Group) -> dict[str, Any]:
        return {"momentum_buffer": None} if group["momentum"] != 0 else {}

    def _update(
        self, group: Group, params: list[Tensor], grads: list[Tensor], states: list[dict[str, Any]]
    ) -> None:
        grads = decayed(group, params, grads)
        if group["momentum"] != 0:
            grads = _with_momentum(group, grads, states)
        functions._foreach_add_(params, grads, alpha=-float(group["lr"]))


def _with_momentum(group: Group, grads: list[Tensor], states: list[dict[str, Any]]) -> list[Tensor]:
    """The velocities, whose first values are the gradients themselves."""
    momentum = group["momentum"]
    old = [i for i, state in enumerate(states) if state.get("momentum_buffer") is not None]
    if old:
        velocities = [states[i]["momentum_buffer"] for i in old]
        functions._foreach_mul_(velocities, momentum)
        fresh = [grads[i] for i in old]
        functions._foreach_add_(velocities, fresh, alpha=1 - group["dampening"])
    for state, grad in zip(states, grads, strict=True):
        if state.get("momentum_buffer") is None:
            state["momentum_buffer"] = grad.detach().clone()
    velocities = [state["momentum_buffer"] for state in states]
    if group["nesterov"]:
        return functions._foreach_add(grads, velocities, alpha=momentum)
    return velocities
