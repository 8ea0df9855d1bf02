"""Functions of neural networks: activations, convolutions, pooling, norms.

Most are ops of their own, generated from the op entries with `module: nn`. Those below give an op
of another signature the one that users of PyTorch know.
"""

from __future__ import annotations

from collections.abc import Sequence

from cepheid import _C
from cepheid._C import Tensor, functions
from cepheid._C.nn import *  # noqa: F403  # one name for each entry with `module: nn`
from cepheid.autograd.grad_mode import no_grad
from cepheid.nn import _composed
from cepheid.nn._composed import *  # noqa: F403

_SAME = (
    "adaptive_avg_pool1d", "avg_pool1d", "conv1d", "conv2d", "relu_", "rms_norm", "sigmoid", "tanh",
)  # fmt: skip
conv1d, conv2d = functions.conv1d, functions.conv2d
adaptive_avg_pool1d, avg_pool1d = functions.adaptive_avg_pool1d, functions.avg_pool1d
sigmoid, tanh, relu_ = functions.sigmoid, functions.tanh, Tensor.relu_
rms_norm = functions.rms_norm

__all__ = [
    *_C.nn.__all__,
    *_SAME,
    *_composed.__all__,
    "embedding",
    "layer_norm",
    "log_softmax",
    "max_pool2d",
    "relu",
    "softmax",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0), elementwise; `inplace` writes it to input. Real dtypes, the same result's."""
    return input.relu_() if inplace else input.relu()


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _C.dtype | None = None
) -> Tensor:
    """exp(input) by its sum along `dim`, in `dtype` if given; floating dtypes."""
    return functions.softmax(input, _named_dim("softmax", dim), dtype=dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _C.dtype | None = None
) -> Tensor:
    """The logarithm of softmax along `dim`, without its overflow; floating dtypes."""
    return functions.log_softmax(input, _named_dim("log_softmax", dim), dtype=dtype)


def _named_dim(op: str, dim: int | None) -> int:
    """TypeError without a dim: which one is meant by default depends on the rank in PyTorch, whose
    documentation asks callers to name it."""
    if dim is None:
        raise TypeError(f"{op}: dim must be an int; got None, name the dimension of the classes")
    return dim


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """input less its mean, by its standard deviation, over the last dimensions, whose sizes are
    `normalized_shape`; times weight, plus bias. Floating dtypes."""
    return functions.layer_norm(input, normalized_shape, weight, bias, eps)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of `weight` [n, d] at the indices `input` [...]: [..., d]. IndexError beyond n.

    The row `padding_idx`, counted from the end where negative, gets no gradient. With `max_norm`
    the rows named whose norm of order `norm_type` is larger are scaled to it first, in weight
    itself; that takes no part in the gradient.
    """
    if sparse:
        raise NotImplementedError(
            "embedding: sparse=True asks for a sparse gradient, and sparse tensors are not part of"
            " this version; leave it out"
        )
    row = -1
    if padding_idx is not None:
        count = weight.size(0)
        if not -count <= padding_idx < count:
            raise ValueError(
                f"embedding: padding_idx must be within the {count} rows of weight; got"
                f" {padding_idx}"
            )
        row = padding_idx % count
    if max_norm is not None:
        with no_grad():
            _limit_norms(weight, input.reshape(-1), max_norm, norm_type)
    return functions.embedding(weight, input, row, scale_grad_by_freq, sparse)


def _limit_norms(weight: Tensor, named: Tensor, most: float, order: float) -> None:
    rows = functions.index_select(weight, 0, named)
    norms = _C.linalg.vector_norm(rows, order, 1, True)
    scaled = rows * (most / (norms + 1e-7))
    weight.index_copy_(0, named, functions.where(norms > most, scaled, rows))


def max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """The largest element of each window of [..., h, w]; with `return_indices` its place too."""
    step = [] if stride is None else stride
    pool = _C.nn.max_pool2d_with_indices if return_indices else functions.max_pool2d
    return pool(input, kernel_size, step, padding, dilation, ceil_mode)
