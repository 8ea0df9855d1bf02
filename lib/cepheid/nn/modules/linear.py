"""Layers that multiply by a matrix, and Identity."""

from __future__ import annotations

import math
from typing import Any

from cepheid._C import Tensor, functions
from cepheid.nn import functional as F
from cepheid.nn import init
from cepheid.nn.modules.module import Module
from cepheid.nn.parameter import Parameter

__all__ = ["Bilinear", "Flatten", "Identity", "Linear", "Unflatten"]


class Identity(Module):
    """Returns its input; takes and ignores any arguments when it is made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input itself."""
        return input


class Linear(Module):
    """[..., in_features] -> [..., out_features]: x @ weight.T + bias.

    `weight` [out, in] and `bias` [out] (absent with bias=False) start uniform within
    1 / sqrt(in_features).
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made = init.factory(device, dtype)
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(functions.empty((out_features, in_features), **made))
        self.register_parameter(
            "bias", Parameter(functions.empty((out_features,), **made)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = init.bound_of_fan_in(self.weight)
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """The product, plus the bias."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features},"
            f" bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """The last projection of attention, which PyTorch keeps apart from other Linear layers."""


class Bilinear(Module):
    """x1 [..., in1], x2 [..., in2] -> [..., out]: x1 @ weight[k] @ x2 + bias[k]."""

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made = init.factory(device, dtype)
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(functions.empty(shape, **made))
        self.register_parameter(
            "bias", Parameter(functions.empty((out_features,), **made)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new values."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """For each output the form's value."""
        left = functions.matmul(input1.unsqueeze(-2).unsqueeze(-2), self.weight).squeeze(-2)
        result = (left * input2.unsqueeze(-2)).sum(-1)
        return result if self.bias is None else result + self.bias

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features},"
            f" out_features={self.out_features}, bias={self.bias is not None}"
        )


class Flatten(Module):
    """Makes the dimensions from start_dim to end_dim one; by default all but the batch."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The same elements."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits a dimension into several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """The same elements."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The dimension and its sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
