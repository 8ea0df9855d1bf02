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


def msort(draw: Draw) -> Iterator[Sample]:
    """The tensor alone."""
    for values, note in _inputs(draw):
        if values.get("dim", 0) == 0:
            yield Sample({"self": values["self"]}, note)


def topk(draw: Draw) -> Iterator[Sample]:
    """The first, some and all places, from both ends."""
    for values, note in _inputs(draw):
        length = _length(values)
        if not values["self"].shape:
            yield Sample({"self": values["self"], "k": 1}, note)
            continue
        counts = {0, 1, 3, length // 2, length - 1, length} if length < 3000 else {1, 70}
        for k in sorted(count for count in counts if 0 <= count <= length):
            rest = {name: value for name, value in values.items() if name != "self"}
            for largest in (False, True):
                call = {"self": values["self"], "k": k, **rest, "largest": largest}
                yield Sample(call, f"{note}, {k=}, {largest=}")
    if draw.kind == "sizes":
        yield Sample({"self": draw.tensor((70_000,)), "k": 66_000}, "66,000 of 70,000")
    if draw.kind == "arguments":
        values = {"self": draw.tensor((4, 6)), "k": 3, "sorted": False}
        yield Sample(values, "not sorted")


def kthvalue(draw: Draw) -> Iterator[Sample]:
    """The first, a middle and the last place."""
    for values, note in _inputs(draw):
        length = _length(values)
        for k in sorted({1, length // 3 + 1, length} - {0}) if length else ():
            rest = {name: value for name, value in values.items() if name != "self"}
            call = {"self": values["self"], "k": k, **rest}
            yield Sample(call, f"{note}, {k=}")
            if draw.kind in ("arguments", "shapes"):
                yield Sample({**call, "keepdim": True}, f"{note}, {k=}, keepdim")


def _length(values: dict[str, Any]) -> int:
    shape = values["self"].shape
    return int(shape[values.get("dim", -1)]) if shape else 1


def median_all(draw: Draw) -> Iterator[Sample]:
    """Everything, where there is something or it has a NaN."""
    for values, note in _medians(draw):
        if values["self"].data.size or draw.info.is_floating:
            yield Sample({"self": values["self"]}, note)


def median_dim(draw: Draw) -> Iterator[Sample]:
    """One dim that holds something."""
    for values, note in _medians(draw):
        if _length(values):
            call = {"self": values["self"], "dim": values.get("dim", -1)}
            yield Sample(call, note)
            if draw.kind in ("arguments", "shapes"):
                yield Sample({**call, "keepdim": True}, f"{note}, keepdim")


def _medians(draw: Draw) -> Iterator[tuple[dict[str, Any], str]]:
    """The inputs of sorts, and lines with some NaN or nothing else."""
    yield from _inputs(draw)
    if draw.kind == "special" and draw.info.is_floating:
        data = draw.tensor((4, 9)).data.copy()
        data[1, [2, 5]] = np.nan
        data[2] = np.nan
        data[3, 0] = np.inf
        yield {"self": Tensor(draw.dtype, data), "dim": 1}, "NaN in some lines"
        yield {"self": Tensor(draw.dtype, data), "dim": 0}, "NaN in all lines"
        tiny = np.array([3, -2, 1, 4, -1], draw.info.carrier) * draw.info.smallest
        yield {"self": Tensor(draw.dtype, tiny)}, "subnormal numbers"


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


def complex_unordered_selection(draw: Draw) -> Iterator[ErrorSample]:
    """Complex numbers have no order."""
    values: dict[str, Any] = {"self": draw.tensor((3,), dtype="complex64")}
    if draw.spec.name in ("topk", "kthvalue"):
        values["k"] = 1
    if draw.spec.overload == "dim":
        values["dim"] = 0
    also = ("NotImplementedError",)
    yield ErrorSample(values, "RuntimeError", r"(msort|sort|{op}): .*complex64", also=also)


def k_out_of_range(draw: Draw) -> Iterator[ErrorSample]:
    """There are as many places as the dim has."""
    low = -1 if draw.spec.name == "topk" else 0
    for k in (low, 4):
        values = {"self": draw.tensor((2, 3)), "k": k, "dim": 1}
        yield ErrorSample(values, "RuntimeError", r"{op}: .*k", note=f"k {k}")


def median_of_nothing(draw: Draw) -> Iterator[ErrorSample]:
    """A dim of size 0 has no middle."""
    values = {"self": draw.tensor((2, 0)), "dim": 1}
    yield ErrorSample(values, "IndexError", r"{op}: .*dim 1")
