"""Attention of several heads, and the encoder of transformers (Vaswani et al., 2017)."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from cepheid import _C
from cepheid._C import Tensor, functions
from cepheid.nn import functional as F
from cepheid.nn import init
from cepheid.nn.modules.container import ModuleList
from cepheid.nn.modules.dropout import Dropout
from cepheid.nn.modules.linear import Linear, NonDynamicallyQuantizableLinear
from cepheid.nn.modules.module import Module
from cepheid.nn.modules.normalization import LayerNorm
from cepheid.nn.parameter import Parameter

__all__ = ["MultiheadAttention", "TransformerEncoder", "TransformerEncoderLayer"]


class MultiheadAttention(Module):
    """Queries [l, n, embed_dim], keys [s, n, kdim] and values [s, n, vdim] (n first with
    batch_first, or without n) -> [l, n, embed_dim]: each head attends in its part
    of the dimensions.

    `in_proj_weight` holds the three projections, or q_proj_weight, k_proj_weight and v_proj_weight
    where widths differ; `out_proj` is the last.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise ValueError(
                "MultiheadAttention: embed_dim must be divisible by num_heads, both above 0; got"
                f" {embed_dim} and {num_heads}"
            )
        if add_bias_kv or add_zero_attn:
            raise NotImplementedError(
                "MultiheadAttention: add_bias_kv and add_zero_attn are not part of this version;"
                " leave them out"
            )
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.head_dim, self.batch_first = embed_dim // num_heads, batch_first
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        made = init.factory(device, dtype)
        self._make_projections(made)
        self.register_parameter(
            "in_proj_bias", Parameter(functions.empty((3 * embed_dim,), **made)) if bias else None
        )
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **made)
        self._reset_parameters()

    def _make_projections(self, made: dict[str, Any]) -> None:
        size = self.embed_dim
        own = {"q_proj_weight": size, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        for name, width in own.items():
            wanted = not self._qkv_same_embed_dim
            weight = Parameter(functions.empty((size, width), **made)) if wanted else None
            self.register_parameter(name, weight)
        joint = functions.empty((3 * size, size), **made) if self._qkv_same_embed_dim else None
        self.register_parameter("in_proj_weight", None if joint is None else Parameter(joint))

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = getattr(self, name)
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The result, and with need_weights the weights [n, l, s], or [n, heads, l, s] if they
        aren't averaged. Masks are added, or where bool hide what is True; `is_causal` says that
        attn_mask is the causal one."""
        if is_causal and attn_mask is None:
            raise RuntimeError(
                "MultiheadAttention: need attn_mask if specifying the is_causal hint."
            )
        batched = query.dim() == 3
        parts = [query, key, value]
        if not batched:
            parts = [part.unsqueeze(0) for part in parts]
        elif not self.batch_first:
            parts = [part.transpose(0, 1) for part in parts]
        heads = [self._heads(part) for part in self._projected(*parts)]
        mask = self._mask(heads[0], heads[1], attn_mask, key_padding_mask)
        result, weights = self._attend(heads, mask, need_weights)
        n, _, length, _ = result.shape
        # Time comes first in memory, so that a dropout that follows draws in PyTorch's order.
        rows = result.permute(2, 0, 1, 3).reshape(length, n, self.embed_dim)
        result = self.out_proj(rows).transpose(0, 1)
        if weights is not None and average_attn_weights:
            weights = weights.mean(1)
        if not batched:
            return result.squeeze(0), None if weights is None else weights.squeeze(0)
        return result if self.batch_first else result.transpose(0, 1), weights

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        bias = self.in_proj_bias
        biases = [None] * 3 if bias is None else bias.chunk(3)
        if self.in_proj_weight is not None:
            weights = self.in_proj_weight.chunk(3)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        triples = zip((query, key, value), weights, biases, strict=True)
        return [F.linear(part, weight, offset) for part, weight, offset in triples]

    def _heads(self, part: Tensor) -> Tensor:
        """[n, l, embed] -> [n, heads, l, embed / heads]."""
        n, length, _ = part.shape
        return part.reshape(n, length, self.num_heads, self.head_dim).transpose(1, 2)

    def _mask(
        self, query: Tensor, key: Tensor, mask: Tensor | None, padding: Tensor | None
    ) -> Tensor | None:
        """Both masks as one that is added to the scores [n, heads, l, s]."""
        made = None if mask is None else added_mask(mask, query.dtype)
        if made is not None and made.dim() == 3:
            made = made.reshape(query.size(0), self.num_heads, query.size(2), key.size(2))
        if padding is not None:
            hidden = added_mask(padding, query.dtype).reshape(-1, 1, 1, key.size(2))
            made = hidden if made is None else made + hidden
        return made

    def _attend(
        self, heads: list[Tensor], mask: Tensor | None, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        query, key, value = heads
        dropout = self.dropout if self.training else 0.0
        if not need_weights:
            made = F.scaled_dot_product_attention(query, key, value, mask, dropout)
            return made, None
        scores = (query * math.sqrt(1.0 / self.head_dim)) @ key.transpose(-2, -1)
        if mask is not None:
            scores = scores + mask
        weights = scores.softmax(-1)
        if dropout:
            weights = functions.dropout(weights, dropout, True)
        return weights @ value, weights


def added_mask(mask: Tensor, dtype: _C.dtype) -> Tensor:
    """A mask as numbers to add: -inf where a bool one is True."""
    if mask.dtype != _C._dtypes()["bool"]:
        return mask
    return functions.zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)


class TransformerEncoderLayer(Module):
    """Attention to itself, then two linear layers; each is added to its input and normalised, after
    it or with norm_first before."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made = init.factory(device, dtype)
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **made
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **made)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **made)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        known = {"relu": F.relu, "gelu": F.gelu}
        if isinstance(activation, str) and activation not in known:
            raise RuntimeError(
                f"TransformerEncoderLayer: activation should be relu/gelu, not {activation}"
            )
        self.activation = known[activation] if isinstance(activation, str) else activation

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """The layer's result, of the input's shape."""

        def attend(x: Tensor) -> Tensor:
            made, _ = self.self_attn(
                x, x, x, attn_mask=src_mask, key_padding_mask=src_key_padding_mask,
                need_weights=False, is_causal=is_causal,
            )  # fmt: skip
            return self.dropout1(made)

        def feed(x: Tensor) -> Tensor:
            return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))

        if self.norm_first:
            src = src + attend(self.norm1(src))
            return src + feed(self.norm2(src))
        src = self.norm1(src + attend(src))
        return self.norm2(src + feed(src))


class TransformerEncoder(Module):
    """`num_layers` copies of a layer one after the other, and a last norm if one is given."""

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(encoder_layer) for _ in range(num_layers))
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """The last layer's result."""
        for layer in self.layers:
            src = layer(
                src, src_mask=mask, src_key_padding_mask=src_key_padding_mask,
                is_causal=bool(is_causal),
            )  # fmt: skip
        return src if self.norm is None else self.norm(src)
