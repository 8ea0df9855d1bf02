"""Inputs of the sorts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import Array, decode, encode
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import (
    LINE_SIZES,
    ODD_SHAPES,
    SMALL_SHAPES,
    dim_out_of_range,
    repeated,
    special_values,
    with_dim,
)

__all__ = ["dim_out_of_range"]


def sort(draw: Draw) -> Iterator[Sample]:
    """Both directions, every dim, ties."""
    for values, note in _inputs(draw):
        for descending in (False, True):
            if descending or draw.kind != "arguments":
                yield Sample({**values, "descending": descending}, f"{note}, {descending=}")


def sort_stable(draw: Draw) -> Iterator[Sample]:
    """The same, with stable=True, and once without."""
    for sample in sort(draw):
        values = {"self": sample.values["self"], "stable": True}
        values |= {name: value for name, value in sample.values.items() if name != "self"}
        yield Sample(values, f"{sample.note}, stable")
        if draw.kind == "arguments":
            yield Sample({**values, "stable": False}, f"{sample.note}, not stable")


def _inputs(draw: Draw) -> Iterator[tuple[dict[str, Any], str]]:
    if draw.kind == "small":
        for shape in SMALL_SHAPES:
            yield {"self": draw.tensor(shape)}, f"shape {list(shape)}"
    if draw.kind == "sizes":
        for size in LINE_SIZES:
            yield {"self": draw.tensor((size,))}, f"{size} elements"
        for shape in ((33, 129), (1500, 3), (5, 33, 7)):
            for dim in range(len(shape)):
                yield {"self": draw.tensor(shape), "dim": dim}, f"{shape}, dim {dim}"
    if draw.kind == "shapes":
        for shape in ODD_SHAPES:
            for dim in with_dim(len(shape)):
                yield {"self": draw.tensor(shape), "dim": dim}, f"{shape}, dim {dim}"
    if draw.kind == "arguments":
        yield {"self": draw.tensor((4, 6)), "dim": 0}, "dim 0"
    yield from _orders(draw)


def _orders(draw: Draw) -> Iterator[tuple[dict[str, Any], str]]:
    if draw.kind == "special":
        values = repeated(special_values(draw.info))
        values = values[draw.rng.permutation(len(values))]
        yield {"self": Tensor(draw.dtype, values)}, "special values, repeated"
        if draw.info.is_floating and draw.info.itemsize > 1:
            yield {"self": Tensor(draw.dtype, _barely_nan(draw))}, "NaN of the smallest payload"
    if draw.kind == "ties":
        yield {"self": Tensor(draw.dtype, np.ones(70, draw.info.carrier))}, "all equal"
        yield {"self": draw.tensor((1000,), "small")}, "few distinct values"
        line = np.sort(draw.tensor((300,)).data)
        yield {"self": Tensor(draw.dtype, line)}, "sorted"
        yield {"self": Tensor(draw.dtype, line[::-1].copy())}, "sorted backwards"


def _barely_nan(draw: Draw) -> Array:
    """Infinities among NaN of both signs whose bits are next to theirs."""
    info = draw.info
    bits = np.array([-np.inf, np.inf, 1.0, np.inf, -np.inf, -2.0, np.inf, 0.0], info.carrier)
    raw = encode(bits, info).view(f"u{info.itemsize}")
    raw[[0, 3]] += 1  # a payload of one
    return decode(raw.view(info.stored), info)


def complex_unordered_sort(draw: Draw) -> Iterator[ErrorSample]:
    """Complex numbers have no order."""
    values = {"self": draw.tensor((3,), dtype="complex64")}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*complex64")
