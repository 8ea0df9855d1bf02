"""Drawn calls of the reductions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..sample import Sample
from ..tensors import Tensor
from .chooser import Chooser, Shape

# These compare elements and add nothing.
_VALUES_ONLY = "amax amin max min aminmax argmax argmin any all count_nonzero".split()


def _tensor(chooser: Chooser, shape: Shape) -> Tensor:
    domain = "full" if chooser.spec.name in _VALUES_ONLY else "folded"
    return chooser.tensor(shape, domain)


def reduce_all_plain(chooser: Chooser) -> Sample:
    """Everything folded."""
    return Sample({"self": _tensor(chooser, chooser.shape())})


def reduce_all_nonempty(chooser: Chooser) -> Sample:
    """Everything folded, where there is something."""
    return Sample({"self": _tensor(chooser, chooser.nonempty())})


def product_all(chooser: Chooser) -> Sample:
    """Everything multiplied: signs and a few factors of 2, so that products are exact."""
    return Sample({"self": factors(chooser, chooser.shape())})


def product_dim(chooser: Chooser) -> Sample:
    """One dim multiplied."""
    shape = chooser.shape()
    values: dict[str, Any] = {"self": factors(chooser, shape), "dim": chooser.dim(len(shape))}
    if chooser.flag():
        values["keepdim"] = True
    return Sample(values)


def factors(chooser: Chooser, shape: Shape) -> Tensor:
    """Signs and a few powers of 2: their products are exact."""
    if not chooser.info.is_inexact:
        return chooser.tensor(shape)
    rng = np.random.default_rng(chooser.seed())
    powers = np.where(
        rng.random(shape) < 4 / max(math.prod(shape), 8), rng.integers(-3, 4, shape), 0
    )
    data = np.exp2(powers) * rng.choice([1.0, -1.0], shape)
    return chooser.laid_out(Tensor(chooser.dtype, data.astype(chooser.info.carrier)))


def count_dim(chooser: Chooser) -> Sample:
    """One dim or all."""
    shape = chooser.shape()
    values: dict[str, Any] = {"self": _tensor(chooser, shape)}
    if chooser.flag():
        values["dim"] = chooser.dim(len(shape))
    return Sample(values)


def count_dims(chooser: Chooser) -> Sample:
    """Any dims."""
    shape = chooser.shape()
    return Sample({"self": _tensor(chooser, shape), "dim": _dims(chooser, len(shape))})


def reduce_dims_plain(chooser: Chooser) -> Sample:
    """Any dims, keepdim."""
    return Sample(_folded(chooser, chooser.shape()))


def reduce_all(chooser: Chooser) -> Sample:
    """Everything folded, at times into another dtype."""
    return _with_dtype(chooser, reduce_all_plain(chooser).values)


def _with_dtype(chooser: Chooser, values: dict[str, Any]) -> Sample:
    if not chooser.rarely():
        return Sample(values)
    # Small multiples of 1/8: what they turn into is exact.
    tensor = chooser.tensor(values["self"].shape, "exact")
    return Sample({**values, "self": tensor, "dtype": chooser.one_of(result_dtypes(chooser))})


def result_dtypes(chooser: Chooser) -> list[str]:
    """Dtypes to sum in, without loss of kind."""
    if chooser.info.is_complex:
        return ["complex64", "complex128"]
    names = ["float32", "float64"]
    if chooser.spec.name != "nansum":
        names.append("complex64")
    if not chooser.info.is_inexact and chooser.spec.name == "sum":
        names += ["int32", "int64"]
    return names


def _dims(chooser: Chooser, rank: int) -> list[int]:
    """Some dims, each counted from either end, in some order."""
    chosen = chooser.subset(rank) if rank else chooser.one_of(([], [0], [-1]))
    order = chooser.permutation(len(chosen))
    return [chosen[place] - (rank if rank and chooser.flag() else 0) for place in order]


def _folded(chooser: Chooser, shape: Shape) -> dict[str, Any]:
    values: dict[str, Any] = {"self": _tensor(chooser, shape), "dim": _dims(chooser, len(shape))}
    if chooser.flag():
        values["keepdim"] = True
    return values


def reduce_dims(chooser: Chooser) -> Sample:
    """Any dims, keepdim, at times another dtype."""
    return _with_dtype(chooser, _folded(chooser, chooser.shape()))


def reduce_dims_nonempty(chooser: Chooser) -> Sample:
    """Dims that hold something."""
    shape = chooser.shape()
    values: dict[str, Any] = {"dim": _dims(chooser, len(shape))}
    if chooser.flag():
        values["keepdim"] = True
    axes = values["dim"] if shape else []
    return Sample({"self": _tensor(chooser, _filled(shape, axes or range(len(shape)))), **values})


def _filled(shape: Shape, axes: Iterable[int]) -> Shape:
    """The shape with something along each of these dims."""
    sizes = list(shape)
    for axis in axes:
        sizes[axis] = max(sizes[axis], 1)
    return tuple(sizes)


def reduce_int(chooser: Chooser) -> Sample:
    """One dim."""
    shape = chooser.shape()
    values: dict[str, Any] = {"self": _tensor(chooser, shape), "dim": chooser.dim(len(shape))}
    if chooser.flag():
        values["keepdim"] = True
    return Sample(values)


def reduce_dim_nonempty(chooser: Chooser) -> Sample:
    """One dim that holds something."""
    shape = chooser.shape()
    values: dict[str, Any] = {"dim": chooser.dim(len(shape))}
    if chooser.flag():
        values["keepdim"] = True
    return Sample(
        {"self": _tensor(chooser, _filled(shape, [values["dim"]] if shape else [])), **values}
    )


def reduce_one(chooser: Chooser) -> Sample:
    """One dim or all, where something is folded."""
    shape = chooser.shape()
    values: dict[str, Any] = {}
    if chooser.flag():
        values["dim"] = chooser.dim(len(shape))
    if chooser.flag():
        values["keepdim"] = True
    axes = [values["dim"]] if "dim" in values and shape else range(len(shape))
    return Sample({"self": _tensor(chooser, _filled(shape, axes)), **values})


_FINITE = ("plain", "any", "ties", "scaled", "zeros")


def _spread_tensor(chooser: Chooser, shape: Shape) -> Tensor:
    """Scales whose squares are representable too; means beside them are finite."""
    finite = chooser.spec.name.endswith("_mean") and chooser.info.is_floating
    return chooser.tensor(shape, "product", modes_of=_FINITE if finite else None)


def spread_all(chooser: Chooser) -> Sample:
    """The variance of everything."""
    values: dict[str, Any] = {"self": _spread_tensor(chooser, chooser.shape())}
    if chooser.flag():
        values["unbiased"] = chooser.flag()
    return Sample(values)


def spread_unbiased(chooser: Chooser) -> Sample:
    """The variance over dims, unbiased or not."""
    shape = chooser.shape()
    values: dict[str, Any] = {"self": _spread_tensor(chooser, shape)}
    values["dim"] = _dims(chooser, len(shape))
    if chooser.flag():
        values["unbiased"] = chooser.flag()
    if chooser.flag():
        values["keepdim"] = True
    return Sample(values)


def spread(chooser: Chooser) -> Sample:
    """The variance over dims with any correction."""
    shape = chooser.shape()
    values: dict[str, Any] = {"self": _spread_tensor(chooser, shape)}
    if chooser.flag():
        values["dim"] = _dims(chooser, len(shape))
    if chooser.flag():
        # A variance of complex numbers that is divided by 0 isn't determined.
        choices = (1, 0, 0.5) if chooser.info.is_complex else (1, 0, 2, 0.5)
        values["correction"] = chooser.one_of(choices)
    if chooser.flag():
        values["keepdim"] = True
    return Sample(values)


def vector_norm(chooser: Chooser) -> Sample:
    """Norms of every kind over dims."""
    order = chooser.one_of((2, 1, 0, 3, 0.5, math.inf, -math.inf, -1))
    shape = chooser.shape() if 0 <= order < math.inf else chooser.nonempty()
    values: dict[str, Any] = {"self": _spread_tensor(chooser, shape), "ord": order}
    if chooser.flag():
        values["dim"] = _dims(chooser, len(shape))
    if chooser.flag():
        values["keepdim"] = True
    return Sample(values)


def equal(chooser: Chooser) -> Sample:
    """The same values, values that differ in one place, other values, other shapes."""
    shape = chooser.shape()
    first = chooser.tensor(shape, "finite" if chooser.info.is_complex else "full")
    how = chooser.integer(0, 3)
    if how == 3:
        return Sample({"self": first, "other": chooser.tensor(chooser.shape(), "any")})
    data = first.data.copy()
    if how == 1 and data.size:
        place = chooser.integer(0, data.size - 1)
        data.reshape(-1)[place] = data.reshape(-1)[place] == 0
    return Sample({"self": first, "other": chooser.laid_out(Tensor(chooser.dtype, data))})
