"""Attention: which queries, keys and values belong together, and what is dropped."""

from __future__ import annotations

from .prelude import Shape, Tensor, broadcast_shapes, ops, show


def batch_of(op: str, name: str, given: Shape) -> Shape:
    """The dimensions before a matrix."""
    if len(given) < 2:
        raise RuntimeError(f"{op}: {name} must have at least 2 dimensions; got {show(given)}")
    return given[: len(given) - 2]


def shared_heads(op: str, name: str, given: Shape, query: Shape) -> Shape:
    """The batch of key or value with as many heads as the query has, which share its own."""
    batch = batch_of(op, name, given)
    if len(batch) == 0 or len(query) < 3:
        raise RuntimeError(
            f"{op}: with enable_gqa the operands must have a dimension of heads;"
            f" got query {show(query)} and {name} {show(given)}"
        )
    heads = batch[len(batch) - 1]
    wanted = query[len(query) - 3]
    if heads < 1 or wanted % heads != 0:
        raise RuntimeError(
            f"{op}: the query's heads must be a multiple of those of {name}; got {wanted}"
            f" and {heads}"
        )
    return (*batch[: len(batch) - 1], wanted)


def attended(
    op: str, query: Shape, key: Shape, value: Shape, enable_gqa: bool
) -> Shape:
    """The common batch, and a row of the value's width for each query."""
    batch = batch_of(op, "query", query)
    if enable_gqa:
        batch = broadcast_shapes(op, batch, shared_heads(op, "key", key, query))
        batch = broadcast_shapes(op, batch, shared_heads(op, "value", value, query))
    else:
        batch = broadcast_shapes(op, batch, batch_of(op, "key", key))
        batch = broadcast_shapes(op, batch, batch_of(op, "value", value))
    if query[-1] != key[-1]:
        raise RuntimeError(
            f"{op}: query and key must have the same last size; got query {show(query)}"
            f" and key {show(key)}"
        )
    if key[-2] != value[-2]:
        raise RuntimeError(
            f"{op}: each key must have a value; got key {show(key)} and value {show(value)}"
        )
    return (*batch, query[-2], value[-1])


def attention(
    op: str,
    query: Shape,
    key: Shape,
    value: Shape,
    attn_mask: Shape | None,
    is_causal: bool,
    enable_gqa: bool,
) -> Shape:
    """As attended; a mask must broadcast to the scores."""
    result = attended(op, query, key, value, enable_gqa)
    if attn_mask is not None:
        if is_causal:
            raise RuntimeError(
                f"{op}: attn_mask must not be given with is_causal=True; got {show(attn_mask)}"
            )
        scores = (*result[: len(result) - 1], key[-2])
        if len(attn_mask) < 2 or broadcast_shapes(op, attn_mask, scores) != scores:
            raise RuntimeError(
                f"{op}: attn_mask must have at least 2 dimensions and broadcast to the scores,"
                f" {show(scores)}; got {show(attn_mask)}"
            )
    return result


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> Tensor:
    """softmax(query key^T scale + mask) value, of whose weights some are dropped."""
    if not (dropout_p >= 0.0 and dropout_p <= 1.0):
        raise RuntimeError(
            f"scaled_dot_product_attention: dropout_p must be between 0 and 1; got {dropout_p}"
        )
    if dropout_p == 0.0:
        return ops._attention(
            query, key, value, attn_mask, None, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    shape = attended(
        "scaled_dot_product_attention", query.shape, key.shape, value.shape, enable_gqa
    )
    scores = (*shape[: len(shape) - 1], key.shape[-2])
    kept = ops.dropout(ops.new_ones(query, scores), dropout_p, True)
    return ops._attention(
        query, key, value, attn_mask, kept, is_causal, scale=scale, enable_gqa=enable_gqa
    )
