"""Matrix products: their shapes, and the product of any two ranks made of mm and bmm."""

from __future__ import annotations

from .prelude import Shape, Tensor, broadcast_shapes, numel, ops, show


def mm(op: str, self: Shape, mat2: Shape) -> Shape:
    """[n, k] and [k, m] give [n, m]."""
    if len(self) != 2 or len(mat2) != 2:
        raise RuntimeError(
            f"{op}: both operands must be matrices; got self {show(self)} and mat2 {show(mat2)},"
            f" use matmul for other ranks"
        )
    if self[1] != mat2[0]:
        raise RuntimeError(
            f"{op}: inner sizes must agree; got self {show(self)} and mat2 {show(mat2)}"
        )
    return (self[0], mat2[1])


def bmm(op: str, self: Shape, mat2: Shape) -> Shape:
    """[b, n, k] and [b, k, m] give [b, n, m]."""
    if len(self) != 3 or len(mat2) != 3:
        raise RuntimeError(
            f"{op}: both operands must be batches of matrices; got self {show(self)}"
            f" and mat2 {show(mat2)}, use matmul for other ranks"
        )
    if self[0] != mat2[0]:
        raise RuntimeError(
            f"{op}: batch sizes must agree; got self {show(self)} and mat2 {show(mat2)},"
            f" use matmul to broadcast them"
        )
    if self[2] != mat2[1]:
        raise RuntimeError(
            f"{op}: inner sizes must agree; got self {show(self)} and mat2 {show(mat2)}"
        )
    return (self[0], self[1], mat2[2])


def matmul(self: Tensor, other: Tensor) -> Tensor:
    """The product of vectors, matrices and batches of matrices, as documented by rank."""
    check_matmul(self, other)
    left = ops.unsqueeze(self, 0) if self.dim() == 1 else self
    right = ops.unsqueeze(other, 1) if other.dim() == 1 else other
    if left.dim() == 2 and right.dim() == 2:
        result = ops.mm(left, right)
    elif right.dim() == 2:
        result = fold_batch(left, right)
    else:
        result = broadcast_bmm(left, right)
    if other.dim() == 1:
        result = ops.squeeze(result, -1)
    if self.dim() == 1:
        result = ops.squeeze(result, -1 if other.dim() == 1 else -2)
    return result


def check_matmul(self: Tensor, other: Tensor) -> None:
    """Raises RuntimeError where there is no product."""
    if self.dim() == 0 or other.dim() == 0:
        raise RuntimeError(
            f"matmul: both operands need at least one dimension; got self {show(self.shape)}"
            f" and other {show(other.shape)}, multiply by a number with mul"
        )
    inner = other.shape[-1] if other.dim() == 1 else other.shape[-2]
    if self.shape[-1] != inner:
        raise RuntimeError(
            f"matmul: inner sizes must agree; got self {show(self.shape)}"
            f" and other {show(other.shape)}"
        )
    if self.dtype != other.dtype:
        raise RuntimeError(
            f"matmul: operands must have one dtype; got self {self.dtype} and other {other.dtype},"
            f" convert one of them"
        )


def fold_batch(self: Tensor, other: Tensor) -> Tensor:
    """[..., n, k] by [k, m]: one matrix product over all rows."""
    rows = numel("matmul", self.shape[:-1])
    product = ops.mm(ops.reshape(self, (rows, self.shape[-1])), other)
    return ops.reshape(product, (*self.shape[:-1], other.shape[1]))


def broadcast_bmm(self: Tensor, other: Tensor) -> Tensor:
    """[..., n, k] by [..., k, m], the leading dimensions broadcast."""
    batch = broadcast_shapes("matmul", self.shape[:-2], other.shape[:-2])
    count = numel("matmul", batch)
    n = self.shape[-2]
    k = self.shape[-1]
    m = other.shape[-1]
    left = ops.reshape(ops.expand(self, (*batch, n, k)), (count, n, k))
    right = ops.reshape(ops.expand(other, (*batch, k, m)), (count, k, m))
    return ops.reshape(ops.bmm(left, right), (*batch, n, m))


def check_added(op: str, self: Shape, product: Shape) -> None:
    """What is added must broadcast to the product."""
    if broadcast_shapes(op, self, product) != product:
        raise RuntimeError(
            f"{op}: self must broadcast to the product {show(product)}; got {show(self)}"
        )


def addmm(op: str, self: Shape, mat1: Shape, mat2: Shape) -> Shape:
    """The shape of mat1 @ mat2, to which self broadcasts."""
    product = mm(op, mat1, mat2)
    check_added(op, self, product)
    return product


def baddbmm(op: str, self: Shape, batch1: Shape, batch2: Shape) -> Shape:
    """The shape of batch1 @ batch2, to which self broadcasts."""
    product = bmm(op, batch1, batch2)
    check_added(op, self, product)
    return product


def mv(self: Tensor, vec: Tensor) -> Tensor:
    """[n, k] by [k]."""
    if self.dim() != 2 or vec.dim() != 1:
        raise RuntimeError(
            f"mv: expected a matrix and a vector; got self {show(self.shape)}"
            f" and vec {show(vec.shape)}, use matmul for other ranks"
        )
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"mv: inner sizes must agree; got self {show(self.shape)} and vec {show(vec.shape)}"
        )
    return ops.squeeze(ops.mm(self, ops.unsqueeze(vec, 1)), 1)


def dot(self: Tensor, tensor: Tensor) -> Tensor:
    """The sum of the products of two vectors' elements."""
    if self.dim() != 1 or tensor.dim() != 1:
        raise RuntimeError(
            f"dot: expected two vectors; got self {show(self.shape)}"
            f" and tensor {show(tensor.shape)}, use matmul for other ranks"
        )
    if self.shape[0] != tensor.shape[0]:
        raise RuntimeError(
            f"dot: inner sizes must agree; got self {show(self.shape)}"
            f" and tensor {show(tensor.shape)}"
        )
    product = ops.mm(ops.unsqueeze(self, 0), ops.unsqueeze(tensor, 1))
    return ops.squeeze(ops.squeeze(product, 1), 0)


def outer(self: Tensor, vec2: Tensor) -> Tensor:
    """Each element of self by each of vec2."""
    if self.dim() != 1 or vec2.dim() != 1:
        raise RuntimeError(
            f"outer: expected two vectors; got self {show(self.shape)}"
            f" and vec2 {show(vec2.shape)}, flatten them first"
        )
    return ops.mul(ops.unsqueeze(self, 1), vec2)


def linear(op: str, input: Shape, weight: Shape, bias: Shape | None) -> Shape:
    """[..., k] with a weight [n, k] gives [..., n]; with a weight [k] it gives [...]."""
    if len(input) == 0 or len(weight) == 0 or len(weight) > 2:
        raise RuntimeError(
            f"{op}: input needs a dimension and weight must be [out, in] or [in];"
            f" got input {show(input)} and weight {show(weight)}"
        )
    if input[-1] != weight[-1]:
        raise RuntimeError(
            f"{op}: inner sizes must agree; got input {show(input)} and weight {show(weight)}"
        )
    result = input[:-1]
    if len(weight) == 2:
        result = (*result, weight[0])
    if bias is not None and bias != weight[:-1]:
        raise RuntimeError(
            f"{op}: bias must have a number for each row of weight {show(weight)};"
            f" got {show(bias)}"
        )
    return result


def beside_ones(op: str, shape: Shape, rank: int, first: bool) -> Shape:
    """The sizes, filled up to a rank in front, with a 1 before or behind each."""
    padded = (1,) * (rank - len(shape)) + shape
    result = ()
    for size in padded:
        result = (*result, size, 1) if first else (*result, 1, size)
    return result


def kron_shape(op: str, a: Shape, b: Shape) -> Shape:
    """The product of each two sizes, counted from the back."""
    rank = max(len(a), len(b))
    left = (1,) * (rank - len(a)) + a
    right = (1,) * (rank - len(b)) + b
    result = ()
    for d in range(rank):
        result = (*result, left[d] * right[d])
    return result


def kron(self: Tensor, other: Tensor) -> Tensor:
    """A copy of `other` in the place of each element of `self`, multiplied by it."""
    rank = max(self.dim(), other.dim())
    left = ops.reshape(self, beside_ones("kron", self.shape, rank, True))
    right = ops.reshape(other, beside_ones("kron", other.shape, rank, False))
    return ops.reshape(ops.mul(left, right), kron_shape("kron", self.shape, other.shape))
