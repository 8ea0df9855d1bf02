"""Drawn calls of writes to places along a dim, and of what picks single elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..sample import Sample
from ..samples.scatter import reductions
from ..tensors import Tensor
from .chooser import Chooser, Shape

_RANKS = (1, 2, 3, 0, 4)


def _integers(chooser: Chooser, data: Any) -> Tensor:
    """Given indices in a drawn layout, at times of 32 bits where the documentation has these."""
    either = chooser.spec.name not in ("index_copy", "index_fill")
    dtype = "int32" if either and chooser.rarely(6) else "int64"
    return chooser.laid_out(Tensor(dtype, np.asarray(data, dtype)))


def _scattered(chooser: Chooser, unique: bool) -> tuple[dict[str, Any], Shape]:
    """self, dim and index; the index's shape."""
    shape = chooser.nonempty(_RANKS, 500)
    dim = chooser.dim(len(shape))
    sizes = [chooser.one_of((size, size, max(size // 2, 1))) for size in shape]
    rng = np.random.default_rng(chooser.seed())
    if unique:
        order = np.argsort(rng.random(shape or (1,)), axis=dim)
        data = order[tuple(map(slice, sizes or (1,)))].reshape(sizes)
    else:
        if shape:
            sizes[dim] = chooser.one_of((shape[dim], 1, 2, 0, shape[dim] + 3))
        data = rng.integers(0, shape[dim] if shape else 1, sizes)
    self = chooser.tensor(shape, "any", writable=True)
    return {"self": self, "dim": dim, "index": _integers(chooser, data)}, tuple(sizes)


def _source(chooser: Chooser, shape: Shape, domain: str = "any") -> Tensor:
    """No smaller than the index."""
    larger = tuple(size + chooser.one_of((0, 0, 1, 2)) for size in shape)
    return chooser.tensor(larger, domain)


def scatter(chooser: Chooser) -> Sample:
    """Each place once."""
    values, shape = _scattered(chooser, unique=True)
    return Sample({**values, "src": _source(chooser, shape)})


def _number(chooser: Chooser) -> Any:
    numbers: list[Any] = [1, 0, True]
    if chooser.info.is_inexact:
        numbers += [-1.5, float("nan")]
    return chooser.one_of(numbers)


def scatter_value(chooser: Chooser) -> Sample:
    """One number to places, some of them twice."""
    values, _ = _scattered(chooser, unique=False)
    return Sample({**values, "value": _number(chooser)})


def scatter_add(chooser: Chooser) -> Sample:
    """Several terms for a place."""
    values, shape = _scattered(chooser, unique=False)
    return Sample({**values, "src": _source(chooser, shape, "exact")})


def _few(chooser: Chooser, values: dict[str, Any]) -> bool:
    """Whether no place has more terms than a product of them bears."""
    index = np.atleast_1d(values["index"].data)
    dim = values["dim"]
    return not index.size or max(np.bincount(line).max() for line in _along(index, dim)) <= 6


def _along(index: Any, dim: int) -> Any:
    return np.moveaxis(index, dim, -1).reshape(-1, index.shape[dim])


def scatter_by(chooser: Chooser) -> Sample:
    """Terms added, or multiplied where they are few."""
    values, shape = _scattered(chooser, unique=False)
    reduce = "multiply" if chooser.flag() and _few(chooser, values) else "add"
    values["self"] = chooser.tensor(values["self"].shape, "exact", writable=True)
    return Sample({**values, "src": _source(chooser, shape, "exact"), "reduce": reduce})


def scatter_value_by(chooser: Chooser) -> Sample:
    """One number added, or multiplied where it is seldom."""
    values, _ = _scattered(chooser, unique=False)
    reduce = "multiply" if chooser.flag() and _few(chooser, values) else "add"
    value = chooser.one_of((1, True) if chooser.info.kind == "bool" else (1, 2, True))
    return Sample({**values, "value": value, "reduce": reduce})


def scatter_reduce(chooser: Chooser) -> Sample:
    """Each way, with and without self's own elements."""
    values, shape = _scattered(chooser, unique=False)
    values["self"] = chooser.tensor(values["self"].shape, "exact", writable=True)
    ways = [way for way in reductions(chooser.dtype) if way != "prod" or _few(chooser, values)]
    values |= {"src": _source(chooser, shape, "exact"), "reduce": chooser.one_of(ways)}
    if chooser.flag():
        values["include_self"] = chooser.flag()
    return Sample(values)


def _lines(chooser: Chooser, unique: bool, negative: bool = False) -> tuple[dict[str, Any], Shape]:
    """self, dim and index, and the shape of the slices."""
    shape = chooser.nonempty(_RANKS, 500)
    dim = chooser.dim(len(shape))
    size = shape[dim] if shape else 1
    rng = np.random.default_rng(chooser.seed())
    if unique:
        data = rng.permutation(size)[: chooser.integer(0, size) if shape else 1]
    else:
        low = -size if negative and chooser.flag() else 0
        count = chooser.one_of((1, 2, 3, 0, 9, 33)) if shape else 1
        data = rng.integers(low, size, (count,))
    sizes = list(shape)
    if sizes:
        sizes[dim] = len(data)
    self = chooser.tensor(shape, "any", writable=True)
    return {"self": self, "dim": dim, "index": _integers(chooser, data)}, tuple(sizes)


def index_add(chooser: Chooser) -> Sample:
    """Several slices for a place, at times a multiple of them."""
    values, shape = _lines(chooser, unique=False)
    values["source"] = chooser.tensor(shape, "exact")
    if chooser.flag():
        numbers: tuple[Any, ...] = (True, 0, 1) if chooser.info.kind == "bool" else (2, 0, 1)
        values["alpha"] = chooser.one_of((*numbers, *([-0.5] if chooser.info.is_inexact else [])))
    return Sample(values)


def index_copy(chooser: Chooser) -> Sample:
    """Each place once."""
    values, shape = _lines(chooser, unique=True)
    return Sample({**values, "source": chooser.tensor(shape, "full")})


def index_fill(chooser: Chooser) -> Sample:
    """Places from both ends; as the op has it, a number or a tensor of one."""
    values, _ = _lines(chooser, unique=False, negative=True)
    value = _number(chooser)
    if chooser.spec.type_of("value") == "Tensor":
        value = Tensor(chooser.dtype, np.asarray(value).astype(chooser.info.carrier))
    return Sample({**values, "value": value})


def masked_select(chooser: Chooser) -> Sample:
    """Masks that broadcast to self, and selfs that broadcast to the mask."""
    shape = chooser.shape(most=600)
    smaller = chooser.broadcastable(shape)
    self, mask = (shape, smaller) if chooser.flag() else (smaller, shape)
    return Sample({"self": chooser.tensor(self, "full"), "mask": chooser.mask(mask)})


def embedding(chooser: Chooser) -> Sample:
    """Indices of any shape."""
    rows, width = chooser.nonempty((2,), 600)
    chosen = chooser.places(rows, chooser.shape((1, 2, 0, 3), 40))
    values: dict[str, Any] = {"weight": chooser.tensor((rows, width), "full"), "indices": chosen}
    if chooser.rarely():
        values["padding_idx"] = chooser.integer(0, rows - 1)
    return Sample(values)


def take(chooser: Chooser) -> Sample:
    """Places of all elements, from both ends."""
    tensor = chooser.tensor(chooser.nonempty(most=600), "full")
    chosen = chooser.places(tensor.data.size, chooser.shape((1, 2, 0, 3), 60), negative=True)
    return Sample({"self": tensor, "index": chosen})


def take_along_dim(chooser: Chooser) -> Sample:
    """Broadcast beside the dim on both sides; at times no dim."""
    shape = chooser.nonempty((1, 2, 3, 4), 400)
    if chooser.rarely():
        # In one piece each: the checks of layouts have the others.
        tensor = chooser.tensor(shape, "full")
        places = chooser.places(tensor.data.size, (2, 3))
        plain = [Tensor(t.dtype, np.array(t.data)) for t in (tensor, places)]
        return Sample({"self": plain[0], "indices": plain[1]})
    dim = chooser.dim(len(shape))
    sizes = [1 if chooser.rarely() else size for size in shape]
    own = [1 if chooser.rarely() else size for size in shape]
    own[dim] = shape[dim]
    sizes[dim] = chooser.one_of((1, 2, 0, shape[dim] + 3))
    tensor = chooser.tensor(tuple(own), "full")
    return Sample({"self": tensor, "indices": chooser.places(own[dim], tuple(sizes)), "dim": dim})
