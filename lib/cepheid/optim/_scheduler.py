"""LRScheduler: counts epochs and sets the rates of an optimiser's groups."""

from __future__ import annotations

import warnings
from typing import Any

from cepheid._C import Tensor
from cepheid.optim.optimizer import Optimizer

__all__ = ["LRScheduler"]


class LRScheduler:
    """The base of schedules: a subclass defines `get_lr`, the rates of the epoch `last_epoch`.

    The first rates are remembered as `initial_lr` of the groups; a schedule that goes on from an
    epoch given as `last_epoch` needs them there.
    """

    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming"
                    f" the schedule at epoch {last_epoch}; set it to the group's first rate"
                )
        self.optimizer = optimizer
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def _now(self) -> list[Any]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_lr(self) -> list[float]:
        """The rates of the epoch `last_epoch`, from the present ones."""
        raise NotImplementedError(f"{type(self).__name__}: a subclass must define get_lr")

    def get_last_lr(self) -> list[float]:
        """The rates that the last step set."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Sets the rates of the next epoch, or of `epoch`."""
        self._step_count += 1
        if self._step_count == 2 and not self.optimizer._opt_called:
            warnings.warn(
                "lr_scheduler.step() was called before optimizer.step(): the first rate of the"
                " schedule is skipped; call optimizer.step() first",
                stacklevel=2,
            )
        if epoch is None:
            self.last_epoch += 1
            self._set_lr(self.get_lr())
            return
        self.last_epoch = epoch
        closed = getattr(self, "_get_closed_form_lr", self.get_lr)
        self._set_lr(closed())

    def _set_lr(self, values: list[float]) -> None:
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(value)
            else:
                group["lr"] = value
        self._last_lr = self._now()

    def state_dict(self) -> dict[str, Any]:
        """Every attribute but the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what `state_dict` gave."""
        self.__dict__.update(state_dict)
