"""Drawn calls of indexing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..promotion import NoPromotion, promote_types
from ..sample import Sample
from ..tensors import Tensor
from .chooser import Chooser, Reject, Shape
from .rearranged import (
    diag,
    diag_embed,
    diagflat,
    flip,
    flip_matrix,
    repeat,
    repeat_interleave,
    roll,
    rot90,
    tile,
    triangle,
)
from .scatter import (
    embedding,
    index_add,
    index_copy,
    index_fill,
    masked_select,
    scatter,
    scatter_add,
    scatter_by,
    scatter_reduce,
    scatter_value,
    scatter_value_by,
    take,
    take_along_dim,
)

__all__ = [
    "diag",
    "diag_embed",
    "diagflat",
    "embedding",
    "flip",
    "flip_matrix",
    "index_add",
    "index_copy",
    "index_fill",
    "masked_select",
    "repeat",
    "repeat_interleave",
    "roll",
    "rot90",
    "scatter",
    "scatter_add",
    "scatter_by",
    "scatter_reduce",
    "scatter_value",
    "scatter_value_by",
    "take",
    "take_along_dim",
    "tile",
    "triangle",
]

_SMALL: tuple[int, ...] = (1, 2, 3, 2, 1, 4)


def _keys(chooser: Chooser, shape: Shape, gaps: bool) -> list[Any]:
    """Integer tensors that broadcast, masks of one or two dims, gaps."""
    target = chooser.shape((1, 2) if gaps else (1, 0, 2), 40)
    kind = chooser.integer(0, 3)
    if kind == 3:
        covered = chooser.integer(1, min(len(shape), 2))
        return [chooser.mask(shape[:covered])]
    keys: list[Any] = []
    for size in shape[: chooser.integer(1, len(shape))]:
        gap = gaps and chooser.rarely(3)
        # Beside gaps a 0-dim index counts as a number, which takes its dim away.
        place = target if gaps else chooser.broadcastable(target)
        keys.append(None if gap else chooser.places(size, place, True))
    if all(key is None for key in keys):
        keys[-1] = chooser.places(shape[len(keys) - 1], (2,), True)
    return keys


def _selection(shape: Shape, keys: list[Any]) -> Shape:
    """The shape that the keys select."""
    key = tuple(slice(None) if item is None else item.data for item in keys)
    return tuple(np.empty(shape, bool)[key].shape)


def _indexed(chooser: Chooser, gaps: bool) -> tuple[Shape, list[Any], Shape]:
    shape = chooser.nonempty(_SMALL, 400)
    keys = _keys(chooser, shape, gaps)
    selected = _selection(shape, keys)
    if math.prod(selected) > 20_000:
        raise Reject
    return shape, keys, selected


def index(chooser: Chooser) -> Sample:
    """self[indices] with integers, masks and gaps."""
    shape, keys, _ = _indexed(chooser, gaps=True)
    return Sample({"self": chooser.tensor(shape, "full"), "indices": keys})


def index_put(chooser: Chooser) -> Sample:
    """One value for all places, or a value for each when accumulating."""
    shape, keys, selected = _indexed(chooser, gaps=False)
    self = chooser.tensor(shape, "any", writable=True)
    values: dict[str, Any] = {"self": self, "indices": keys}
    if chooser.info.kind == "bool" or chooser.flag():
        # A place written twice may end with either value, so all writes are of one value.
        return Sample({**values, "values": chooser.tensor((), "full")})
    return Sample({**values, "values": chooser.tensor(selected, "any"), "accumulate": True})


def index_select(chooser: Chooser) -> Sample:
    """Repeated and unordered indices along each dim."""
    shape = chooser.nonempty((1, 2, 3, 0, 4), 600)
    dim = chooser.dim(len(shape))
    count = chooser.one_of((1, 2, 3, 0, 9, 33)) if shape else 1
    chosen = chooser.places(shape[dim] if shape else 1, (count,))
    if chooser.rarely():
        chosen = Tensor("int32", chosen.data.astype(np.int32))
    return Sample({"self": chooser.tensor(shape, "full"), "dim": dim, "index": chosen})


def gather(chooser: Chooser) -> Sample:
    """Indices no larger than self beside the dim, of any length along it."""
    shape = chooser.nonempty((1, 2, 3, 0, 4), 600)
    dim = chooser.dim(len(shape))
    sizes = [chooser.one_of((size, size, max(size // 2, 1))) for size in shape]
    if shape:
        sizes[dim] = chooser.one_of((shape[dim], 1, 2, 0, shape[dim] + 3))
    chosen = chooser.places(shape[dim] if shape else 1, tuple(sizes))
    return Sample({"self": chooser.tensor(shape, "full"), "dim": dim, "index": chosen})


def masked_fill(chooser: Chooser) -> Sample:
    """Masks that broadcast to self; the value as the op has it."""
    shape = chooser.shape()
    numbers: list[Any] = [1, 0, True]
    if chooser.info.is_inexact:
        numbers += [-1.5, float("nan")]
    value = chooser.one_of(numbers)
    if chooser.spec.type_of("value") == "Tensor":
        value = Tensor(chooser.dtype, np.asarray(value).astype(chooser.info.carrier))
    values = {
        "self": chooser.tensor(shape, "full"),
        "mask": chooser.mask(chooser.broadcastable(shape)),
        "value": value,
    }
    return Sample(values)


def nonzero(chooser: Chooser) -> Sample:
    """Zeros among other values."""
    shape = chooser.shape()
    tensor = chooser.tensor(shape, "full")
    rng = np.random.default_rng(chooser.seed())
    keep = np.broadcast_to(rng.random(shape[-1:]) < 0.6, shape)
    # By columns, so that a dim that is repeated in memory stays so.
    data = np.where(keep, tensor.data, np.zeros((), chooser.info.carrier))
    plain = Tensor(chooser.dtype, np.asarray(data, chooser.info.carrier))
    return Sample({"self": chooser.laid_out(plain)})


def cat(chooser: Chooser) -> Sample:
    """One to four tensors in layouts of their own, at times of two dtypes."""
    shape = chooser.shape((1, 2, 3, 4), 300)
    dim = chooser.dim(len(shape))
    parts: list[Tensor] = []
    mixed = chooser.rarely()
    dtype = chooser.dtype
    for _ in range(chooser.integer(1, 4)):
        sizes = list(shape)
        sizes[dim] = chooser.one_of((1, 2, 3, 0, 7, 16))
        name = chooser.one_of(chooser.spec.dtypes["cpu"]) if mixed and parts else chooser.dtype
        dtype = _promoted(dtype, name)
        parts.append(chooser.tensor(tuple(sizes), "exact" if mixed else "full", name))
    return Sample({"tensors": parts, "dim": dim} if dim else {"tensors": parts})


def _promoted(one: str, two: str) -> str:
    try:
        return promote_types(one, two)
    except NoPromotion:
        raise Reject from None


def where_true(chooser: Chooser) -> Sample:
    """The cases of nonzero."""
    return Sample({"condition": nonzero(chooser).values["self"]})


def stack(chooser: Chooser) -> Sample:
    """One to four tensors of one shape, at times of two dtypes."""
    shape = chooser.shape((1, 2, 0, 3), 200)
    dim = chooser.integer(0, 2 * len(shape) + 1)
    dim = dim if dim <= len(shape) else dim - 2 * (len(shape) + 1)
    parts = _of_shapes(chooser, [shape] * chooser.integer(1, 4))
    return Sample({"tensors": parts, "dim": dim})


def _of_shapes(chooser: Chooser, shapes: list[Shape]) -> list[Tensor]:
    """Tensors in layouts of their own, at times of two dtypes."""
    other = chooser.one_of(chooser.spec.dtypes["cpu"]) if chooser.rarely() else chooser.dtype
    _promoted(chooser.dtype, other)
    domain = "full" if other == chooser.dtype else "exact"
    return [chooser.tensor(s, domain, other if n % 2 else None) for n, s in enumerate(shapes)]


def _beside(chooser: Chooser, dim: int) -> Sample:
    shape = chooser.shape((1, 2, 0, 3), 200)
    shapes = []
    for _ in range(chooser.integer(1, 4)):
        sizes = list(shape)
        if len(shape) > dim:
            sizes[dim] = chooser.one_of((1, 2, 3, 7))
        shapes.append(tuple(sizes))
    return Sample({"tensors": _of_shapes(chooser, shapes)})


def hstack(chooser: Chooser) -> Sample:
    """Sizes of their own along the second dim."""
    return _beside(chooser, 1)


def vstack(chooser: Chooser) -> Sample:
    """Sizes of their own along the first dim of what has two."""
    sample = _beside(chooser, 0)
    tensors = sample.values["tensors"]
    return sample if tensors[0].data.ndim > 1 else Sample({"tensors": tensors[:1] * 2})
