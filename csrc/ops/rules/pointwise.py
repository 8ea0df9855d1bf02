"""Pointwise ops made of others."""

from __future__ import annotations

from .prelude import Scalar, Tensor, number_dtype, ops


def div_mode(self: Tensor, other: Tensor, rounding_mode: str | None) -> Tensor:
    """The quotient as it is, towards zero or downwards."""
    if rounding_mode is None:
        return ops.div(self, other)
    if rounding_mode == "floor":
        return ops.floor_divide(self, other)
    if rounding_mode == "trunc":
        return ops.trunc_divide(self, other)
    raise RuntimeError(
        f"div: rounding_mode must be None, 'trunc' or 'floor'; got '{rounding_mode}'"
    )


def clamp(self: Tensor, min: Scalar | None, max: Scalar | None) -> Tensor:
    """Limits from below, then from above: where min exceeds max the result is max."""
    if min is None and max is None:
        raise RuntimeError("clamp: min or max must be given; got None for both")
    result = self
    if min is not None:
        result = ops.maximum(result, min)
    if max is not None:
        result = ops.minimum(result, max)
    return result


def clamp_tensor(self: Tensor, min: Tensor | None, max: Tensor | None) -> Tensor:
    """The same with a bound for each element."""
    if min is None and max is None:
        raise RuntimeError("clamp: min or max must be given; got None for both")
    result = self
    if min is not None:
        result = ops.maximum(result, min)
    if max is not None:
        result = ops.minimum(result, max)
    return result


def clamp_min(self: Tensor, min: Scalar) -> Tensor:
    """Nothing below a number."""
    return ops.maximum(self, min)


def clamp_max(self: Tensor, max: Scalar) -> Tensor:
    """Nothing above a number."""
    return ops.minimum(self, max)


def clamp_min_tensor(self: Tensor, min: Tensor) -> Tensor:
    """Nothing below the bound of its place."""
    return ops.maximum(self, min)


def clamp_max_tensor(self: Tensor, max: Tensor) -> Tensor:
    """Nothing above the bound of its place."""
    return ops.minimum(self, max)


def square(self: Tensor) -> Tensor:
    """self * self; of bool, as integers."""
    if self.dtype == number_dtype(True):
        return ops.pow(self, 2)
    return ops.mul(self, self)


def rsub(self: Tensor, other: Tensor, alpha: Scalar) -> Tensor:
    """other - alpha * self."""
    return ops.sub(other, self, alpha=alpha)


def gelu(self: Tensor, approximate: str) -> Tensor:
    """By the error function, or with tanh in its place."""
    if approximate == "none":
        return ops.gelu_erf(self)
    if approximate == "tanh":
        return ops.gelu_tanh(self)
    raise RuntimeError(f"gelu: approximate must be 'none' or 'tanh'; got '{approximate}'")


def logit(self: Tensor, eps: float | None) -> Tensor:
    """log(x / (1 - x)), of x kept eps away from 0 and 1; a negative eps is none."""
    if eps is None:
        return ops.logit_of(self)
    if eps < 0.0:
        return ops.logit_of(self)
    return ops.logit_within(self, eps)
