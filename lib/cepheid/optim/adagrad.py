"""Adagrad (Duchi, Hazan and Singer, 2011)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cepheid._C import Tensor, functions
from cepheid.optim._options import checked, decayed, new_count, step_counts, unsupported
from cepheid.optim.optimizer import Group, ListOptimizer

__all__ = ["Adagrad"]


class Adagrad(ListOptimizer):
    """p -= lr / (1 + (step - 1) * lr_decay) * g / (sqrt(s) + eps), where s sums g^2 and starts at
    `initial_accumulator_value`."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        checked("learning rate", lr)
        checked("lr_decay value", lr_decay)
        checked("weight_decay value", weight_decay)
        checked("initial_accumulator_value value", initial_accumulator_value)
        checked("epsilon value", eps)
        unsupported("Adagrad", differentiable=differentiable, foreach=foreach, fused=fused)
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param] = self._new_state(param, group)

    def _new_state(self, param: Tensor, group: Group) -> dict[str, Any]:
        start = group["initial_accumulator_value"]
        return {
            "step": new_count(),
            "sum": functions.full_like(param, start, requires_grad=False),
        }

    def _update(
        self, group: Group, params: list[Tensor], grads: list[Tensor], states: list[dict[str, Any]]
    ) -> None:
        counts = step_counts(states)
        grads = decayed(group, params, grads)
        sums = [state["sum"] for state in states]
        functions._foreach_addcmul_(sums, grads, grads, 1)
        roots = functions._foreach_sqrt(sums)
        functions._foreach_add_(roots, group["eps"])
        lr, decay = float(group["lr"]), group["lr_decay"]
        strides = [-lr / (1 + (count - 1) * decay) for count in counts]
        functions._foreach_addcdiv_(params, grads, roots, strides)
