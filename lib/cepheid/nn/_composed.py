"""Functions of neural networks that are made of other ops."""

from __future__ import annotations

from collections.abc import Sequence

from cepheid import _C
from cepheid._C import Tensor, functions

__all__ = [
    "cosine_similarity", "dropout1d", "dropout2d", "dropout3d", "glu", "max_pool1d", "one_hot",
    "pad", "prelu", "softmin", "softsign", "tanhshrink",
]  # fmt: skip


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|), elementwise."""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x), elementwise."""
    return input - input.tanh()


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _C.dtype | None = None
) -> Tensor:
    """softmax of -x along `dim`."""
    if dim is None:
        raise TypeError("softmin: dim must be an int; got None, name the dimension of the classes")
    return functions.softmax(-input, dim, dtype=dtype)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of a dimension times the sigmoid of the second."""
    if input.size(dim) % 2:
        raise RuntimeError(
            f"glu: the size of dimension {dim} must be even; got {input.size(dim)}, it is halved"
        )
    first, second = input.chunk(2, dim)
    return first * second.sigmoid()


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where x > 0, else weight * x; several weights go with the second dimension."""
    if weight.numel() > 1:
        if input.dim() < 2 or input.size(1) != weight.numel():
            raise RuntimeError(
                f"prelu: {weight.numel()} weights need that size in dimension 1; got an input of"
                f" {list(input.shape)}"
            )
        weight = weight.reshape((weight.numel(),) + (1,) * (input.dim() - 2))
    return functions.where(input > 0, input, weight * input)


def _of_channels(op: str, input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    if not 0 <= p <= 1:
        raise ValueError(f"{op}: p must be a probability, in [0, 1]; got {p}")
    if not training or p == 0:
        return input
    shape = tuple(input.shape[:2]) + (1,) * (input.dim() - 2)
    kept = functions.dropout(input.detach().new_ones(shape), p, True)
    return input.mul_(kept) if inplace else input * kept


def _batched(op: str, input: Tensor, rank: int, p: float, training: bool, inplace: bool) -> Tensor:
    """Also of an input without the batch's dimension."""
    if input.dim() == rank - 1:
        return _of_channels(op, input.unsqueeze(0), p, training, inplace).squeeze(0)
    return _of_channels(op, input, p, training, inplace)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Whole channels of [n, c, length] are 0 with probability p, others scaled by 1 / (1 - p)."""
    return _batched("dropout1d", input, 3, p, training, inplace)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Whole channels of [n, c, h, w] are 0 with probability p, the others scaled by 1 / (1 - p)."""
    return _of_channels("dropout2d", input, p, training, inplace)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Whole channels of [n, c, d, h, w] are 0 with probability p, others scaled by 1 / (1 - p)."""
    return _batched("dropout3d", input, 5, p, training, inplace)


def max_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of each window of [..., length]; with `return_indices` its place too."""
    if not return_indices:
        step = [] if stride is None else stride
        return functions.max_pool1d(input, kernel_size, step, padding, dilation, ceil_mode)

    def pair(value: int | Sequence[int], other: int) -> tuple[int, int]:
        return (other, value if isinstance(value, int) else value[0])

    step = pair(kernel_size if stride is None else stride, 1)
    values, places = _C.nn.max_pool2d_with_indices(
        input.unsqueeze(-2),
        pair(kernel_size, 1),
        step,
        pair(padding, 0),
        pair(dilation, 1),
        ceil_mode,
    )
    return values.squeeze(-2), places.squeeze(-2)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """int64 [..., num_classes]: 1 at each index; -1 stands for the largest index and one more."""
    if tensor.dtype != _C._dtypes()["int64"]:
        raise RuntimeError(f"one_hot: the indices must be int64; got {tensor.dtype}, convert them")
    if tensor.numel() == 0 and num_classes <= 0:
        raise RuntimeError("one_hot: num_classes must be given for an empty tensor; got none")
    # A given number of classes asks for no value, as inside vmap there is none to ask for.
    count = max(int(tensor.max()) + 1, 0) if num_classes == -1 else num_classes
    made = tensor.new_zeros((*tensor.shape, count))
    try:
        return made.scatter_(-1, tensor.unsqueeze(-1), 1)
    except RuntimeError as error:
        raise RuntimeError(
            f"one_hot: class values must be >= 0 and below num_classes={count}; {error}"
        ) from error


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1 . x2 along `dim`, by the product of their norms, each at least `eps`."""
    norm = _C.linalg.vector_norm
    first, second = norm(x1, 2, dim, True).clamp(min=eps), norm(x2, 2, dim, True).clamp(min=eps)
    return ((x1 / first) * (x2 / second)).sum(dim)


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """`input` with elements before and after each of the last dimensions, two numbers for each, of
    the last one first: `value` (constant, negative numbers cut off), or mirrored without the edge
    (reflect), the edge (replicate), the other end (circular)."""
    if len(pad) % 2 or len(pad) > 2 * input.dim():
        raise RuntimeError(
            f"pad: expected two numbers for each of up to {input.dim()} dimensions; got {len(pad)}"
        )
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise NotImplementedError(
            f"pad: mode must be constant, reflect, replicate or circular; got {mode!r}"
        )
    if mode != "constant" and value:
        raise ValueError(f"pad: mode {mode} takes no value; got {value}, leave it out")
    for position, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        dim = input.dim() - 1 - position
        if before == after == 0:
            continue
        if mode == "constant":
            input = _with_value(input, dim, before, after, value or 0)
        else:
            places = _places(mode, input.size(dim), before, after)
            input = input.index_select(dim, _C.tensor(places, device=input.device))
    return input


def _with_value(input: Tensor, dim: int, before: int, after: int, value: float) -> Tensor:
    size = input.size(dim)
    if size + before + after < 0:
        raise RuntimeError(
            f"pad: dimension {dim} of size {size} can't lose {-before} and {-after} elements"
        )
    start, end = max(-before, 0), size - max(-after, 0)
    parts = [input.narrow(dim, start, max(end - start, 0))]

    def filled(length: int) -> Tensor:
        shape = [length if d == dim else n for d, n in enumerate(input.shape)]
        return input.detach().new_full(shape, value)

    if before > 0:
        parts.insert(0, filled(before))
    if after > 0:
        parts.append(filled(after))
    return functions.cat(parts, dim)


def _places(mode: str, size: int, before: int, after: int) -> list[int]:
    """Where each element of a padded dimension comes from."""
    longest = max(before, after)
    if (
        size == 0
        or (mode == "reflect" and longest >= size)
        or (mode == "circular" and longest > size)
    ):
        raise RuntimeError(
            f"pad: {mode} padding of {before} and {after} must be less than the dimension's size;"
            f" got {size}"
        )
    places = range(-before, size + after)
    if mode == "replicate":
        return [min(max(place, 0), size - 1) for place in places]
    if mode == "circular":
        return [place % size for place in places]
    return [size - 1 - abs(size - 1 - abs(place)) for place in places]
