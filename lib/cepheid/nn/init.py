"""Initial values of parameters. Every function writes to its tensor, unrecorded, and returns it."""

from __future__ import annotations

import math
from typing import Any

from cepheid import _C
from cepheid._C import Tensor
from cepheid.autograd.grad_mode import no_grad

__all__ = [
    "calculate_gain", "constant_", "eye_", "kaiming_normal_", "kaiming_uniform_", "normal_",
    "ones_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip

_GAINS = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
_LINEAR = (
    "linear", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid",
)  # fmt: skip

_WORTH_DRAWING_AGAIN = 0.15  # the share of normal draws within the bounds


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By what the values of a layer are scaled to keep their variance through an activation."""
    if nonlinearity in _LINEAR:
        return 1.0
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    known = ", ".join([*_LINEAR, *_GAINS, "leaky_relu"])
    raise ValueError(f"calculate_gain: unknown nonlinearity {nonlinearity!r}; known are {known}")


@no_grad()
def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: _C.Generator | None = None
) -> Tensor:
    """Uniform in [a, b)."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: _C.Generator | None = None
) -> Tensor:
    """Normal with a mean and a standard deviation."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value everywhere."""
    return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return constant_(tensor, 0.0)


@no_grad()
def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix; the tensor has two dimensions."""
    if tensor.dim() != 2:
        raise ValueError(f"eye_: the tensor must have 2 dimensions; got {tensor.dim()}")
    return tensor.copy_(_C.functions.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


@no_grad()
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: _C.Generator | None = None,
) -> Tensor:
    """Normal, but within [a, b]: what falls outside is drawn again or, where most of it would,
    every value is the quantile of a uniform draw."""

    def below(x: float) -> float:
        return (1.0 + math.erf((x - mean) / (std * math.sqrt(2.0)))) / 2.0

    if below(b) - below(a) < _WORTH_DRAWING_AGAIN:
        tensor.uniform_(2 * below(a) - 1, 2 * below(b) - 1, generator=generator)
        tensor.copy_(_erfinv(tensor)).mul_(std * math.sqrt(2.0)).add_(mean)
        return tensor.clamp_(min=a, max=b)
    tensor.normal_(mean, std, generator=generator)
    outside = (tensor < a) | (tensor > b)
    while outside.any():
        again = _C.functions.empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(_C.functions.where(outside, again, tensor))
        outside = (tensor < a) | (tensor > b)
    return tensor


def _erfinv(x: Tensor) -> Tensor:
    """The inverse of the error function, in float64: Winitzki's formula, then Newton's steps."""
    x = x.to(_C._dtypes()["float64"])
    low = (1 - x * x).log()
    middle = low / 2 + 2 / (math.pi * 0.147)
    y = ((middle * middle - low / 0.147).sqrt() - middle).sqrt() * x.sign()
    for _ in range(3):
        y = y - (y.erf() - x) * (y * y).exp() * (math.sqrt(math.pi) / 2)
    return y


def _fans(op: str, tensor: Tensor) -> tuple[int, int]:
    """How many values go into one output, and how many outputs one value goes into."""
    if tensor.dim() < 2:
        raise ValueError(f"{op}: the tensor must have at least 2 dimensions; got {tensor.dim()}")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _kaiming_std(op: str, tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"{op}: mode must be fan_in or fan_out; got {mode!r}")
    fan = _fans(op, tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: _C.Generator | None = None,
) -> Tensor:
    """Uniform, of the variance gain^2 / fan (He et al., 2015)."""
    if 0 in tensor.shape:
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std("kaiming_uniform_", tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: _C.Generator | None = None,
) -> Tensor:
    """Normal, of the variance gain^2 / fan (He et al., 2015)."""
    if 0 in tensor.shape:
        return tensor
    std = _kaiming_std("kaiming_normal_", tensor, a, mode, nonlinearity)
    return normal_(tensor, 0.0, std, generator)


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: _C.Generator | None = None
) -> Tensor:
    """Uniform, of the variance 2 gain^2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(_fans("xavier_uniform_", tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(
    tensor: Tensor, gain: float = 1.0, generator: _C.Generator | None = None
) -> Tensor:
    """Normal, of the variance 2 gain^2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""
    std = gain * math.sqrt(2.0 / sum(_fans("xavier_normal_", tensor)))
    return normal_(tensor, 0.0, std, generator)


def bound_of_fan_in(weight: Tensor) -> float:
    """What layers bound their biases by: 1 / sqrt(fan_in)."""
    fan = _fans("bias", weight)[0]
    return 1 / math.sqrt(fan) if fan > 0 else 0.0


def factory(device: Any, dtype: Any) -> dict[str, Any]:
    """The keyword arguments that layers make their parameters with."""
    return {"device": device, "dtype": dtype}
