"""Inputs of the scans."""

from __future__ import annotations

from collections.abc import Iterator

from ..sample import Draw, ErrorSample, Sample
from .common import ODD_SHAPES, dim_out_of_range, with_dim
from .reduce import reduce_int, result_dtypes, with_factors

__all__ = ["dim_out_of_range"]


def scan(draw: Draw) -> Iterator[Sample]:
    """One dim of each shape, those of the reductions."""
    if draw.kind == "shapes":
        for shape in ODD_SHAPES:
            for dim in with_dim(len(shape)):
                yield Sample({"self": draw.tensor(shape), "dim": dim}, f"{shape}, dim {dim}")
        return
    for sample in reduce_int(draw):
        values = {name: value for name, value in sample.values.items() if name != "keepdim"}
        yield Sample(values, sample.note)
    if draw.kind == "sizes" and draw.info.is_floating and draw.info.itemsize == 2:
        # A line that is converted as a whole, and longer than any before it.
        yield Sample({"self": draw.tensor((150_000,)), "dim": 0}, "150,000 elements")
    if draw.kind == "arguments":
        for dtype in result_dtypes(draw):
            values = {"self": draw.tensor((3, 4), "exact"), "dim": 1, "dtype": dtype}
            yield Sample(values, f"dtype {dtype}")


def plain_scan(draw: Draw) -> Iterator[Sample]:
    """The same without a dtype of the result."""
    yield from (sample for sample in scan(draw) if "dtype" not in sample.values)


def product_scan(draw: Draw) -> Iterator[Sample]:
    """The same with factors near 1."""
    for sample in scan(draw):
        yield with_factors(draw, sample)


def extreme_scan(draw: Draw) -> Iterator[Sample]:
    """The same with ties."""
    yield from plain_scan(draw)
    if draw.kind == "ties":
        yield Sample({"self": draw.tensor((300,), "small"), "dim": 0}, "few distinct values")


def complex_unordered_scan(draw: Draw) -> Iterator[ErrorSample]:
    """Complex numbers have no order."""
    values = {"self": draw.tensor((3,), dtype="complex64"), "dim": 0}
    also = ("NotImplementedError",)
    yield ErrorSample(values, "RuntimeError", r"{op}: .*complex64", also=also)
