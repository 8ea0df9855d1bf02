"""What optimisers check and prepare alike."""

from __future__ import annotations

from typing import Any

from cepheid import _C
from cepheid._C import Tensor, functions

__all__ = ["checked", "checked_betas", "decayed", "signed", "step_counts", "unsupported", "zeros"]


def checked(name: str, value: Any, positive: bool = False) -> None:
    """ValueError for an option below 0, or not above it."""
    if not (value > 0 if positive else value >= 0):
        raise ValueError(f"Invalid {name}: {value}; it must be {'> 0' if positive else '>= 0'}")


def checked_betas(betas: Any) -> None:
    """ValueError unless both are in [0, 1)."""
    for index, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(
                f"Invalid beta parameter at index {index}: {beta}; it must be in [0, 1)"
            )


def unsupported(
    name: str,
    *,
    differentiable: bool = False,
    capturable: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
) -> None:
    """Errors for options that can't be had, or not together."""
    if foreach and fused:
        raise RuntimeError(f"{name}: `fused` and `foreach` cannot be `True` together; drop one")
    for option, asked in (("differentiable", differentiable), ("capturable", capturable)):
        if asked:
            raise NotImplementedError(
                f"{name}: {option}=True is not part of this version; leave it out"
            )


def zeros(param: Tensor) -> Tensor:
    """Zeros like a parameter, of its layout."""
    return functions.zeros_like(param, requires_grad=False)


def new_count() -> Tensor:
    """A count of steps: 0, in a floating dtype as PyTorch's state dicts have it."""
    double = _C._dtypes()["float64"]
    wide = _C.get_default_dtype() == double
    return _C.tensor(0.0, dtype=double if wide else _C._dtypes()["float32"])


def step_counts(states: list[dict[str, Any]]) -> list[float]:
    """Counts one step more; the counts as numbers."""
    counts = [state["step"] for state in states]
    functions._foreach_add_(counts, 1)
    return [count.item() for count in counts]


def signed(group: dict[str, Any], grads: list[Tensor]) -> list[Tensor]:
    """The gradients, negated to maximise."""
    return functions._foreach_neg(grads) if group["maximize"] else grads


def decayed(group: dict[str, Any], params: list[Tensor], grads: list[Tensor]) -> list[Tensor]:
    """The gradients, negated to maximise, plus weight_decay times the parameters."""
    grads = signed(group, grads)
    decay = group["weight_decay"]
    return functions._foreach_add(grads, params, alpha=decay) if decay != 0 else grads
