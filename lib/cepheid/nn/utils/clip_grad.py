"""Gradients that are too large."""

from __future__ import annotations

from collections.abc import Iterable

from cepheid import _C
from cepheid._C import Tensor, functions
from cepheid.autograd.grad_mode import no_grad

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

Tensors = Tensor | Iterable[Tensor]


def _gradients(parameters: Tensors) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [parameter.grad for parameter in listed if parameter.grad is not None]


@no_grad()
def get_total_norm(
    tensors: Tensors,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of order `norm_type` of all elements of the tensors together."""
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not listed:
        return _C.tensor(0.0)
    order = float(norm_type)
    norms = functions._foreach_norm(listed, order)
    total = _C.linalg.vector_norm(functions.stack(norms), order)
    if error_if_nonfinite and not bool(functions.isfinite(total)):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it"
            " cannot be clipped; set error_if_nonfinite=False to scale by it all the same"
        )
    return total


@no_grad()
def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scales the gradients by max_norm / total_norm where that is below 1."""
    gradients = _gradients(parameters)
    if gradients:
        scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        functions._foreach_mul_(gradients, scale)


@no_grad()
def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales the gradients so that their norm, of all together, is at most `max_norm`.

    Returns the norm as it was.
    """
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = get_total_norm(_gradients(listed), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(listed, max_norm, total, foreach)
    return total


@no_grad()
def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Every element of the gradients to [-clip_value, clip_value]."""
    bound = float(clip_value)
    gradients = _gradients(parameters)
    if gradients:
        functions._foreach_clamp_min_(gradients, -bound)
        functions._foreach_clamp_max_(gradients, bound)
