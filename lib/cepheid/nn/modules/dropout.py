"""Dropout as layers: active in training only."""

from __future__ import annotations

from cepheid._C import Tensor, functions
from cepheid.nn.modules.module import Module

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d"]


class _Dropout(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"{type(self).__name__}: p must be in [0, 1]; got {p}")
        self.p, self.inplace = p, inplace

    def _write(self, input: Tensor, result: Tensor) -> Tensor:
        return input.copy_(result) if self.inplace and result is not input else result

    def extra_repr(self) -> str:
        """The options."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """In training, elements are zero with probability p and the others scaled by 1 / (1 - p)."""

    def forward(self, input: Tensor) -> Tensor:
        """The input itself outside of training."""
        return self._write(input, functions.dropout(input, self.p, self.training))


class _ChannelDropout(_Dropout):
    """Whole channels of [n, c, ...] are dropped."""

    def forward(self, input: Tensor) -> Tensor:
        """The input itself outside of training."""
        if not self.training or self.p == 0:
            return input
        channels = tuple(input.shape[:2]) + (1,) * (input.dim() - 2)
        kept = functions.ones(channels, dtype=input.dtype, device=input.device)
        return self._write(input, input * functions.dropout(kept, self.p, True))


class Dropout1d(_ChannelDropout):
    """Dropout of whole channels of [n, c, length]."""


class Dropout2d(_ChannelDropout):
    """Dropout of whole channels of [n, c, h, w]."""


class Dropout3d(_ChannelDropout):
    """Dropout of whole channels of [n, c, d, h, w]."""
