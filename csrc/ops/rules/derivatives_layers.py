"""Derivatives of normalisations, convolutions, pools and attention, made of ops.

A gradient may come back with more dimensions than the operand has, or with its size where the
operand has 1: whoever asked sums it down.
"""

from __future__ import annotations

from .conv import pair
from .prelude import Ints, Shape, Tensor, numel, ops


def wide(x: Tensor) -> Tensor:
    """In float32 where it has 16 bits: whoever asked rounds the gradient once."""
    return ops.to(x, "float32") if x.element_size() < 4 else x


def last_dims(op: str, rank: int, count: int) -> Ints:
    """The last `count` of `rank` dimensions."""
    dims = (0,) * 0
    for i in range(count):
        dims = (*dims, rank - count + i)
    return dims


def normalised_backward(op: str, grad: Tensor, normal: Tensor, scale: Tensor, dims: Ints) -> Tensor:
    """Of (x - mean) * scale, whose mean and deviation are those of x over dims."""
    own = ops.mean(grad, dims, True)
    along = ops.mean(grad * normal, dims, True)
    return (grad - own - normal * along) * scale


def layer_norm_backward(
    op: str,
    grad: Tensor,
    input: Tensor,
    normalized_shape: Ints,
    weight: Tensor | None,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Of input, weight and bias."""
    dims = last_dims(op, input.dim(), len(normalized_shape))
    x = wide(input)
    g = wide(grad)
    centred = x - ops.mean(x, dims, True)
    scale = ops.rsqrt(ops.mean(centred * centred, dims, True) + eps)
    normal = centred * scale
    weighted = g * weight if weight is not None else g
    return normalised_backward(op, weighted, normal, scale, dims), g * normal, g


def spacing_at_one(op: str, like: Tensor) -> Tensor:
    """The distance from 1 to the next number of a dtype: what 4/3 is rounded by, times 3."""
    third = ops.new_full(like, (), 4) / 3 - 1
    return ops.abs(3 * third - 1)


def rms_norm_backward(
    op: str,
    grad: Tensor,
    input: Tensor,
    normalized_shape: Ints,
    weight: Tensor | None,
    eps: float | None,
) -> tuple[Tensor, Tensor]:
    """Of input and weight."""
    dims = last_dims(op, input.dim(), len(normalized_shape))
    x = wide(input)
    g = wide(grad)
    square = ops.mean(x * x, dims, True)
    square = square + eps if eps is not None else square + spacing_at_one(op, input)
    scale = ops.rsqrt(square)
    normal = x * scale
    weighted = g * weight if weight is not None else g
    along = ops.mean(weighted * normal, dims, True)
    return (weighted - normal * along) * scale, g * normal


def per_channel(op: str, values: Tensor, rank: int) -> Tensor:
    """One number per channel, for a tensor of `rank` dimensions whose second is the channels."""
    return ops.reshape(values, (values.numel(), *((1,) * (rank - 2))))


def group_norm_backward(
    op: str, grad: Tensor, input: Tensor, num_groups: int, weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Of input, weight and bias."""
    rank = input.dim()
    length = (input.shape[1] // num_groups) * numel(op, input.shape[2:])
    groups = (input.shape[0], num_groups, length)
    g = wide(grad)
    values = ops.reshape(wide(input), groups)
    centred = values - ops.mean(values, (2,), True)
    scale = ops.rsqrt(ops.mean(centred * centred, (2,), True) + eps)
    normal = centred * scale
    weighted = g * per_channel(op, weight, rank) if weight is not None else g
    made = normalised_backward(op, ops.reshape(weighted, groups), normal, scale, (2,))
    others = (0, *last_dims(op, rank, rank - 2))
    of_weight = ops.sum(g * ops.reshape(normal, input.shape), others)
    return ops.reshape(made, input.shape), of_weight, ops.sum(g, others)


def batch_norm_training_backward(
    op: str, grad: Tensor, input: Tensor, weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Of input, weight and bias, where the statistics are the input's."""
    rank = input.dim()
    others = (0, *last_dims(op, rank, rank - 2))
    x = wide(input)
    g = wide(grad)
    centred = x - ops.mean(x, others, True)
    scale = ops.rsqrt(ops.mean(centred * centred, others, True) + eps)
    normal = centred * scale
    weighted = g * per_channel(op, weight, rank) if weight is not None else g
    made = normalised_backward(op, weighted, normal, scale, others)
    return made, ops.sum(g * normal, others), ops.sum(g, others)


def batch_norm_backward(
    op: str,
    grad: Tensor,
    input: Tensor,
    weight: Tensor | None,
    mean: Tensor | None,
    var: Tensor | None,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Of input, weight and bias, where the statistics are given."""
    rank = input.dim()
    if mean is None or var is None:
        raise RuntimeError(f"{op}: running_mean and running_var must be given; got None")
    others = (0, *last_dims(op, rank, rank - 2))
    x = wide(input)
    g = wide(grad)
    scale = per_channel(op, ops.rsqrt(wide(var) + eps), rank)
    normal = (x - per_channel(op, wide(mean), rank)) * scale
    weighted = g * per_channel(op, weight, rank) if weight is not None else g
    return weighted * scale, ops.sum(g * normal, others), ops.sum(g, others)


def channels_but(op: str, rank: int) -> Ints:
    """The dimensions of a batch of images, or of one, but for the channels."""
    return (0, 2, 3) if rank == 4 else (1, 2)


def conv2d_backward(
    op: str,
    grad: Tensor,
    input: Tensor,
    weight: Tensor,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
    wants_input: bool,
    wants_weight: bool,
) -> tuple[Tensor, Tensor]:
    """Of input and weight, each where it is wanted."""
    single = input.dim() == 3
    images = ops.unsqueeze(input, 0) if single else input
    grads = ops.unsqueeze(grad, 0) if single else grad
    of_input = grad
    of_weight = grad
    if wants_input:
        of_input = ops.conv2d_input(
            images.shape, weight, grads, stride, padding, dilation, groups
        )
        of_input = ops.reshape(of_input, input.shape)
    if wants_weight:
        of_weight = ops.conv2d_weight(
            images, weight.shape, grads, stride, padding, dilation, groups
        )
    return of_input, of_weight


def window_sums(
    op: str, like: Tensor, size: int, kernel: int, stride: int, padding: int, ceil_mode: bool
) -> Tensor:
    """Which places of a line each window holds: [size, windows] of ones and zeros."""
    line = ops.eye(size, dtype=like.dtype, device=like.device)
    rows = ops.reshape(line, (1, size, size))
    made = ops.avg_pool2d(rows, (1, kernel), (1, stride), (0, padding), ceil_mode, True, 1)
    return ops.reshape(made, (size, made.shape[2]))


def avg_pool2d_backward(
    op: str,
    grad: Tensor,
    sizes: Shape,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    """Each window's share goes to all that it holds."""
    kernel = pair(op, "kernel_size", kernel_size, 1)
    pad = pair(op, "padding", padding, 0)
    step = pair(op, "stride", stride, 1) if stride is not None and len(stride) > 0 else kernel
    rank = len(sizes)
    ones = ops.new_ones(grad, (1, sizes[rank - 2], sizes[rank - 1]))
    means = ops.avg_pool2d(
        ones, kernel, step, pad, ceil_mode, count_include_pad, divisor_override
    )
    share = means / ops.avg_pool2d(ones, kernel, step, pad, ceil_mode, True, 1)
    high = window_sums(op, grad, sizes[rank - 2], kernel[0], step[0], pad[0], ceil_mode)
    wide = window_sums(op, grad, sizes[rank - 1], kernel[1], step[1], pad[1], ceil_mode)
    return ops.matmul(ops.matmul(high, grad * share), ops.t(wide))


def bins(op: str, like: Tensor, size: int, count: int) -> Tensor:
    """The weight of each place of a line in each bin's mean: [size, count]."""
    line = ops.eye(size, dtype=like.dtype, device=like.device)
    made = ops.adaptive_avg_pool2d(ops.reshape(line, (1, size, size)), (size, count))
    return ops.reshape(made, (size, count))


def adaptive_avg_pool2d_backward(op: str, grad: Tensor, sizes: Shape) -> Tensor:
    """Each bin's share goes to all that it holds."""
    rank = len(sizes)
    high = bins(op, grad, sizes[rank - 2], grad.shape[rank - 2])
    wide = bins(op, grad, sizes[rank - 1], grad.shape[rank - 1])
    return ops.matmul(ops.matmul(high, grad), ops.t(wide))


def added(op: str, mask: Tensor, like: Tensor) -> Tensor:
    """What is added to scores: the mask, or 0 where it is true and -inf where not."""
    return mask if mask.is_floating_point() else ops.log(ops.to(mask, like.dtype))


def attention_weights(
    op: str, query: Tensor, key: Tensor, attn_mask: Tensor | None, is_causal: bool, factor: Tensor
) -> Tensor:
    """softmax(query key^T factor + mask); zeros for a query that may see no key."""
    scores = ops.matmul(query, ops.transpose(key, -2, -1)) * factor
    if is_causal:
        seen = ops.ones((query.shape[-2], key.shape[-2]), dtype="bool", device=query.device)
        scores = scores + added(op, ops.tril(seen), scores)
    if attn_mask is not None:
        scores = scores + added(op, attn_mask, scores)
    if key.shape[-2] == 0:
        return scores
    blind = ops.isneginf(ops.amax(scores, (-1,), True))
    weights = ops.softmax(ops.masked_fill(scores, blind, 0), -1)
    return ops.masked_fill(weights, blind, 0)


def shared_by(op: str, t: Tensor, query: Tensor) -> Tensor:
    """Key or value once for each head of the query."""
    times = query.shape[query.dim() - 3] // t.shape[t.dim() - 3]
    return ops.repeat_interleave(t, times, -3)


def summed_heads(op: str, grad: Tensor, heads: int) -> Tensor:
    """What the heads that shared a key or value make of it together."""
    rank = grad.dim()
    shape = grad.shape
    groups = (heads, shape[rank - 3] // heads)
    parts = ops.reshape(grad, (*shape[: rank - 3], *groups, shape[rank - 2], shape[rank - 1]))
    return ops.sum(parts, (rank - 2,))


def attention_backward(
    op: str,
    grad: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    kept: Tensor | None,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Of query, key, value and mask."""
    q = wide(query)
    g = wide(grad)
    if scale is not None:
        factor = ops.new_full(q, (), scale)
    else:
        factor = ops.rsqrt(ops.new_full(q, (), query.shape[-1]))
    k = wide(shared_by(op, key, query) if enable_gqa else key)
    v = wide(shared_by(op, value, query) if enable_gqa else value)
    weights = attention_weights(op, q, k, attn_mask, is_causal, factor)
    of_weights = ops.matmul(g, ops.transpose(v, -2, -1))
    dropped = weights
    if kept is not None:
        of_weights = of_weights * kept
        dropped = weights * kept
    of_value = ops.matmul(ops.transpose(dropped, -2, -1), g)
    of_scores = weights * (of_weights - ops.sum(of_weights * weights, (-1,), True))
    of_query = ops.matmul(of_scores, k) * factor
    of_key = ops.matmul(ops.transpose(of_scores, -2, -1), q) * factor
    if enable_gqa:
        of_key = summed_heads(op, of_key, key.shape[key.dim() - 3])
        of_value = summed_heads(op, of_value, value.shape[value.dim() - 3])
    return of_query, of_key, of_value, of_scores
