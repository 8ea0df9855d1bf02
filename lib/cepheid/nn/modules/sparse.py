"""Tables of vectors that are looked up by index."""

from __future__ import annotations

from typing import Any

from cepheid._C import Tensor, functions
from cepheid.autograd.grad_mode import no_grad
from cepheid.nn import functional as F
from cepheid.nn import init
from cepheid.nn.modules.module import Module
from cepheid.nn.parameter import Parameter

__all__ = ["Embedding"]


class Embedding(Module):
    """Indices [...] -> [..., embedding_dim]: rows of `weight` [num_embeddings, embedding_dim].

    The row `padding_idx` starts as zeros and gets no gradient.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise ValueError(
                    f"Embedding: padding_idx must be within {num_embeddings} rows;"
                    f" got {padding_idx}"
                )
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx, self.max_norm, self.norm_type = padding_idx, max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        shape = (num_embeddings, embedding_dim)
        if _weight is None:
            made = functions.empty(shape, **init.factory(device, dtype))
            self.weight = Parameter(made, requires_grad=not _freeze)
            self.reset_parameters()
        elif tuple(_weight.shape) == shape:
            self.weight = Parameter(_weight, requires_grad=not _freeze)
        else:
            raise ValueError(
                f"Embedding: the weight must be {list(shape)}; got {list(_weight.shape)}"
            )

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """Looks rows of a given table up, which isn't trained unless freeze=False."""
        rows, width = embeddings.shape
        return cls(
            rows, width, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse,
            _weight=embeddings, _freeze=freeze,
        )  # fmt: skip

    def reset_parameters(self) -> None:
        """Draws new values, standard normal."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        """The rows."""
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The sizes and what isn't the default."""
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        for name, default in (("padding_idx", None), ("max_norm", None), ("norm_type", 2.0)):
            if getattr(self, name) != default:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join(parts)
