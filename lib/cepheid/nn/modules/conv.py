"""Convolutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cepheid._C import Tensor, functions
from cepheid.nn import functional as F
from cepheid.nn import init
from cepheid.nn.modules.module import Module
from cepheid.nn.parameter import Parameter

__all__ = ["Conv1d", "Conv2d"]

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


def each(value: int | Sequence[int], rank: int) -> tuple[int, ...]:
    """One number for every dimension, or the numbers given."""
    return (value,) * rank if isinstance(value, int) else tuple(value)


class _Conv(Module):
    """What convolutions of any rank share; `rank` is a class attribute."""

    rank = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if groups <= 0 or in_channels % groups or out_channels % groups:
            raise ValueError(
                f"{name}: in_channels and out_channels must be divisible by groups, which must be"
                f" positive; got {in_channels}, {out_channels} and {groups}"
            )
        if padding_mode not in PADDING_MODES:
            raise ValueError(
                f"{name}: padding_mode must be one of {', '.join(PADDING_MODES)};"
                f" got {padding_mode!r}; pad the input first"
            )
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = each(kernel_size, self.rank)
        self.stride, self.dilation = each(stride, self.rank), each(dilation, self.rank)
        self.padding = padding if isinstance(padding, str) else each(padding, self.rank)
        self.padding_mode = padding_mode
        self._sides = self._padding_of_sides(name)
        made = init.factory(device, dtype)
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Parameter(functions.empty(shape, **made))
        self.register_parameter(
            "bias", Parameter(functions.empty((out_channels,), **made)) if bias else None
        )
        self.reset_parameters()

    def _padding_of_sides(self, name: str) -> list[tuple[int, int]]:
        """How much is padded before and after each dimension."""
        if not isinstance(self.padding, str):
            return [(amount, amount) for amount in self.padding]
        if self.padding == "valid":
            return [(0, 0)] * self.rank
        if self.padding != "same":
            raise ValueError(
                f"{name}: padding must be numbers, 'valid' or 'same'; got {self.padding!r}"
            )
        if any(step != 1 for step in self.stride):
            raise ValueError(f"{name}: padding='same' needs stride 1; got {self.stride}")
        totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
        return [(total // 2, total - total // 2) for total in totals]

    def _padded(self, input: Tensor) -> tuple[Tensor, tuple[int, ...]]:
        """The input and how much of zeros the convolution itself adds to both sides."""
        if self.padding_mode == "zeros" and all(a == b for a, b in self._sides):
            return input, tuple(before for before, _ in self._sides)
        amounts = [amount for sides in reversed(self._sides) for amount in sides]
        mode = "constant" if self.padding_mode == "zeros" else self.padding_mode
        return F.pad(input, amounts, mode), (0,) * self.rank

    def reset_parameters(self) -> None:
        """Draws new values: uniform within 1 / sqrt(inputs of one output)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = init.bound_of_fan_in(self.weight)
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """Channels, kernel and what isn't the default."""
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        parts.append(f"stride={self.stride}")
        if self.padding != (0,) * self.rank:
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * self.rank:
            parts.append(f"dilation={self.dilation}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class Conv1d(_Conv):
    """[n, in, length] (or without n) -> [n, out, length']: cross-correlation with a bias.

    `weight` is [out, in / groups, kernel_size].
    """

    rank = 1

    def forward(self, input: Tensor) -> Tensor:
        """The convolved signal."""
        given, padding = self._padded(input)
        return F.conv1d(
            given, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )


class Conv2d(_Conv):
    """[n, in, h, w] (or without n) -> [n, out, h', w']: cross-correlation with a bias.

    `weight` is [out, in / groups, *kernel_size].
    """

    rank = 2

    def forward(self, input: Tensor) -> Tensor:
        """The convolved image."""
        given, padding = self._padded(input)
        return F.conv2d(
            given, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )
