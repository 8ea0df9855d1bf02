"""The schedule of one cycle: up, and far down (Smith and Topin, 2018)."""

from __future__ import annotations

import math
from typing import Any

from cepheid.optim._scheduler import LRScheduler
from cepheid.optim.optimizer import Optimizer

__all__ = ["OneCycleLR"]


class OneCycleLR(LRScheduler):
    """From max_lr / div_factor up to `max_lr` in the first `pct_start` of the steps, then down to
    the first rate / final_div_factor; with `three_phase` down to the first rate in as many steps as
    up, then to the end. Momentum goes the other way, between max_momentum and base_momentum.

    The number of steps, one a batch, is `total_steps` or epochs * steps_per_epoch.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.total_steps = _step_total(total_steps, epochs, steps_per_epoch)
        if not 0 <= pct_start <= 1:
            raise ValueError(f"OneCycleLR: pct_start must be in [0, 1]; got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"OneCycleLR: anneal_strategy must be cos or linear; got {anneal_strategy!r}"
            )
        self._anneal_func_type = anneal_strategy
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        self.optimizer = optimizer
        self.cycle_momentum = cycle_momentum
        groups = optimizer.param_groups
        if last_epoch == -1:
            for group, top in zip(groups, self._each("max_lr", max_lr), strict=True):
                first = top / div_factor
                group.update(initial_lr=first, max_lr=top, min_lr=first / final_div_factor)
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _each(self, name: str, value: Any) -> list[float]:
        groups = len(self.optimizer.param_groups)
        if not isinstance(value, list | tuple):
            return [value] * groups
        if len(value) != groups:
            raise ValueError(f"OneCycleLR: expected {groups} values of {name}; got {len(value)}")
        return list(value)

    def _begin_momentum(self, low: Any, high: Any, last_epoch: int) -> None:
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError(
                "OneCycleLR: the optimizer must have momentum or betas with cycle_momentum=True;"
                " it has neither, set cycle_momentum=False"
            )
        self.use_beta1 = "betas" in defaults
        if last_epoch != -1:
            return
        lows, highs = self._each("base_momentum", low), self._each("max_momentum", high)
        for group, base, top in zip(self.optimizer.param_groups, lows, highs, strict=True):
            self._set_momentum(group, top)
            group.update(base_momentum=base, max_momentum=top)

    def _set_momentum(self, group: dict[str, Any], value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def _between(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (1 + math.cos(math.pi * part))

    def get_lr(self) -> list[float]:
        """The next rates; sets the momenta."""
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is"
                f" {self.total_steps}"
            )
        before = 0.0
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            before = phase["end_step"]
        part = (step - before) / (phase["end_step"] - before)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                start, end = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._between(start, end, part))
        return rates


def _step_total(total: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    for name, value in (
        ("total_steps", total), ("epochs", epochs), ("steps_per_epoch", steps_per_epoch),
    ):  # fmt: skip
        if value is not None and (not isinstance(value, int) or value <= 0):
            raise ValueError(f"OneCycleLR: {name} must be an integer > 0; got {value!r}")
    if total is not None:
        return total
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    return epochs * steps_per_epoch


def _phases(total: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    """Where each phase ends, and between which options of the groups it goes."""
    up = float(pct_start * total) - 1
    ends = [up, float(2 * pct_start * total) - 2, total - 1] if three_phase else [up, total - 1]
    rates = ["initial_lr", "max_lr", *(["initial_lr"] if three_phase else []), "min_lr"]
    momenta = ["max_momentum", "base_momentum", "max_momentum", "max_momentum"]
    return [
        {
            "end_step": end,
            "start_lr": rates[i],
            "end_lr": rates[i + 1],
            "start_momentum": momenta[i],
            "end_momentum": momenta[i + 1],
        }
        for i, end in enumerate(ends)
    ]
