"""Schedules of learning rates: `step()` after each epoch, or batch, sets those of the groups.

Most go from the present rate to the next, so that several may act on one optimiser.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from cepheid.optim._one_cycle import OneCycleLR
from cepheid.optim._plateau import ReduceLROnPlateau
from cepheid.optim._scheduler import LRScheduler
from cepheid.optim.optimizer import Optimizer

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
    "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR",
    "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip

Rule = Callable[[int], float]


class _ByRule(LRScheduler):
    """What schedules by functions of the epoch share: one for every group, or for each."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Rule | Sequence[Rule], last_epoch: int = -1
    ) -> None:
        groups = len(optimizer.param_groups)
        if isinstance(lr_lambda, list | tuple):
            if len(lr_lambda) != groups:
                raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
            self.lr_lambdas = list(lr_lambda)
        else:
            self.lr_lambdas = [lr_lambda] * groups
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """The state; of the functions only those that are objects with attributes of their own."""
        state = super().state_dict()
        rules = state.pop("lr_lambdas")
        state["lr_lambdas"] = [
            None if isinstance(rule, FunctionType) else dict(vars(rule)) for rule in rules
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what state_dict gave; functions stay those of this schedule."""
        rules = state_dict["lr_lambdas"]
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for rule, state in zip(self.lr_lambdas, rules, strict=True):
            if state is not None:
                vars(rule).update(state)


class LambdaLR(_ByRule):
    """The first rate times lr_lambda(epoch)."""

    def get_lr(self) -> list[float]:
        """The next rates."""
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * rule(self.last_epoch) for base, rule in pairs]


class MultiplicativeLR(_ByRule):
    """The rate before times lr_lambda(epoch)."""

    def get_lr(self) -> list[float]:
        """The next rates."""
        if self._is_initial:
            return self._now()
        pairs = zip(self._now(), self.lr_lambdas, strict=True)
        return [now * rule(self.last_epoch) for now, rule in pairs]


class StepLR(LRScheduler):
    """Times `gamma` every `step_size` epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The next rates."""
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._now()
        return [now * self.gamma for now in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        factor = self.gamma ** (self.last_epoch // self.step_size)
        return [base * factor for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Times `gamma` at each of the `milestones`, which are epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The next rates."""
        if self.last_epoch not in self.milestones:
            return self._now()
        return [now * self.gamma ** self.milestones[self.last_epoch] for now in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Times `factor` for the first `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 <= factor <= 1.0:
            raise ValueError(f"ConstantLR: factor must be in [0, 1]; got {factor}")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The next rates."""
        if self.last_epoch == 0:
            return [now * self.factor for now in self._now()]
        if self.last_epoch != self.total_iters:
            return self._now()
        return [now * (1.0 / self.factor) for now in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        factor = self.factor if self.last_epoch < self.total_iters else 1.0
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Times a factor that goes from start_factor to end_factor over `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1.0:
            raise ValueError(f"LinearLR: start_factor must be in (0, 1]; got {start_factor}")
        if not 0 <= end_factor <= 1.0:
            raise ValueError(f"LinearLR: end_factor must be in [0, 1]; got {end_factor}")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        part = min(self.total_iters, epoch) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * part

    def get_lr(self) -> list[float]:
        """The next rates."""
        if self.last_epoch == 0:
            return [now * self.start_factor for now in self._now()]
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._now()
        ratio = self._factor(self.last_epoch) / self._factor(self.last_epoch - 1)
        return [now * ratio for now in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self._factor(self.last_epoch) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Times `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The next rates."""
        if self._is_initial:
            return self._now()
        return [now * self.gamma for now in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Times (1 - epoch / total_iters) ** power, until it is 0."""

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _left(self, epoch: int) -> float:
        return 1.0 - min(self.total_iters, epoch) / self.total_iters

    def get_lr(self) -> list[float]:
        """The next rates."""
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._now()
        ratio = (self._left(self.last_epoch) / self._left(self.last_epoch - 1)) ** self.power
        return [now * ratio for now in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self._left(self.last_epoch) ** self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """From the first rate to `eta_min` by half a cosine in T_max epochs, and back, and so on."""

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: int,  # noqa: N803
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2

    def get_lr(self) -> list[float]:
        """The next rates."""
        if self._is_initial:
            return self._now()
        low, before = self.eta_min, self.last_epoch - 1
        if (before - self.T_max) % (2 * self.T_max) == 0:
            # The rate before is the lowest, of which no multiple leads up again.
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(self.base_lrs, self._now(), strict=True)
            return [now + (base - low) * rise for base, now in pairs]
        ratio = self._height(self.last_epoch) / self._height(before)
        return [low + (now - low) * ratio for now in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        low = self.eta_min
        return [low + (base - low) * self._height(self.last_epoch) for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """From the first rate to `eta_min` by half a cosine in T_0 epochs, then anew in T_mult times as
    many as the time before. `step(epoch)` takes fractions of an epoch too."""

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803
        T_mult: int = 1,  # noqa: N803
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(
                    f"CosineAnnealingWarmRestarts: {name} must be an integer > 0; got {value!r}"
                )
        self.T_0, self.T_i, self.T_mult = T_0, T_0, T_mult
        self.eta_min, self.T_cur = eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The next rates."""
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """The rates of the next epoch, or of `epoch`."""
        if epoch is None:
            epoch = 0 if self.last_epoch < 0 else self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"CosineAnnealingWarmRestarts: epoch must be >= 0; got {epoch}")
        else:
            self.T_cur, self.T_i = epoch, self.T_0
            while self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        self.last_epoch = math.floor(epoch)
        self._set_lr(self.get_lr())


class SequentialLR(LRScheduler):
    """One schedule after the other, changed for the next at each of the `milestones`."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if not schedulers:
            raise ValueError("SequentialLR: expected at least one scheduler; got none")
        if any(scheduler.optimizer is not optimizer for scheduler in schedulers):
            raise ValueError("SequentialLR: every scheduler must be one of the given optimizer")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "SequentialLR: expected one milestone fewer than schedulers;"
                f" got {len(milestones)} milestones and {len(schedulers)} schedulers"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch, self.optimizer = last_epoch + 1, optimizer
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in schedulers:  # take their first steps back
            scheduler.last_epoch -= 1
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """The rates of the next epoch, by the schedule whose turn it is."""
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[turn]
        if turn > 0 and self._milestones[turn - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """The state, with those of the schedules."""
        return _of_several(super().state_dict(), self._schedulers)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what state_dict gave."""
        super().load_state_dict(_given_to_several(state_dict, self._schedulers))


class ChainedScheduler(LRScheduler):
    """Several schedules of one optimiser, all of which take every step."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler: expected at least one scheduler; got none")
        self.optimizer = optimizer or schedulers[0].optimizer
        if any(scheduler.optimizer is not self.optimizer for scheduler in schedulers):
            raise ValueError("ChainedScheduler: every scheduler must be one of the same optimizer")
        self._schedulers = list(schedulers)
        self._last_lr = self._now()

    def step(self, epoch: int | None = None) -> None:
        """Steps every schedule."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._now()

    def state_dict(self) -> dict[str, Any]:
        """The state, with those of the schedules."""
        return _of_several(super().state_dict(), self._schedulers)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what state_dict gave."""
        super().load_state_dict(_given_to_several(state_dict, self._schedulers))


def _of_several(state: dict[str, Any], schedulers: list[LRScheduler]) -> dict[str, Any]:
    return {**state, "_schedulers": [scheduler.state_dict() for scheduler in schedulers]}


def _given_to_several(state: dict[str, Any], schedulers: list[LRScheduler]) -> dict[str, Any]:
    for scheduler, part in zip(schedulers, state["_schedulers"], strict=True):
        scheduler.load_state_dict(part)
    return {key: value for key, value in state.items() if key != "_schedulers"}
