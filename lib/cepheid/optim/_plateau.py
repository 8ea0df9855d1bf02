"""The schedule that lowers rates where a measure stops improving."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cepheid.optim._scheduler import LRScheduler
from cepheid.optim.optimizer import Optimizer

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """Times `factor` when the measure given to `step` hasn't improved for `patience` epochs.

    Better is less (mode min) or more (max), by `threshold` of the best (threshold_mode rel) or
    by itself (abs). After a change `cooldown` epochs pass before bad ones count again; rates stay
    above `min_lr` and change by more than `eps`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau: factor must be < 1.0; got {factor}")
        if mode not in ("min", "max"):
            raise ValueError(f"ReduceLROnPlateau: mode must be min or max; got {mode!r}")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(
                f"ReduceLROnPlateau: threshold_mode must be rel or abs; got {threshold_mode!r}"
            )
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        groups = len(optimizer.param_groups)
        several = isinstance(min_lr, list | tuple)
        self.min_lrs = list(min_lr) if several else [min_lr] * groups  # type: ignore[arg-type]
        if len(self.min_lrs) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(self.min_lrs)}")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.cooldown_counter = self.num_bad_epochs = self.last_epoch = 0
        self.best = self.mode_worse = math.inf if mode == "min" else -math.inf
        self._last_lr = self._now()

    def _is_better(self, measure: float, best: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "rel":
            return sign * measure < sign * best * (1.0 - sign * self.threshold)
        return sign * measure < sign * best - self.threshold

    @property
    def in_cooldown(self) -> bool:
        """Whether bad epochs don't count yet."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Counts an epoch whose measure was `metrics`, and lowers the rates where it is time."""
        measure = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(measure, self.best):
            self.best, self.num_bad_epochs = measure, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._set_lr(self._lowered())
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._now()

    def _lowered(self) -> list[float]:
        pairs = [
            (float(now), max(float(now) * self.factor, least))
            for now, least in zip(self._now(), self.min_lrs, strict=True)
        ]
        return [new if now - new > self.eps else now for now, new in pairs]
