"""Shapes of ops that pick elements by index, and of concatenation."""

from __future__ import annotations

from .prelude import (
    Ints,
    Shape,
    Shapes,
    Tensor,
    Tensors,
    broadcast_shapes,
    numel,
    ops,
    show,
    wrap_dim,
)


def index_select(op: str, self: Shape, dim: int, index: Shape) -> Shape:
    """`self` with dimension `dim` as long as the vector `index`."""
    if len(index) > 1:
        raise IndexError(f"{op}: index must be a vector; got index {show(index)}, flatten it")
    i = wrap_dim(op, dim, len(self))
    count = numel(op, index)
    if len(self) == 0:
        if count != 1:
            raise RuntimeError(
                f"{op}: a tensor without dimensions takes one index; got index {show(index)}"
            )
        return ()
    return (*self[:i], count, *self[i + 1 :])


def gather(op: str, self: Shape, dim: int, index: Shape) -> Shape:
    """The index's shape, which must fit inside `self` in every dimension but `dim`."""
    i = wrap_dim(op, dim, len(self))
    if numel(op, index) == 0:
        return index
    if max(len(self), 1) != max(len(index), 1):
        raise RuntimeError(
            f"{op}: self and index must have equally many dimensions; got self {show(self)}"
            f" and index {show(index)}"
        )
    for d in range(min(len(self), len(index))):
        if d != i and index[d] > self[d]:
            raise RuntimeError(
                f"{op}: index must not be larger than self except in dim {i}; got self {show(self)}"
                f" and index {show(index)}"
            )
    return index


def is_nothing(shape: Shape) -> bool:
    """An empty vector, which cat passes over whatever the others' rank."""
    return len(shape) == 1 and shape[0] == 0


def cat(op: str, tensors: Shapes, dim: int) -> Shape:
    """Sizes agree outside `dim`, where they add up."""
    if len(tensors) == 0:
        raise ValueError(f"{op}: at least one tensor is needed; got an empty list")
    like = tensors[0]
    for shape in tensors:
        if len(shape) == 0:
            raise RuntimeError(
                f"{op}: tensors need at least one dimension; got a tensor without, unsqueeze it"
            )
        if is_nothing(like):
            like = shape
    if is_nothing(like):
        return like
    i = wrap_dim(op, dim, len(like))
    total = 0
    for shape in tensors:
        if not is_nothing(shape):
            if len(shape) != len(like):
                raise RuntimeError(
                    f"{op}: tensors must have equally many dimensions; got {show(like)}"
                    f" and {show(shape)}"
                )
            for d in range(len(like)):
                if d != i and shape[d] != like[d]:
                    raise RuntimeError(
                        f"{op}: sizes must agree except in dim {i}; got {show(like)}"
                        f" and {show(shape)}"
                    )
            total = total + shape[i]
    return (*like[:i], total, *like[i + 1 :])


def embedding(op: str, weight: Shape, indices: Shape) -> Shape:
    """A row of `weight` for each index."""
    if len(weight) != 2:
        raise RuntimeError(f"{op}: weight must have two dimensions; got weight {show(weight)}")
    return (*indices, weight[1])


def take(op: str, self: Shape, index: Shape) -> Shape:
    """The index's shape."""
    if numel(op, self) == 0 and numel(op, index) > 0:
        raise IndexError(f"{op}: there is nothing to take from self {show(self)}")
    return index


def stack(tensors: Tensors, dim: int) -> Tensor:
    """Tensors of one shape side by side along a new dimension."""
    if len(tensors) == 0:
        raise RuntimeError("stack: at least one tensor is needed; got an empty list")
    parts = (ops.unsqueeze(tensors[0], dim),)
    for i in range(1, len(tensors)):
        parts = (*parts, ops.unsqueeze(tensors[i], dim))
    return ops.cat(parts, dim)


def hstack(tensors: Tensors) -> Tensor:
    """Tensors one after the other along their second dimension; vectors along their only one."""
    if len(tensors) == 0:
        raise RuntimeError("hstack: at least one tensor is needed; got an empty list")
    parts = (ops.unsqueeze(tensors[0], 0) if tensors[0].dim() == 0 else tensors[0],)
    for i in range(1, len(tensors)):
        tensor = tensors[i]
        parts = (*parts, ops.unsqueeze(tensor, 0) if tensor.dim() == 0 else tensor)
    return ops.cat(parts, 0 if parts[0].dim() == 1 else 1)


def at_least_2d(self: Tensor) -> Tensor:
    """A vector as one row, a number as one row of one."""
    if self.dim() >= 2:
        return self
    return ops.reshape(self, (1, self.numel()))


def vstack(tensors: Tensors) -> Tensor:
    """Tensors one below the other; a vector is a row."""
    if len(tensors) == 0:
        raise RuntimeError("vstack: at least one tensor is needed; got an empty list")
    parts = (at_least_2d(tensors[0]),)
    for i in range(1, len(tensors)):
        parts = (*parts, at_least_2d(tensors[i]))
    return ops.cat(parts, 0)


def take_along_dim(op: str, self: Shape, indices: Shape, dim: int | None) -> Shape:
    """Both broadcast beside `dim`, which is the indices' own; without it one dimension."""
    if dim is None:
        return (numel(op, indices),)
    i = wrap_dim(op, dim, len(self))
    if len(self) != len(indices) or len(self) == 0:
        raise RuntimeError(
            f"{op}: self and indices must have equally many dimensions, at least one; got self"
            f" {show(self)} and indices {show(indices)}"
        )
    return broadcast_shapes(op, (*self[:i], indices[i], *self[i + 1 :]), indices)


def where_true(condition: Tensor) -> Tensors:
    """The places of elements that aren't zero: one vector for each dimension."""
    if condition.dim() == 0:
        return ops.unbind(ops.nonzero(ops.unsqueeze(condition, 0)), 1)
    return ops.unbind(ops.nonzero(condition), 1)


def flip(op: str, self: Shape, dims: Ints) -> Shape:
    """self's own; each of `dims` is named once."""
    seen = (0,) * max(len(self), 1)
    for dim in dims:
        d = wrap_dim(op, dim, len(self))
        if seen[d] == 1:
            raise RuntimeError(f"{op}: a dimension may be named once; got dims {show(dims)}")
        seen = (*seen[:d], 1, *seen[d + 1 :])
    return self


def interleaved(op: str, shape: Shape, repeats: Ints) -> Shape:
    """The shape with a dimension for the repeats before each of its own."""
    result = ()
    extra = len(repeats) - len(shape)
    for d in range(len(repeats)):
        result = (*result, repeats[d])
        if d >= extra:
            result = (*result, shape[d - extra])
    return result


def repeated_shape(op: str, shape: Shape, repeats: Ints) -> Shape:
    """Each size times its number of repeats; new dimensions stand in front."""
    extra = len(repeats) - len(shape)
    if extra < 0:
        raise RuntimeError(
            f"{op}: there must be a number of repeats for every dimension; got {show(repeats)} for"
            f" self {show(shape)}"
        )
    result = ()
    for d in range(len(repeats)):
        if repeats[d] < 0:
            raise RuntimeError(f"{op}: repeats must not be negative; got {show(repeats)}")
        result = (*result, repeats[d] * (shape[d - extra] if d >= extra else 1))
    return result


def repeat(self: Tensor, repeats: Ints) -> Tensor:
    """Copies of self one after the other along each dimension."""
    shape = repeated_shape("repeat", self.shape, repeats)
    ones = interleaved("repeat", self.shape, (1,) * len(repeats))
    sizes = interleaved("repeat", self.shape, repeats)
    spread = ops.expand(ops.view(self, ones), sizes)
    return ops.reshape(ops.clone(spread), shape)


def repeats_of_all(op: str, rank: int, dims: Ints) -> Ints:
    """`dims` with a 1 in front for each dimension that it leaves out."""
    return (1,) * max(rank - len(dims), 0) + dims


def tile(self: Tensor, dims: Ints) -> Tensor:
    """repeat, where dimensions without a number stay as they are."""
    return repeat(self, repeats_of_all("tile", self.dim(), dims))


def checked_shifts(op: str, shifts: Ints, dims: Ints) -> None:
    """One shift for each dimension; without dimensions one for all elements."""
    if len(shifts) == 0 or (len(shifts) != len(dims) and (len(shifts) != 1 or len(dims) != 0)):
        raise RuntimeError(
            f"{op}: there must be one shift for each dimension; got shifts {show(shifts)}"
            f" and dims {show(dims)}"
        )


def split_at(op: str, size: int, shift: int) -> int:
    """Where the part begins that comes to the front."""
    return (size - shift % size) % size if size > 0 else 0


def rolled(self: Tensor, shift: int, d: int) -> Tensor:
    """One dimension shifted; what leaves at its end comes back at its start."""
    first = split_at("roll", self.shape[d], shift)
    return ops.cat((ops.slice(self, d, first, None, 1), ops.slice(self, d, 0, first, 1)), d)


def roll(self: Tensor, shifts: Ints, dims: Ints) -> Tensor:
    """Elements shifted along dimensions, or along all elements as one line."""
    checked_shifts("roll", shifts, dims)
    if len(dims) == 0:
        line = ops.reshape(self, (self.numel(),))
        return ops.view(rolled(line, shifts[0], 0), self.shape)
    if self.dim() == 0:
        raise IndexError(f"roll: self must have dims to name; got one of none, dims {show(dims)}")
    result = self
    for i in range(len(dims)):
        d = wrap_dim("roll", dims[i], self.dim())
        result = rolled(result, shifts[i], d)
    return result


def diag_shape(op: str, length: int, diagonal: int) -> Shape:
    """The square in which a diagonal has this length."""
    side = length + diagonal if diagonal > 0 else length - diagonal
    return (side, side)


def diag(self: Tensor, diagonal: int) -> Tensor:
    """A vector as the diagonal of a matrix of zeros, or the diagonal of a matrix."""
    if self.dim() == 2:
        return ops.clone(ops.diagonal(self, diagonal, 0, 1))
    if self.dim() != 1:
        raise RuntimeError(
            f"diag: self must have one dimension or two; got self {show(self.shape)}"
        )
    shape = diag_shape("diag", self.shape[0], diagonal)
    result = ops.new_zeros(self, shape)
    ops.copy_(ops.diagonal(result, diagonal, 0, 1), self)
    return result


def diag_embed_shape(op: str, shape: Shape, offset: int, dims: Ints) -> Shape:
    """The shape with its last size, which becomes a diagonal, replaced by a square's two."""
    if len(shape) == 0:
        raise RuntimeError(f"{op}: self must have one dimension or more; got self {show(shape)}")
    if dims[0] == dims[1]:
        raise RuntimeError(f"{op}: dim1 and dim2 must differ; got {dims[0]} twice")
    side = diag_shape(op, shape[-1], offset)[0]
    result = ()
    used = 0
    for d in range(len(shape) + 1):
        if dims[0] == d or dims[1] == d:
            result = (*result, side)
        else:
            result = (*result, shape[used])
            used = used + 1
    return result


def new_dim(op: str, dim: int, rank: int) -> int:
    """`dim` counted from the front among one dimension more than there are."""
    return wrap_dim(op, dim, rank + 1)


def diag_embed(self: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The last dimension as a diagonal of zeros, in two dimensions of their own."""
    first = new_dim("diag_embed", dim1, self.dim())
    second = new_dim("diag_embed", dim2, self.dim())
    shape = diag_embed_shape("diag_embed", self.shape, offset, (first, second))
    result = ops.new_zeros(self, shape)
    ops.copy_(ops.diagonal(result, offset, first, second), self)
    return result


def diagflat(self: Tensor, offset: int) -> Tensor:
    """All elements as the diagonal of a matrix of zeros."""
    return diag(ops.reshape(self, (self.numel(),)), offset)


def fliplr(self: Tensor) -> Tensor:
    """The columns in reverse order."""
    if self.dim() < 2:
        raise RuntimeError(
            f"fliplr: self must have two dimensions or more; got self {show(self.shape)}"
        )
    return ops.flip(self, (1,))


def flipud(self: Tensor) -> Tensor:
    """The rows in reverse order."""
    if self.dim() < 1:
        raise RuntimeError(
            f"flipud: self must have one dimension or more; got self {show(self.shape)}"
        )
    return ops.flip(self, (0,))


def plane(op: str, shape: Shape, dims: Ints) -> Ints:
    """The two different dimensions in which something turns, counted from the front."""
    if len(dims) != 2 or len(shape) < 2:
        raise RuntimeError(
            f"{op}: two dimensions must be named of a tensor that has as many; got dims"
            f" {show(dims)} and self {show(shape)}"
        )
    first = wrap_dim(op, dims[0], len(shape))
    second = wrap_dim(op, dims[1], len(shape))
    if first == second:
        raise RuntimeError(f"{op}: the dimensions must differ; got dims {show(dims)}")
    return (first, second)


def quarters(op: str, k: int) -> int:
    """How many right angles are left when whole turns are taken away."""
    return k % 4


def rot90(self: Tensor, k: int, dims: Ints) -> Tensor:
    """Turned by k right angles, from the first dimension of `dims` towards the second."""
    turned = plane("rot90", self.shape, dims)
    angles = quarters("rot90", k)
    if angles == 0:
        return ops.clone(self)
    if angles == 2:
        return ops.flip(self, turned)
    # Reversed after the exchange, so that the result is a fresh contiguous tensor.
    exchanged = ops.transpose(self, turned[0], turned[1])
    return ops.flip(exchanged, (turned[0] if angles == 1 else turned[1],))


def argwhere(self: Tensor) -> Tensor:
    """The indices of elements that aren't zero, one row each."""
    return ops.nonzero(self)


def lengthened(
    op: str, shape: Shape, dim: int, repeats: int, output_size: int | None
) -> Shape:
    """One size times the repeats, which must give the size that is promised."""
    if len(shape) == 0:
        raise IndexError(f"{op}: a tensor without dimensions has no dim {dim}; leave dim out")
    d = wrap_dim(op, dim, len(shape))
    if repeats < 0:
        raise RuntimeError(f"{op}: repeats must not be negative; got {repeats}")
    length = shape[d] * repeats
    if output_size is not None and output_size != length:
        raise RuntimeError(
            f"{op}: output_size must be the size that the repeats give, {length}; got {output_size}"
        )
    return (*shape[:d], length, *shape[d + 1 :])


def repeats_shown(op: str, shape: Shape, dim: int, repeats: int) -> Shape:
    """The shape with a dimension of its own for the repeats, behind the one that is repeated."""
    d = wrap_dim(op, dim, len(shape))
    return (*shape[: d + 1], repeats, *shape[d + 1 :])


def repeat_interleave(
    self: Tensor, repeats: int, dim: int | None, output_size: int | None
) -> Tensor:
    """Each place of a dimension several times in a row; without one of all elements."""
    if dim is None:
        return repeat_interleave(ops.reshape(self, (self.numel(),)), repeats, 0, output_size)
    shape = lengthened("repeat_interleave", self.shape, dim, repeats, output_size)
    once = ops.view(ops.contiguous(self), repeats_shown("repeat_interleave", self.shape, dim, 1))
    spread = ops.expand(once, repeats_shown("repeat_interleave", self.shape, dim, repeats))
    return ops.reshape(ops.clone(spread), shape)
