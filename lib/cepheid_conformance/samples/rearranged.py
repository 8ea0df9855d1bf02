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


def diag_embed(draw: Draw) -> Iterator[Sample]:
    """Diagonals on both sides, in dims of every order."""
    for tensor in _tensors(draw, 1):
        rank = len(tensor.shape)
        if tensor.data.size > 2000:
            continue
        for offset, dims in ((0, ()), (1, (-2, -1)), (-2, (-1, -2)), (0, (0, -1)), (3, (rank, 0))):
            values = {"self": tensor, "offset": offset}
            values |= dict(zip(("dim1", "dim2"), dims, strict=False))
            yield Sample(values, _note(tensor, f"offset {offset}, dims {dims}"))


def diagflat(draw: Draw) -> Iterator[Sample]:
    """Diagonals on both sides."""
    for tensor in _tensors(draw):
        if tensor.data.size < 500:
            for offset in (0, 2, -1):
                yield Sample({"self": tensor, "offset": offset}, _note(tensor, f"{offset}"))
    if draw.kind == "small":
        yield Sample({"self": draw.tensor((1, 1))}, "one element, which is its matrix already")


def flip_matrix(draw: Draw) -> Iterator[Sample]:
    """Matrices and stacks of them."""
    for tensor in _tensors(draw, 2):
        yield Sample({"self": tensor}, _note(tensor, "rows or columns"))


def rot90(draw: Draw) -> Iterator[Sample]:
    """No, one, two and three angles, both ways, in planes of every order."""
    for tensor in _tensors(draw, 2):
        for k in (1, 0, 2, 3, -1, 6, -(2**63)):
            for dims in ([0, 1], [1, 0], [-1, 0]) if k in (1, 2, 3) else ([0, -1],):
                values = {"self": tensor, "k": k, "dims": dims}
                yield Sample(values, _note(tensor, f"{k} in {dims}"))


def repeat_interleave(draw: Draw) -> Iterator[Sample]:
    """Once, several times, never; along each dim and along all elements."""
    for tensor in _tensors(draw):
        for repeats in (2, 1, 0, 3) if tensor.data.size < 2000 else ():
            yield Sample({"self": tensor, "repeats": repeats}, _note(tensor, f"{repeats}"))
            for dim in with_dim(len(tensor.shape)) if tensor.shape else ():
                values = {"self": tensor, "repeats": repeats, "dim": dim}
                yield Sample(values, _note(tensor, f"{repeats} along {dim}"))
    if draw.kind == "arguments":
        values = {"self": draw.tensor((2, 3)), "repeats": 2, "dim": 1, "output_size": 6}
        yield Sample(values, "size promised")


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


def diag_embed_dims(draw: Draw) -> Iterator[ErrorSample]:
    """A dim twice; a dim that isn't there."""
    values = {"self": draw.tensor((2, 3)), "dim1": 0, "dim2": -3}
    yield ErrorSample({**values, "offset": 0}, "RuntimeError", r"{op}: .*differ", note="twice")
    for dim in (3, -4):
        yield ErrorSample(
            {**values, "dim2": dim}, "IndexError", r"{op}: dimension out of range", note=f"{dim}"
        )


def flip_rank(draw: Draw) -> Iterator[ErrorSample]:
    """A dim that isn't there."""
    shape = (3,) if draw.spec.name == "fliplr" else ()
    pattern = rf"{{op}}: .*got self {re.escape(str(list(shape)))}"
    yield ErrorSample({"self": draw.tensor(shape)}, "RuntimeError", pattern)


def rot90_dims(draw: Draw) -> Iterator[ErrorSample]:
    """No plane: a vector, one dim or three, a dim twice, a dim that isn't there."""
    cases = (((3,), [0, 1]), ((2, 3), [0]), ((2, 3), [0, 1, 1]), ((2, 3), [0, -2]))
    for shape, dims in cases:
        values = {"self": draw.tensor(shape), "dims": dims}
        pattern = rf"{{op}}: .*got dims {re.escape(str(dims))}"
        yield ErrorSample(values, "RuntimeError", pattern, note=f"{shape}, {dims}")
    for dim in (2, -3):
        values = {"self": draw.tensor((2, 3)), "dims": [0, dim]}
        also = ("RuntimeError",)
        yield ErrorSample(values, "IndexError", "{op}: dimension out", note=f"{dim}", also=also)


def repeat_interleave_wrong(draw: Draw) -> Iterator[ErrorSample]:
    """A negative number; a promise that isn't kept; a dim that isn't there."""
    values = {"self": draw.tensor((2, 3)), "repeats": -1}
    yield ErrorSample(values, "RuntimeError", "{op}: repeats must not be negative; got -1")
    values = {"self": draw.tensor((2, 3)), "repeats": 2, "dim": 1, "output_size": 5}
    yield ErrorSample(values, "RuntimeError", "{op}: output_size must be .* 6; got 5")
    values = {"self": draw.tensor((2, 3)), "repeats": 2, "dim": 2}
    yield ErrorSample(values, "IndexError", "{op}: dimension out of range")
    values = {"self": draw.tensor(()), "repeats": 2, "dim": 0}
    yield ErrorSample(values, "IndexError", "{op}: .*no dim 0", note="no dims")


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
