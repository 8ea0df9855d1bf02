"""Drawn calls of triangles, flips, rolls and repeats."""

from __future__ import annotations

from typing import Any

from ..sample import Sample
from ..tensors import Tensor
from .chooser import Chooser


def _self(chooser: Chooser, ranks: tuple[int, ...], most: int = 600) -> Tensor:
    return chooser.tensor(chooser.shape(ranks, most), "full")


def triangle(chooser: Chooser) -> Sample:
    """Diagonals around the main one."""
    tensor = _self(chooser, (2, 3, 2, 4))
    return Sample({"self": tensor, "diagonal": chooser.integer(0, 20) - 10})


def diag(chooser: Chooser) -> Sample:
    """Vectors and matrices."""
    tensor = _self(chooser, (1, 2), 60)
    return Sample({"self": tensor, "diagonal": chooser.integer(0, 12) - 6})


def flip(chooser: Chooser) -> Sample:
    """Some dims."""
    tensor = _self(chooser, (1, 2, 0, 3, 4))
    rank = len(tensor.shape)
    dims = [dim - (rank if chooser.flag() else 0) for dim in chooser.subset(rank)]
    return Sample({"self": tensor, "dims": dims})


def roll(chooser: Chooser) -> Sample:
    """Any shifts of some dims, or of all elements."""
    tensor = _self(chooser, (1, 2, 3, 4))
    dims = chooser.subset(len(tensor.shape))
    shifts = [chooser.integer(0, 40) - 20 for _ in dims or (0,)]
    return Sample({"self": tensor, "shifts": shifts, "dims": dims})


def repeat(chooser: Chooser) -> Sample:
    """Few times along each dim, new dims in front."""
    tensor = _self(chooser, (1, 2, 0, 3), 100)
    count = len(tensor.shape) + chooser.integer(0, 1)
    repeats = [chooser.one_of((1, 2, 3, 0)) for _ in range(count)]
    return Sample({"self": tensor, "repeats": repeats})


def tile(chooser: Chooser) -> Sample:
    """The same, with fewer numbers than dims at times."""
    values = repeat(chooser).values
    return Sample({"self": values["self"], "dims": values["repeats"][chooser.integer(0, 1) :]})


def diag_embed(chooser: Chooser) -> Sample:
    """Any two dims, diagonals around the main one."""
    tensor = _self(chooser, (1, 2, 3), 60)
    order = chooser.permutation(len(tensor.shape) + 1)
    values = {"self": tensor, "offset": chooser.integer(0, 8) - 4}
    return Sample({**values, "dim1": order[0], "dim2": order[1]})


def diagflat(chooser: Chooser) -> Sample:
    """Few elements, diagonals around the main one."""
    tensor = _self(chooser, (1, 2, 0, 3), 40)
    return Sample({"self": tensor, "offset": chooser.integer(0, 8) - 4})


def flip_matrix(chooser: Chooser) -> Sample:
    """Matrices and stacks of them."""
    return Sample({"self": _self(chooser, (2, 3, 4))})


def rot90(chooser: Chooser) -> Sample:
    """Any plane, either way."""
    tensor = _self(chooser, (2, 3, 4))
    dims = chooser.permutation(len(tensor.shape))[:2]
    return Sample({"self": tensor, "k": chooser.integer(0, 10) - 5, "dims": dims})


def repeat_interleave(chooser: Chooser) -> Sample:
    """Few times along a dim, or along all elements."""
    tensor = _self(chooser, (1, 2, 0, 3), 200)
    values: dict[str, Any] = {"self": tensor, "repeats": chooser.integer(0, 4)}
    if tensor.shape and chooser.flag():
        values["dim"] = chooser.dim(len(tensor.shape))
    return Sample(values)
