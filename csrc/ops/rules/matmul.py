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
