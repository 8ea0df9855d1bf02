"""What derivative formulas share: gradients of folds, selections and views.

Every function is made of ops that have derivatives themselves, so that a formula can be
differentiated again.
"""

from __future__ import annotations

from .prelude import Ints, Scalar, Shape, Shapes, Tensor, Tensors, numel, ops, wrap_dim
from .reduce import reduced


def unfolded(op: str, folded: Tensor, sizes: Shape, dim: Ints | None, keepdim: bool) -> Tensor:
    """What a fold made, with the folded dimensions in place again, of size 1."""
    if keepdim:
        return folded
    return ops.reshape(folded, reduced(op, sizes, dim, True))


def spread(op: str, folded: Tensor, sizes: Shape, dim: Ints | None, keepdim: bool) -> Tensor:
    """The gradient of a sum: each element that went into it gets the sum's."""
    return ops.expand(unfolded(op, folded, sizes, dim, keepdim), sizes)


def elements_per_fold(op: str, sizes: Shape, results: Shape) -> int:
    """How many elements went into each result."""
    return numel(op, sizes) // max(numel(op, results), 1)


def shared_among_ties(
    op: str, grad: Tensor, self: Tensor, result: Tensor, dim: Ints | None, keepdim: bool
) -> Tensor:
    """The gradient of an extreme value: elements that are equal to it share it evenly."""
    value = unfolded(op, result, self.shape, dim, keepdim)
    chosen = ops.logical_or(ops.eq(self, value), ops.logical_and(ops.isnan(self), ops.isnan(value)))
    flags = ops.to(chosen, grad.dtype)
    folds = (0,) * 0
    for d in range(self.dim()):
        if value.shape[d] != self.shape[d] or value.shape[d] == 1:
            folds = (*folds, d)
    count = ops.sum(flags, folds, True) if len(folds) > 0 else flags
    return flags * (unfolded(op, grad, self.shape, dim, keepdim) / count)


def within_bounds(grad: Tensor, self: Tensor, min: Scalar | None, max: Scalar | None) -> Tensor:
    """The gradient of what is limited: where self lies within the bounds or on one of them."""
    kept = grad
    if min is not None:
        kept = ops.where(ops.ge(self, min), kept, 0)
    if max is not None:
        kept = ops.where(ops.le(self, max), kept, 0)
    return kept


def within_tensors(grad: Tensor, self: Tensor, min: Tensor | None, max: Tensor | None) -> Tensor:
    """The same with a bound for each element."""
    kept = grad
    if min is not None:
        kept = ops.where(ops.ge(self, min), kept, 0)
    if max is not None:
        kept = ops.where(ops.le(self, max), kept, 0)
    return kept


def of_lower_bound(grad: Tensor, self: Tensor, min: Tensor | None, max: Tensor | None) -> Tensor:
    """Where it is the result: below it lies self, above it the upper bound."""
    kept = grad
    if min is not None:
        kept = ops.where(ops.lt(self, min), kept, 0)
        if max is not None:
            kept = ops.where(ops.lt(min, max), kept, 0)
    return kept


def of_upper_bound(grad: Tensor, self: Tensor, min: Tensor | None, max: Tensor | None) -> Tensor:
    """Where it is the result: above it lies self or the lower bound."""
    kept = grad
    if max is not None:
        above = ops.gt(self, max)
        if min is not None:
            above = ops.logical_or(above, ops.gt(min, max))
        kept = ops.where(above, kept, 0)
    return kept


def atan2_backward(grad: Tensor, side: Tensor, self: Tensor, other: Tensor) -> Tensor:
    """One side over the squared distance from the origin; nothing at the origin itself."""
    square = self * self + other * other
    return grad * (side / ops.where(ops.eq(square, 0), 1, square))


def aminmax_backward(
    op: str,
    grad_min: Tensor,
    grad_max: Tensor,
    self: Tensor,
    least: Tensor,
    most: Tensor,
    dim: int | None,
    keepdim: bool,
) -> Tensor:
    """Both extremes' gradients, each shared among its ties."""
    low = grad_min
    high = grad_max
    if dim is None:
        low = shared_among_ties(op, grad_min, self, least, None, keepdim)
        high = shared_among_ties(op, grad_max, self, most, None, keepdim)
    else:
        low = shared_among_ties(op, grad_min, self, least, (dim,), keepdim)
        high = shared_among_ties(op, grad_max, self, most, (dim,), keepdim)
    return low + high


def at_places(
    op: str, grad: Tensor, sizes: Shape, dim: int, indices: Tensor, keepdim: bool
) -> Tensor:
    """The gradient of values picked along a dimension: zero but at their places."""
    zeros = ops.new_zeros(grad, sizes)
    if len(sizes) == 0 or keepdim:
        return ops.scatter_add(zeros, dim, indices, grad)
    place = wrap_dim(op, dim, len(sizes))
    return ops.scatter_add(zeros, place, ops.unsqueeze(indices, place), ops.unsqueeze(grad, place))


def embedding_backward(
    op: str, grad: Tensor, sizes: Shape, indices: Tensor, padding_idx: int, by_frequency: bool
) -> Tensor:
    """Rows of a table that were looked up get the sum of what came for them; the padding none."""
    count = indices.numel()
    flat = ops.reshape(indices, (count,))
    rows = ops.reshape(grad, (count, sizes[1]))
    if by_frequency:
        ones = ops.new_ones(grad, (count,))
        times = ops.index_add(ops.new_zeros(grad, (sizes[0],)), 0, flat, ones)
        rows = rows / ops.unsqueeze(ops.index_select(times, 0, flat), 1)
    if padding_idx >= 0:
        rows = ops.masked_fill(rows, ops.unsqueeze(ops.eq(flat, padding_idx), 1), 0)
    return ops.index_add(ops.new_zeros(grad, sizes), 0, flat, rows)


def linear_weight(op: str, grad: Tensor, input: Tensor, sizes: Shape) -> Tensor:
    """Of linear's weight: rows of the gradient times rows of the input."""
    width = sizes[len(sizes) - 1]
    if len(sizes) == 1:
        return ops.unsqueeze(grad, input.dim() - 1) * input
    rows = numel(op, input.shape[: input.dim() - 1])
    flat = ops.reshape(grad, (rows, sizes[0]))
    return ops.mm(ops.t(flat), ops.reshape(input, (rows, width)))


def linear_input(op: str, grad: Tensor, weight: Tensor, rank: int) -> Tensor:
    """Of linear's input."""
    if weight.dim() == 1:
        return ops.unsqueeze(grad, rank - 1) * weight
    return ops.matmul(grad, weight)


def select_backward(grad: Tensor, sizes: Shape, dim: int, index: int) -> Tensor:
    """Zero but in the slice that was selected."""
    whole = ops.new_zeros(grad, sizes)
    ops.copy_(ops.select(whole, dim, index), grad)
    return whole


def slice_backward(
    grad: Tensor, sizes: Shape, dim: int, start: int | None, end: int | None, step: int
) -> Tensor:
    """Zero but in the part that was sliced out."""
    whole = ops.new_zeros(grad, sizes)
    ops.copy_(ops.slice(whole, dim, start, end, step), grad)
    return whole


def diagonal_backward(grad: Tensor, sizes: Shape, offset: int, dim1: int, dim2: int) -> Tensor:
    """Zero but on the diagonal."""
    whole = ops.new_zeros(grad, sizes)
    ops.copy_(ops.diagonal(whole, offset, dim1, dim2), grad)
    return whole


def inverse_order(op: str, dims: Ints) -> Ints:
    """The permutation that takes another one back."""
    rank = len(dims)
    result = (0,) * rank
    for d in range(rank):
        i = wrap_dim(op, dims[d], rank)
        result = (*result[:i], d, *result[i + 1 :])
    return result


def cat_backward(op: str, grad: Tensor, shapes: Shapes, dim: int) -> Tensors:
    """The parts that tensors laid end to end get."""
    place = wrap_dim(op, dim, grad.dim())
    lengths = (0,) * 0
    for shape in shapes:
        lengths = (*lengths, shape[place] if len(shape) == grad.dim() else 0)
    return ops.split_with_sizes(grad, lengths, place)


def others_product(op: str, self: Tensor, dim: int) -> Tensor:
    """For each element the product of all others of its line."""
    length = self.shape[dim]
    if length == 0:
        return self
    one = ops.ones_like(ops.narrow(self, dim, 0, 1))
    most = ops.narrow(self, dim, 0, length - 1)
    before = ops.cumprod(ops.cat((one, most), dim), dim)
    turned = ops.narrow(ops.flip(self, (dim,)), dim, 0, length - 1)
    after = ops.cumprod(ops.cat((one, turned), dim), dim)
    return before * ops.flip(after, (dim,))


def prod_backward(op: str, grad: Tensor, self: Tensor, dim: int, keepdim: bool) -> Tensor:
    """Each element gets the product of the others."""
    if self.dim() == 0:
        return grad
    place = wrap_dim(op, dim, self.dim())
    whole = grad if keepdim else ops.unsqueeze(grad, place)
    return whole * others_product(op, self, place)


def prod_all_backward(op: str, grad: Tensor, self: Tensor) -> Tensor:
    """The same for the product of everything."""
    flat = ops.reshape(self, (self.numel(),))
    return ops.reshape(grad * others_product(op, flat, 0), self.shape)


def var_backward(
    op: str, grad: Tensor, self: Tensor, dim: Ints | None, correction: Scalar | None, keepdim: bool
) -> Tensor:
    """Twice the distance from the mean, over the number of degrees of freedom."""
    mean = ops.mean(self, dim, True)
    count = elements_per_fold(op, self.shape, mean.shape)
    unit = ops.full((), count, dtype=grad.dtype)
    freedom = unit - 1 if correction is None else unit - correction
    scale = ops.clamp_min(freedom, 0)
    return (2 * unfolded(op, grad, self.shape, dim, keepdim)) * ((self - mean) / scale)


def max_pool2d_backward(op: str, grad: Tensor, sizes: Shape, indices: Tensor) -> Tensor:
    """Each window's gradient at the place of its greatest element."""
    rank = len(sizes)
    planes = sizes[: rank - 2]
    length = numel(op, sizes[rank - 2 :])
    windows = numel(op, grad.shape[rank - 2 :])
    flat = ops.scatter_add(
        ops.new_zeros(grad, (*planes, length)),
        rank - 2,
        ops.reshape(indices, (*planes, windows)),
        ops.reshape(grad, (*planes, windows)),
    )
    return ops.reshape(flat, sizes)


def cumprod_backward(op: str, grad: Tensor, self: Tensor, dim: int) -> Tensor:
    """Each element times what follows it: sums of products that leave it out, from the end."""
    if self.dim() == 0:
        return grad
    place = wrap_dim(op, dim, self.dim())
    length = self.shape[place]
    if length == 0:
        return grad
    one = ops.ones_like(ops.narrow(self, place, 0, 1))
    most = ops.narrow(self, place, 0, length - 1)
    before = ops.cumprod(ops.cat((one, most), place), place)
    sums = ops.zeros_like(grad)
    tail = ops.select(grad, place, length - 1)
    ops.copy_(ops.select(sums, place, length - 1), tail)
    for step in range(1, length):
        i = length - 1 - step
        tail = ops.select(grad, place, i) + ops.select(self, place, i + 1) * tail
        ops.copy_(ops.select(sums, place, i), tail)
    return before * sums


def weighted_tails(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    """exp(self) times the sum of what follows of grad exp(-result), for grad > 0, else 0."""
    positive = ops.gt(grad, 0)
    logarithm = ops.where(positive, ops.log(ops.where(positive, grad, 1)), -1e30)
    tails = ops.flip(ops.logcumsumexp(ops.flip(logarithm - result, (dim,)), dim), (dim,))
    return ops.exp(tails + self)


def logcumsumexp_backward(
    op: str, grad: Tensor, self: Tensor, result: Tensor, dim: int
) -> Tensor:
    """By logarithms of the gradient, positive and negative apart, so that nothing overflows."""
    return weighted_tails(grad, self, result, dim) - weighted_tails(-grad, self, result, dim)


def vector_norm_backward(
    op: str,
    grad: Tensor,
    self: Tensor,
    result: Tensor,
    ord: Scalar,
    dim: Ints | None,
    keepdim: bool,
) -> Tensor:
    """Towards each element as far as it takes part in the norm; 0 where the norm is 0."""
    order = float(ord)
    whole = unfolded(op, grad, self.shape, dim, keepdim)
    norm = unfolded(op, result, self.shape, dim, keepdim)
    if order == 0.0:
        return ops.zeros_like(self)
    if order == 1.0:
        return ops.sgn(self) * whole
    if order > 1e308 or order < -1e308:
        size = ops.abs(self)
        return ops.sgn(self) * shared_among_ties(op, whole, size, norm, dim, True)
    none = ops.eq(norm, 0)
    divisor = ops.masked_fill(norm, none, 1)
    if order == 2.0:
        return self * ops.masked_fill(whole / divisor, none, 0)
    parts = ops.sgn(self) * ops.pow(ops.abs(self) / divisor, order - 1.0)
    return ops.masked_fill(parts, ops.eq(self, 0), 0) * ops.masked_fill(whole, none, 0)


def extent(op: str, sizes: Shape, strides: Ints, offset: int) -> int:
    """Elements of a storage up to the last one that a geometry shows."""
    last = offset
    for d in range(len(sizes)):
        if sizes[d] == 0:
            return offset
        last = last + (sizes[d] - 1) * strides[d]
    return last + 1


def as_strided_backward(
    op: str,
    grad: Tensor,
    sizes: Shape,
    strides: Ints,
    offset: int,
    size: Ints,
    stride: Ints,
    storage_offset: int | None,
) -> Tensor:
    """By way of a storage, in which what several elements show is summed.

    Where the operand shows an element several times, these share its gradient.
    """
    start = offset if storage_offset is None else storage_offset
    length = max(extent(op, sizes, strides, offset), extent(op, size, stride, start))
    place = ops.arange(length, device=grad.device)
    count = grad.numel()
    flat = ops.reshape(ops.as_strided(place, size, stride, start), (count,))
    storage = ops.index_add(ops.new_zeros(grad, (length,)), 0, flat, ops.reshape(grad, (count,)))
    made = ops.as_strided(storage, sizes, strides, offset)
    if made.is_contiguous():
        return made
    own = numel(op, sizes)
    places = ops.reshape(ops.as_strided(place, sizes, strides, offset), (own,))
    zeros = ops.new_zeros(grad, (length,))
    times = ops.index_add(zeros, 0, places, ops.new_ones(grad, (own,)))
    return made / ops.as_strided(times, sizes, strides, offset)


def unfold_backward(
    op: str, grad: Tensor, sizes: Shape, dimension: int, size: int, step: int
) -> Tensor:
    """Each element gets the sum of what the windows that show it got."""
    whole = ops.new_zeros(grad, sizes)
    if len(sizes) == 0:
        return ops.reshape(grad, sizes) if size == 1 else whole
    dim = wrap_dim(op, dimension, len(sizes))
    windows = grad.shape[dim]
    for place in range(size):
        part = ops.slice(whole, dim, place, place + (windows - 1) * step + 1, step)
        ops.add_(part, ops.select(grad, -1, place))
    return whole


def sgn_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """Nothing of real numbers; of complex ones what turns the number, over its magnitude.

    The gradient comes, and is expected, conjugated (see emit/autograd.py).
    """
    if not self.is_complex():
        return ops.zeros_like(grad)
    own = grad * result
    along = (own + ops.conj_physical(own)) * 0.5
    zero = ops.eq(self, 0)
    size = ops.masked_fill(ops.abs(self), zero, 1)
    turning = (grad - ops.conj_physical(result) * along) / size
    return ops.masked_fill(turning, zero, 0)


def vanishes(base: Tensor, exponent: Tensor) -> Tensor:
    """Where a power of zero is constant in its exponent."""
    if exponent.is_complex() or base.is_complex():
        return ops.logical_and(ops.eq(base, 0), ops.ne(exponent, -1))
    return ops.logical_and(ops.eq(base, 0), ops.ge(exponent, 0))


def mish_backward(grad: Tensor, self: Tensor) -> Tensor:
    """Of x tanh(softplus(x))."""
    gate = ops.tanh(ops.softplus(self))
    return grad * (gate + self * ops.sigmoid(self) * (1 - gate * gate))


def gelu_tanh_backward(grad: Tensor, self: Tensor) -> Tensor:
    """Of x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3)."""
    square = self * self
    gate = ops.tanh(0.7978845608028654 * self * (1 + 0.044715 * square))
    slope = 0.7978845608028654 * (1 + 0.134145 * square)
    return grad * (0.5 * (1 + gate) + 0.5 * self * (1 - gate * gate) * slope)
