"""Inputs of ops that give copies with elements elsewhere: triangles, flips, rolls, repeats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..layouts import LAYOUTS, transposed
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import ODD_SHAPES, SMALL_SHAPES, special_tensor, with_dim


def _tensors(draw: Draw, least: int = 0) -> Iterator[Tensor]:
    """Small shapes in every layout, large ones, odd ones; of this rank at least."""
    shapes: tuple[tuple[int, ...], ...] = ()
    if draw.kind in ("small", "arguments"):
        shapes = SMALL_SHAPES
    if draw.kind == "sizes":
        shapes = ((4097,), (33, 129), (129, 33), (3, 40, 40), (3, 30_000))
    if draw.kind == "shapes":
        shapes = ODD_SHAPES
    for shape in shapes:
        if len(shape) >= least:
            yield draw.tensor(shape)
            for layout in LAYOUTS if draw.kind == "arguments" else ():
                yield layout(draw.tensor(shape))
    if draw.kind == "special":
        special = special_tensor(draw.info)
        if least < 2:
            yield special
        else:
            data = special.data[: len(special.data) // 3 * 3]
            yield special.replaced(data.reshape(3, -1))


def _note(tensor: Tensor, rest: str) -> str:
    return f"{list(tensor.shape)} {tensor.layout}, {rest}"


def triangle(draw: Draw) -> Iterator[Sample]:
    """Diagonals inside, at both corners and beyond them."""
    for tensor in _tensors(draw, 2):
        rows, columns = tensor.shape[-2:]
        for diagonal in {0, 1, -1, columns, columns - 1, -rows, 1 - rows, 2**63 - 1, -(2**63)}:
            yield Sample({"self": tensor, "diagonal": diagonal}, _note(tensor, f"{diagonal}"))


def diag(draw: Draw) -> Iterator[Sample]:
    """Vectors and matrices, diagonals on both sides."""
    for tensor in _tensors(draw, 1):
        if len(tensor.shape) <= 2 and tensor.data.size < 2000:
            for diagonal in (0, 1, -2, 7, -7):
                yield Sample({"self": tensor, "diagonal": diagonal}, _note(tensor, f"{diagonal}"))


def flip(draw: Draw) -> Iterator[Sample]:
    """No dim, each, all of them."""
    for tensor in _tensors(draw):
        rank = len(tensor.shape)
        for dims in ([], list(range(rank)), *([dim] for dim in with_dim(rank))):
            yield Sample({"self": tensor, "dims": dims}, _note(tensor, f"dims {dims}"))


def roll(draw: Draw) -> Iterator[Sample]:
    """As one line; each dim in both directions, by more than its size; two dims."""
    for tensor in _tensors(draw):
        rank = len(tensor.shape)
        cases: list[tuple[list[int], list[int]]] = [([1], []), ([-2], []), ([0], [])]
        for dim in with_dim(rank) if rank else ():
            cases += [([1], [dim]), ([-1], [dim]), ([tensor.shape[dim] + 2], [dim])]
        if rank > 1:
            cases += [([1, -2], [0, -1]), ([1, 1], [0, 0])]
        for shifts, dims in cases:
            values = {"self": tensor, "shifts": shifts, "dims": dims}
            yield Sample(values, _note(tensor, f"{shifts} of {dims}"))


def repeat(draw: Draw) -> Iterator[Sample]:
    """Once, several times, never; new dims in front."""
    for tensor in _tensors(draw):
        if tensor.data.size < 2000:
            rank = len(tensor.shape)
            for repeats in ([1] * rank, [2] * rank, [3, *[1] * rank], [2, *[0] * rank]):
                yield Sample({"self": tensor, "repeats": repeats}, _note(tensor, f"{repeats}"))
            mixed = list(range(1, rank + 1))
            yield Sample({"self": tensor, "repeats": mixed}, _note(tensor, f"{mixed}"))


def tile(draw: Draw) -> Iterator[Sample]:
    """The cases of repeat, and fewer numbers than dims."""
    for sample in repeat(draw):
        values = sample.values
        yield Sample({"self": values["self"], "dims": values["repeats"]}, sample.note)
    if draw.kind == "sizes":
        yield Sample({"self": draw.tensor((33_000,)), "dims": [2]}, "66,000 elements")
    if draw.kind == "small":
        for tensor in (draw.tensor((2, 3)), transposed(draw.tensor((2, 3)))):
            for dims in ([2], []):
                yield Sample({"self": tensor, "dims": dims}, _note(tensor, f"{dims}"))


# Errors.


def triangle_rank(draw: Draw) -> Iterator[ErrorSample]:
    """A vector has no triangle."""
    values = {"self": draw.tensor((3,))}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*two dimensions; got self \[3\]")


def diag_rank(draw: Draw) -> Iterator[ErrorSample]:
    """Neither a vector nor a matrix."""
    for shape in ((), (2, 2, 2)):
        values = {"self": draw.tensor(shape)}
        pattern = rf"{{op}}: .*got self {re.escape(str(list(shape)))}"
        yield ErrorSample(values, "RuntimeError", pattern, note=str(shape))


def flip_dims(draw: Draw) -> Iterator[ErrorSample]:
    """A dim twice; a dim that isn't there."""
    values = {"self": draw.tensor((2, 3)), "dims": [0, -2]}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*once; got dims \[0, -2\]", note="twice")
    for dim in (2, -3):
        values = {"self": draw.tensor((2, 3)), "dims": [dim]}
        yield ErrorSample(values, "IndexError", r"{op}: dimension out of range", note=f"{dim}")


def roll_dims(draw: Draw) -> Iterator[ErrorSample]:
    """Shifts and dims of differing number; no shift; a dim that isn't there; one of no dims."""
    cases: tuple[tuple[list[int], list[int]], ...] = (([1], [0, 1]), ([1, 2], []), ([], []))
    for shifts, dims in cases:
        values: dict[str, Any] = {"self": draw.tensor((2, 3)), "shifts": shifts, "dims": dims}
        note = f"{shifts} of {dims}"
        yield ErrorSample(values, "RuntimeError", r"{op}: .*one shift for each", note=note)
    for dim in (2, -3):
        values = {"self": draw.tensor((2, 3)), "shifts": [1], "dims": [dim]}
        yield ErrorSample(values, "IndexError", r"{op}: dimension out of range", note=f"{dim}")
    for dim in (0, -1):
        values = {"self": draw.tensor(()), "shifts": [1], "dims": [dim]}
        yield ErrorSample(values, "IndexError", r"{op}: .*self must have dims", note=f"0-dim {dim}")


def repeat_wrong(draw: Draw) -> Iterator[ErrorSample]:
    """Fewer numbers than dims; a negative one; a size that doesn't fit."""
    for repeats in ([2], [2, -1]):
        values = {"self": draw.tensor((2, 3)), "repeats": repeats}
        pattern = rf"{{op}}: .*{re.escape(str(repeats))}"
        yield ErrorSample(values, "RuntimeError", pattern, note=str(repeats))


def tile_wrong(draw: Draw) -> Iterator[ErrorSample]:
    """A negative number."""
    values = {"self": draw.tensor((2, 3)), "dims": [-1]}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*negative; got \[1, -1\]")
