"""Normalisation as layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cepheid import _C
from cepheid._C import Tensor, functions
from cepheid.nn import functional as F
from cepheid.nn import init
from cepheid.nn.modules.module import Module
from cepheid.nn.parameter import Parameter

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm", "RMSNorm"]


class LayerNorm(Module):
    """Zero mean and unit variance over the last dimensions, whose sizes are `normalized_shape`.

    `weight` (ones) and `bias` (zeros) of that shape, absent without elementwise_affine.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        one = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if one else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        made = init.factory(device, dtype)

        def parameter(wanted: bool) -> Parameter | None:
            return Parameter(functions.empty(self.normalized_shape, **made)) if wanted else None

        self.register_parameter("weight", parameter(elementwise_affine))
        self.register_parameter("bias", parameter(elementwise_affine and bias))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Ones and zeros."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.normalized_shape}, eps={self.eps},"
            f" elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """x by its root mean square over the last dimensions, whose sizes are `normalized_shape`."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        one = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if one else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        made = functions.ones(self.normalized_shape, device=device, dtype=dtype)
        self.register_parameter("weight", Parameter(made) if elementwise_affine else None)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """Zero mean and unit variance over groups of the channels of [n, c, ...]."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if num_groups <= 0 or num_channels % num_groups:
            raise ValueError(
                f"GroupNorm: num_channels must be divisible by num_groups; got {num_channels} and"
                f" {num_groups}"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        made = init.factory(device, dtype)
        for name, fill in (("weight", functions.ones), ("bias", functions.zeros)):
            value = Parameter(fill((num_channels,), **made)) if affine else None
            self.register_parameter(name, value)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine},"
            f" bias={self.bias is not None}"
        )


class _BatchNorm(Module):
    """Zero mean and unit variance of each channel of [n, c, ...] over everything else.

    In training by the batch's own statistics, of which running averages are kept
    (`momentum` is the weight of the newest; None makes them plain averages); in evaluation by
    these.
    """

    ranks: tuple[int, ...] = ()
    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        made = init.factory(device, dtype)
        for name, fill in (("weight", functions.ones), ("bias", functions.zeros)):
            value = Parameter(fill((num_features,), **made)) if affine else None
            self.register_parameter(name, value)
        for name, fill in (("running_mean", functions.zeros), ("running_var", functions.ones)):
            value = fill((num_features,), **made) if track_running_stats else None
            self.register_buffer(name, value)
        count = _C.tensor(0, device=device) if track_running_stats else None
        self.register_buffer("num_batches_tracked", count)

    def reset_running_stats(self) -> None:
        """Forgets what was averaged."""
        if self.track_running_stats:
            self.running_mean.fill_(0)
            self.running_var.fill_(1)
            self.num_batches_tracked.fill_(0)

    def reset_parameters(self) -> None:
        """Ones, zeros, and no statistics."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input; in training the running statistics change."""
        if input.dim() not in self.ranks:
            ranks = " or ".join(map(str, self.ranks))
            raise ValueError(
                f"{type(self).__name__}: expected {ranks} dimensions; got {input.dim()}"
            )
        weight = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                weight = 1.0 / float(self.num_batches_tracked)
        own = self.training or not self.track_running_stats
        keep = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if keep else None,
            self.running_var if keep else None,
            self.weight,
            self.bias,
            own,
            weight,
            self.eps,
        )

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine},"
            f" bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch norm of [n, c] or [n, c, length]: by channel zero mean and unit variance."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch norm of [n, c, h, w]: by channel zero mean and unit variance."""

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch norm of [n, c, d, h, w]: by channel zero mean and unit variance."""

    ranks = (5,)
