"""Drawn calls of the views: any layout of self, and the view's arguments."""

from __future__ import annotations

import math
from typing import Any

from ..oracle.view import expand as expand_oracle
from ..oracle.view import known_shape, view_strides
from ..sample import Sample
from ..tensors import Tensor
from .chooser import Chooser, Shape


def _self(chooser: Chooser, ranks: tuple[int, ...] | None = None, most: int = 600) -> Tensor:
    shape = chooser.shape(ranks, most) if ranks else chooser.shape(most=most)
    return chooser.tensor(shape, "full")


def unary_storage(chooser: Chooser) -> Sample:
    """self alone."""
    return Sample({"self": _self(chooser)})


def _regrouped(chooser: Chooser, tensor: Tensor) -> list[int]:
    """Sizes with the same product: dims split, joined, ones put in; at times one of them -1."""
    sizes: list[int] = []
    rest = math.prod(tensor.shape)
    if rest == 0:
        return chooser.one_of((list(tensor.shape), [0], [0, 2], [3, 0]))
    while rest > 1 and len(sizes) < 5:
        divisors = [n for n in (rest, 2, 3, 4, 5, 7, 8, 16, 31) if rest % n == 0]
        sizes.append(chooser.one_of(divisors))
        rest //= sizes[-1]
    sizes += [rest] if rest > 1 else []
    for _ in range(chooser.integer(0, 2)):
        sizes.insert(chooser.integer(0, len(sizes)), 1)
    if sizes and chooser.flag():
        sizes[chooser.integer(0, len(sizes) - 1)] = -1
    return sizes


def reshape(chooser: Chooser) -> Sample:
    """Any shape of the same count."""
    tensor = _self(chooser)
    return Sample({"self": tensor, "shape": _regrouped(chooser, tensor)})


def view(chooser: Chooser) -> Sample:
    """A shape that the strides allow: where they don't, ones put into self's own shape."""
    tensor = _self(chooser)
    sizes = _regrouped(chooser, tensor)
    known = known_shape(sizes, tensor.data.size)
    if view_strides(tensor.shape, tensor.element_strides(), known) is None:
        sizes = list(tensor.shape)
        sizes.insert(chooser.integer(0, len(sizes)), 1)
    return Sample({"self": tensor, "size": sizes})


def transpose(chooser: Chooser) -> Sample:
    """Two dims."""
    tensor = _self(chooser)
    rank = len(tensor.shape)
    values = {"self": tensor, "dim0": chooser.dim(rank), "dim1": chooser.dim(rank)}
    return Sample(values)


def t(chooser: Chooser) -> Sample:
    """Rank 2 and below."""
    return Sample({"self": _self(chooser, (2, 1, 0, 2))})


def permute(chooser: Chooser) -> Sample:
    """Any order, each dim counted from either end."""
    tensor = _self(chooser)
    rank = len(tensor.shape)
    dims = [dim - (rank if chooser.flag() else 0) for dim in chooser.permutation(rank)]
    return Sample({"self": tensor, "dims": dims})


def expand(chooser: Chooser) -> Sample:
    """Sizes of 1 repeated, new dims in front, -1 for what stays."""
    shape: Shape = tuple(1 if chooser.flag() else size for size in chooser.shape(most=200))
    tensor = chooser.tensor(shape, "full")
    sizes = []
    for size in shape:
        wanted = chooser.one_of((2, 1, 3, 0)) if size == 1 else size
        sizes.append(-1 if wanted == size and chooser.flag() else wanted)
    added = [chooser.one_of((1, 2, 3)) for _ in range(chooser.integer(0, 2))]
    return Sample({"self": tensor, "size": [*added, *sizes]})


def select(chooser: Chooser) -> Sample:
    """An index of a dim, from either end."""
    tensor = chooser.tensor(chooser.nonempty((1, 2, 3, 4), 600), "full")
    dim = chooser.dim(len(tensor.shape))
    size = tensor.shape[dim]
    index = chooser.integer(0, 2 * size - 1)
    place = index if index < size else index - 2 * size
    return Sample({"self": tensor, "dim": dim, "index": place})


def slice(chooser: Chooser) -> Sample:
    """Ends inside and beyond the size, on both sides; steps."""
    tensor = _self(chooser, (1, 2, 3, 4))
    dim = chooser.dim(len(tensor.shape))
    size = tensor.shape[dim]
    values: dict[str, Any] = {"self": tensor, "dim": dim}
    for name in ("start", "end"):
        if chooser.flag():
            values[name] = chooser.integer(0, 2 * size + 4) - size - 2
    if chooser.flag():
        values["step"] = chooser.integer(1, 4)
    return Sample(values)


def squeeze(chooser: Chooser) -> Sample:
    """Every dim, of size 1 or not."""
    shape = tuple(1 if chooser.flag() else size for size in chooser.shape(most=600))
    return Sample({"self": chooser.tensor(shape, "full"), "dim": chooser.dim(len(shape))})


def unsqueeze(chooser: Chooser) -> Sample:
    """Every place for a new dim."""
    tensor = _self(chooser)
    return Sample({"self": tensor, "dim": chooser.dim(len(tensor.shape) + 1)})


def flatten(chooser: Chooser) -> Sample:
    """All dims, or a range of them."""
    tensor = _self(chooser)
    rank = len(tensor.shape)
    values: dict[str, Any] = {"self": tensor}
    if rank and chooser.flag():
        first = chooser.integer(0, rank - 1)
        last = chooser.integer(first, rank - 1)
        values["start_dim"] = first - (rank if chooser.flag() else 0)
        values["end_dim"] = last - (rank if chooser.flag() else 0)
    return Sample(values)


def as_strided(chooser: Chooser) -> Sample:
    """Any window that lies in the storage, with overlaps, gaps and an offset."""
    tensor = _self(chooser)
    size: list[int] = []
    stride: list[int] = []
    room = tensor.elements() - 1
    for _ in range(chooser.integer(0, 3)):
        stride.append(chooser.one_of((1, 0, 2, 3, 7)))
        fitting = [n for n in (1, 2, 3, 0, 5) if (n - 1) * stride[-1] <= room]
        size.append(chooser.one_of(fitting) if room >= 0 else 0)
        room -= max(size[-1] - 1, 0) * stride[-1]
    if room < 0 and 0 not in size:
        size, stride = [*size, 0], [*stride, 1]
    values: dict[str, Any] = {"self": tensor, "size": size, "stride": stride}
    fits = 0 in size or room >= tensor.offset
    if fits and chooser.flag():
        return Sample(values)
    return Sample({**values, "storage_offset": chooser.integer(0, max(room, 0))})


def _with_ones(chooser: Chooser) -> Tensor:
    shape = tuple(1 if chooser.flag() else size for size in chooser.shape(most=600))
    return chooser.tensor(shape, "full")


def with_ones(chooser: Chooser) -> Sample:
    """Dims of size 1 among others."""
    return Sample({"self": _with_ones(chooser)})


def squeeze_dims(chooser: Chooser) -> Sample:
    """Some dims, of size 1 or not."""
    tensor = _with_ones(chooser)
    rank = len(tensor.shape)
    dims = [dim - (rank if chooser.flag() else 0) for dim in chooser.subset(rank)]
    return Sample({"self": tensor, "dim": dims})


def _of_a_dim(chooser: Chooser) -> tuple[Tensor, int, int]:
    """A tensor, one of its dims, and the dim's size."""
    tensor = _self(chooser, (1, 2, 3, 4))
    dim = chooser.dim(len(tensor.shape))
    return tensor, dim, tensor.shape[dim]


def narrow(chooser: Chooser) -> Sample:
    """Any range inside a dim, its start from either end."""
    tensor, dim, size = _of_a_dim(chooser)
    start = chooser.integer(0, size)
    length = chooser.integer(0, size - start)
    if size and start < size and chooser.flag():
        start -= size
    return Sample({"self": tensor, "dim": dim, "start": start, "length": length})


def unflatten(chooser: Chooser) -> Sample:
    """Factors of a size, at times one of them -1."""
    tensor, dim, size = _of_a_dim(chooser)
    divisor = chooser.one_of([n for n in (1, 2, 3, 4, 5, 7, 16) if size % n == 0])
    sizes = [divisor, size // divisor, *([1] if chooser.flag() else [])]
    if size and chooser.flag():
        sizes[chooser.integer(0, len(sizes) - 1)] = -1
    return Sample({"self": tensor, "dim": dim, "sizes": sizes})


def movedim_int(chooser: Chooser) -> Sample:
    """Any dim to any place."""
    tensor = _self(chooser)
    rank = len(tensor.shape)
    values = {"source": chooser.dim(rank), "destination": chooser.dim(rank)}
    return Sample({"self": tensor, **values})


def movedim(chooser: Chooser) -> Sample:
    """Some dims to as many places."""
    tensor = _self(chooser)
    rank = len(tensor.shape)
    count = chooser.integer(0, rank)
    lists = {name: chooser.permutation(rank)[:count] for name in ("source", "destination")}
    if count and chooser.flag():
        lists["source"][0] -= rank
    return Sample({"self": tensor, **lists})


def two_dims(chooser: Chooser) -> Sample:
    """Two dims."""
    names = [argument.name for argument in chooser.spec.args]
    return Sample(dict(zip(names, transpose(chooser).values.values(), strict=True)))


def _shaped_as(chooser: Chooser, tensor: Tensor, shape: Shape) -> Sample:
    return Sample({"self": tensor, "other": chooser.tensor(shape, "any")})


def expand_as(chooser: Chooser) -> Sample:
    """The cases of expand, by a tensor."""
    values = expand(chooser).values
    shape = expand_oracle(values["self"], values["size"], False).shape
    return _shaped_as(chooser, values["self"], shape)


def view_as(chooser: Chooser) -> Sample:
    """The cases of view, by a tensor."""
    values = view(chooser).values
    shape = known_shape(values["size"], values["self"].data.size)
    return _shaped_as(chooser, values["self"], shape)


def reshape_as(chooser: Chooser) -> Sample:
    """The cases of reshape, by a tensor."""
    values = reshape(chooser).values
    shape = known_shape(values["shape"], values["self"].data.size)
    return _shaped_as(chooser, values["self"], shape)


def diagonal(chooser: Chooser) -> Sample:
    """Any two dims; offsets inside and beyond the sizes."""
    tensor = _self(chooser, (2, 3, 2, 4))
    rank = len(tensor.shape)
    first, second = chooser.permutation(rank)[:2]
    values: dict[str, Any] = {"self": tensor, "offset": chooser.integer(0, 12) - 6}
    values |= {"dim1": first - (rank if chooser.flag() else 0), "dim2": second}
    return Sample(values)


def unfold(chooser: Chooser) -> Sample:
    """Windows inside a dim, any step."""
    tensor, dim, size = _of_a_dim(chooser)
    values = {"size": chooser.integer(0, size), "step": chooser.integer(1, 9)}
    return Sample({"self": tensor, "dimension": dim, **values})


def split(chooser: Chooser) -> Sample:
    """Lengths up to more than the size."""
    tensor, dim, size = _of_a_dim(chooser)
    length = chooser.integer(max(size // 20, 1), size + 2)
    return Sample({"self": tensor, "split_size": length, "dim": dim})


def split_sizes(chooser: Chooser) -> Sample:
    """Any sizes that add up."""
    tensor, dim, size = _of_a_dim(chooser)
    sizes: list[int] = []
    for _ in range(chooser.integer(0, 4)):
        sizes.append(chooser.integer(0, size - sum(sizes)))
    return Sample(
        {"self": tensor, chooser.spec.args[1].name: [*sizes, size - sum(sizes)], "dim": dim}
    )


def chunk(chooser: Chooser) -> Sample:
    """Few parts, and more than there are places."""
    tensor, dim, _ = _of_a_dim(chooser)
    return Sample({"self": tensor, "chunks": chooser.integer(1, 20), "dim": dim})


def unbind(chooser: Chooser) -> Sample:
    """Every dim that isn't long."""
    tensor, dim, size = _of_a_dim(chooser)
    if size > 20:
        tensor = chooser.tensor(tuple(min(n, 9) for n in tensor.shape), "full")
    return Sample({"self": tensor, "dim": dim})
