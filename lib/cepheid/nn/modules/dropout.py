"""Dropout as layers: active in training only."""

from __future__ import annotations

from cepheid._C import Tensor, functions
from cepheid.nn import functional as F
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


class Dropout1d(_Dropout):
    """Dropout of whole channels of [n, c, length]."""

    def forward(self, input: Tensor) -> Tensor:
        """The input itself outside of training."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """Dropout of whole channels of [n, c, h, w]."""

    def forward(self, input: Tensor) -> Tensor:
        """The input itself outside of training."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """Dropout of whole channels of [n, c, d, h, w]."""

    def forward(self, input: Tensor) -> Tensor:
        """The input itself outside of training."""
        return F.dropout3d(input, self.p, self.training, self.inplace)
