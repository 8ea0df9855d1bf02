"""Inputs of matrix products."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..layouts import padded, stepped, transposed
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor

Shape = tuple[int, ...]
_VECTORS: tuple[tuple[Shape, Shape], ...] = (
    ((4,), (4,)),
    ((4,), (4, 3)),
    ((3, 4), (4,)),
    ((3, 4), (4, 5)),
)
_BATCHES: tuple[tuple[Shape, Shape], ...] = (
    ((2, 3, 4), (4, 5)),
    ((3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((4,), (2, 4, 3)),
    ((2, 3, 4), (4,)),
    ((1, 3, 3), (3, 3, 3)),
    ((2, 2, 2), (2, 2)),
)
_EMPTY: tuple[tuple[Shape, Shape], ...] = (
    ((0,), (0,)),
    ((0, 2, 3), (3, 4)),
    ((2, 0), (0,)),
    ((1,), (1, 1)),
)
_SMALL = ((3, 4, 5), (1, 7, 2), (6, 1, 6))
_SIZES = (
    (1, 1, 1), (2, 3, 2), (7, 8, 9), (15, 16, 17), (31, 33, 32), (63, 65, 64), (64, 127, 65),
    (1, 300, 1), (129, 1, 130), (5, 1025, 3), (257, 17, 33),
)  # fmt: skip
_EDGES = ((0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0), (1, 1, 1))


def _triples(draw: Draw) -> Iterable[tuple[int, int, int]]:
    return {"small": _SMALL, "sizes": _SIZES, "shapes": _EDGES}.get(draw.kind, ())


def _pair(draw: Draw, first: Shape, second: Shape, domain: str = "any") -> dict[str, Tensor]:
    names = [argument.name for argument in draw.spec.args]
    return {
        names[0]: draw.tensor(first, domain),
        names[1]: draw.tensor(second, domain),
    }


def mm(draw: Draw) -> Iterator[Sample]:
    """Two matrices."""
    for m, k, n in _triples(draw):
        yield Sample(_pair(draw, (m, k), (k, n)), f"[{m}, {k}] by [{k}, {n}]")
    yield from _hard(draw, ())
    if draw.kind == "sizes":
        yield from _split(draw)


# Enough products to be split over threads, by rows and by columns.
_LARGE = ((300, 120, 64), (64, 120, 300))


def _split(draw: Draw) -> Iterator[Sample]:
    """Products in pieces, and operands whose rows or columns do not adjoin."""
    for m, k, n in _LARGE:
        values = _pair(draw, (m, k), (k, n))
        yield Sample(values, f"[{m}, {k}] by [{k}, {n}]")
        yield Sample(values, f"[{m}, {k}] by [{k}, {n}]").mapped(transposed, "transposed")
    for m, k, n in ((20, 2, 20), (200, 200, 3)):
        values = _pair(draw, (m, k), (k, n))
        yield Sample(values, f"[{m}, {k}] by [{k}, {n}]").mapped(stepped, "step 2")
    for first in (None, stepped, transposed, padded):
        for second in (None, stepped, transposed, padded):
            pair = _pair(draw, (9, 10), (10, 11))
            values = {
                name: change(tensor) if change else tensor
                for (name, tensor), change in zip(pair.items(), (first, second), strict=True)
            }
            layouts = [change.__name__ if change else "contiguous" for change in (first, second)]
            yield Sample(values, f"{layouts[0]} by {layouts[1]}")


def bmm(draw: Draw) -> Iterator[Sample]:
    """Two batches of matrices."""
    for m, k, n in _triples(draw):
        for batch in (1, 3) if draw.kind != "shapes" else (0, 2):
            values = _pair(draw, (batch, m, k), (batch, k, n))
            yield Sample(values, f"{batch} of [{m}, {k}] by [{k}, {n}]")
    yield from _hard(draw, (2,))


def matmul(draw: Draw) -> Iterator[Sample]:
    """Vectors, matrices and broadcast batches."""
    if draw.kind == "small":
        for first, second in _VECTORS:
            yield Sample(_pair(draw, first, second), f"{first} by {second}")
        yield Sample(_pair(draw, (2, 3, 4), (2, 4, 5)), "batches")
    elif draw.kind == "broadcast":
        for first, second in _BATCHES:
            yield Sample(_pair(draw, first, second), f"{first} by {second}")
    elif draw.kind == "shapes":
        for first, second in _EMPTY:
            yield Sample(_pair(draw, first, second), f"{first} by {second}")
        yield from mm(draw)
    else:
        yield from mm(draw)


def _hard(draw: Draw, batch: Shape) -> Iterator[Sample]:
    info = draw.info
    if draw.kind == "accuracy" and info.is_inexact:
        for domain in ("any", "positive", "offset"):
            if domain != "offset" or info.itemsize > 2:
                values = _pair(draw, (*batch, 40, 600), (*batch, 600, 30), domain)
                yield Sample(values, f"600 terms, {domain}")
        if info.itemsize // (1 + info.is_complex) > 2:
            yield from _scaled(draw, batch)
    if draw.kind == "dtype" and info.is_integral:
        yield Sample(_pair(draw, (*batch, 4, 9), (*batch, 9, 4), "wide"), "whole range")
    if draw.kind == "special" and info.is_floating:
        yield from _special(draw, batch)


def _scaled(draw: Draw, batch: Shape) -> Iterator[Sample]:
    """Operands that are large or small throughout, their products neither, or all below the
    smallest number; in double precision far products too."""
    scales = [(1e30, 1e-30), (1e-30, 1e30), (1e15, 1e15), (1e-15, 1e-15), (1e-30, 1e-30)]
    if draw.info.real_name == "float64":
        scales += [(1e30, 1e30), (1e150, 1e-150)]
    for one, two in scales:
        values = _pair(draw, (*batch, 9, 70), (*batch, 70, 11))
        scaled = {
            name: tensor.replaced((tensor.data * scale).astype(tensor.data.dtype))
            for (name, tensor), scale in zip(values.items(), (one, two), strict=True)
        }
        yield Sample(scaled, f"scales {one:g} by {two:g}")


def _special(draw: Draw, batch: Shape) -> Iterator[Sample]:
    """NaN and infinity reach exactly the rows and columns that they enter."""
    for note, value in (("NaN", np.nan), ("infinity", np.inf), ("negative infinity", -np.inf)):
        values = _pair(draw, (*batch, 9, 20), (*batch, 20, 11), "positive")
        name = next(iter(values))
        data = values[name].data.copy()
        data[..., 4, 17] = value
        yield Sample({**values, name: values[name].replaced(data)}, f"{note} in one row")
    values = _pair(draw, (*batch, 3, 5), (*batch, 5, 3), "positive")
    first, second = values
    zeros = np.zeros_like(values[second].data)
    data = values[first].data.copy()
    data[..., 0, 0] = np.inf
    changed = {first: values[first].replaced(data), second: values[second].replaced(zeros)}
    yield Sample(changed, "infinity by zero")


# Errors.


def inner_size_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Columns of the first differ from rows of the second."""
    batch = (2,) if draw.spec.name == "bmm" else ()
    values = _pair(draw, (*batch, 2, 3), (*batch, 4, 5))
    pattern = r"{op}: inner sizes must agree; got self \[.*2, 3\] and \w+ \[.*4, 5\]"
    yield ErrorSample(values, "RuntimeError", pattern)


def not_a_matrix(draw: Draw) -> Iterator[ErrorSample]:
    """mm takes rank 2 only."""
    yield ErrorSample(_pair(draw, (3,), (3, 2)), "RuntimeError", r"mm: .*\[3\]")


def not_a_batch(draw: Draw) -> Iterator[ErrorSample]:
    """bmm takes rank 3 only, with one batch size."""
    yield ErrorSample(_pair(draw, (2, 3), (3, 2)), "RuntimeError", r"bmm: .*\[2, 3\]")
    values = _pair(draw, (2, 3, 4), (3, 4, 2))
    yield ErrorSample(values, "RuntimeError", r"bmm: .*\[2, 3, 4\].*\[3, 4, 2\]")
    values = _pair(draw, (2, 3, 4, 5), (2, 4, 6))
    yield ErrorSample(values, "RuntimeError", r"bmm: .*\[2, 3, 4, 5\]")


def dtypes_differ(draw: Draw) -> Iterator[ErrorSample]:
    """Products don't promote."""
    other = "float64" if draw.dtype != "float64" else "float32"
    shapes = ((2, 3, 4), (2, 4, 3)) if draw.spec.name == "bmm" else ((3, 4), (4, 3))
    values = _pair(draw, *shapes)
    name = list(values)[1]
    values[name] = draw.tensor(shapes[1], dtype=other)
    pattern = rf"{{op}}: .*{draw.dtype}.*{other}"
    yield ErrorSample(values, "RuntimeError", pattern)


def zero_dim_matmul(draw: Draw) -> Iterator[ErrorSample]:
    """A 0-dim operand has no product."""
    yield ErrorSample(_pair(draw, (), (3,)), "RuntimeError", r"matmul: .*")
