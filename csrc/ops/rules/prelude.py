"""What rules may use besides each other: tools/codegen/intrinsics.py says why C++ has its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Shape = tuple[int, ...]
Shapes = tuple[Shape, ...]
Ints = tuple[int, ...]
# Classes of the implementation that runs the rules; a rule uses their documented members only.
Tensor = Any
Tensors = tuple[Tensor, ...]
Scalar = Any
DType = Any
Device = Any
Layout = Any
MemoryFormat = Any
Generator = Any


class Ops:
    """The ops that composites call: `bind` says whose. A number stands for a 0-dim tensor."""

    def __init__(self) -> None:
        self._find: Callable[[str], Any] | None = None
        self._number_dtype: Callable[[Scalar], DType] | None = None

    def bind(
        self, find: Callable[[str], Any], number_dtype: Callable[[Scalar], DType] | None = None
    ) -> None:
        """`find` gives the op of a name, a callable with the parameters of its schema."""
        self._find = find
        self._number_dtype = number_dtype

    def __getattr__(self, name: str) -> Any:
        if self._find is None:
            raise RuntimeError(f"ops.{name}: no implementation is bound; call ops.bind first")
        return self._find(name)

    def dtype_of_number(self, value: Scalar) -> DType:
        """The dtype of a tensor made from one number, by the bound implementation."""
        if self._number_dtype is None:
            raise RuntimeError("number_dtype: no implementation is bound; call ops.bind first")
        return self._number_dtype(value)


ops = Ops()


def number_dtype(value: Scalar) -> DType:
    """bool, int64, the default dtype, or its complex twin."""
    return ops.dtype_of_number(value)


def show(values: Shape) -> str:
    """A shape as messages print it: [2, 3]."""
    return "[" + ", ".join(map(str, values)) + "]"


def numel(op: str, shape: Shape) -> int:
    """The product of the sizes; RuntimeError where one is negative."""
    count = 1
    for d, size in enumerate(shape):
        if size < 0:
            raise RuntimeError(
                f"{op}: sizes must not be negative; got {size} at dimension {d} of {show(shape)}"
            )
        count *= size
    return count


def wrap_dim(op: str, dim: int, rank: int) -> int:
    """`dim` counted from the front; a tensor without dimensions counts as one of one dimension.

    Raises IndexError where there is no such dimension.
    """
    span = max(rank, 1)
    if not -span <= dim < span:
        raise IndexError(
            f"{op}: dimension out of range (expected to be in range of [{-span}, {span - 1}],"
            f" but got {dim})"
        )
    return dim % span


def broadcast_shapes(op: str, a: Shape, b: Shape) -> Shape:
    """The common shape of two operands; RuntimeError where two sizes differ and neither is 1."""
    rank = max(len(a), len(b))
    left = (1,) * (rank - len(a)) + a
    right = (1,) * (rank - len(b)) + b
    for d in reversed(range(rank)):
        x, y = left[d], right[d]
        if x != y and x != 1 and y != 1:
            raise RuntimeError(
                f"{op}: sizes {show(a)} and {show(b)} can't be broadcast: {x} must match {y}"
                f" at dimension {d}"
            )
    return tuple(y if x == 1 else x for x, y in zip(left, right, strict=True))


def infer_size(op: str, size: Ints, count: int) -> Shape:
    """`size` with its -1 replaced by what `count` elements leave; RuntimeError if none fits."""
    known = 1
    for d, length in enumerate(size):
        if length < -1:
            raise RuntimeError(f"{op}: invalid size {length} at dimension {d} of {show(size)}")
        if length == -1 and -1 in size[:d]:
            raise RuntimeError(f"{op}: only one dimension can be inferred; got {show(size)}")
        known *= 1 if length == -1 else length
    if -1 in size and known == 0:
        raise RuntimeError(f"{op}: the -1 of {show(size)} is ambiguous: any value gives 0 elements")
    if (count % known if -1 in size else count - known) != 0:
        raise RuntimeError(f"{op}: size {show(size)} is invalid for a tensor of {count} elements")
    return tuple(count // known if length == -1 else length for length in size)


def view_strides(sizes: Shape, strides: Ints, new_sizes: Shape) -> Ints | None:
    """The strides that show the same memory with new sizes, or None where none do."""
    if 0 in sizes:
        return tuple(strides) if sizes == new_sizes else _contiguous(new_sizes)
    kept = [(size, stride) for size, stride in zip(sizes, strides, strict=True) if size != 1]
    blocks: list[list[int]] = []  # size and inner stride of what is contiguous within itself
    for size, stride in kept:
        if blocks and blocks[-1][1] == size * stride:
            blocks[-1] = [blocks[-1][0] * size, stride]
        else:
            blocks.append([size, stride])
    result: list[int] = []
    for size in reversed(new_sizes):
        result.append(blocks[-1][1] if blocks else 1)
        if size == 1:
            continue
        if not blocks or blocks[-1][0] % size != 0:
            return None
        blocks[-1] = [blocks[-1][0] // size, blocks[-1][1] * size]
        if blocks[-1][0] == 1:
            blocks.pop()
    return tuple(reversed(result))


def _contiguous(sizes: Shape) -> Ints:
    strides: list[int] = []
    step = 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
