"""Inputs of matrix products."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

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
    names = [argument.name for argument in draw.spec.args[:2]]
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


# Enough products to be split over threads, by rows and by columns; in bfloat16 with a rest.
_LARGE = ((300, 120, 64), (64, 120, 300))
_PIECES = ((200, 150, 150), (150, 150, 200))


def _large(draw: Draw) -> tuple[tuple[int, int, int], ...]:
    return (*_LARGE, *_PIECES) if draw.dtype == "bfloat16" else _LARGE


def _split(draw: Draw) -> Iterator[Sample]:
    """Products in pieces, and operands whose rows or columns do not adjoin."""
    for m, k, n in _large(draw):
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


def addmm(draw: Draw) -> Iterator[Sample]:
    """Products of matrices or batches, with what is added to them and both factors."""
    batch = (3,) if draw.spec.name == "baddbmm" else ()
    for m, k, n in _triples(draw):
        values = _added(draw, (*batch, m, n), (*batch, m, k), (*batch, k, n))
        yield Sample(values, f"[{m}, {k}] by [{k}, {n}]")
        yield Sample({**values, **_factors(draw)}, f"[{m}, {k}] by [{k}, {n}], with factors")
    if draw.kind == "broadcast":
        for shape in ((5,), (4, 1), (), (1, 5), (4, 5)):
            yield Sample(_added(draw, shape, (*batch, 4, 3), (*batch, 3, 5)), f"{shape} added")
    if draw.kind == "arguments":
        yield from _with_factors(draw, batch)
    if draw.kind == "sizes" and not batch:
        for m, k, n in (*_LARGE, (40, 50, 60)):
            added: dict[str, Any] = {**_added(draw, (n,), (m, k), (k, n)), **_factors(draw)}
            yield Sample(added, f"[{m}, {k}] by [{k}, {n}], a row added")
            yield Sample(added, "all transposed").mapped(transposed, "transposed")
    if draw.kind == "special" and draw.info.is_inexact:
        values = _added(draw, (*batch, 4, 5), (*batch, 4, 3), (*batch, 3, 5))
        nan = values["self"].replaced(np.full_like(values["self"].data, np.nan))
        yield Sample({**values, "self": nan, "beta": 0}, "a beta of 0 beside NaN")
        yield Sample({**values, "self": nan}, "NaN added")
    if draw.kind == "accuracy" and draw.info.is_inexact:
        yield Sample(_added(draw, (*batch, 40, 30), (*batch, 40, 600), (*batch, 600, 30)), "long")


def _added(draw: Draw, shape: Shape, first: Shape, second: Shape) -> dict[str, Tensor]:
    names = [argument.name for argument in draw.spec.args[:3]]
    return dict(zip(names, (draw.tensor(x) for x in (shape, first, second)), strict=True))


def _factors(draw: Draw) -> dict[str, object]:
    return {"beta": 0.5, "alpha": -1.5} if draw.info.is_inexact else {"beta": 2, "alpha": 3}


def _with_factors(draw: Draw, batch: Shape) -> Iterator[Sample]:
    numbers: list[tuple[object, object]] = [(0, 1), (1, 0), (0, 0), (2, 1), (1, 3)]
    if draw.info.kind != "unsigned":
        numbers += [(-1, 1), (1, -2)]
    if draw.info.is_inexact:
        numbers += [(0.75, 1), (1, 0.3), (-0.3, 1.7)]
    if draw.info.is_complex:
        numbers += [(1, 1j), (0.5 - 1j, 1)]
    for beta, alpha in numbers:
        for m, k, n in ((3, 4, 5), (13, 9, 12), (3, 0, 2)):
            values = _added(draw, (*batch, m, n), (*batch, m, k), (*batch, k, n))
            yield Sample({**values, "beta": beta, "alpha": alpha}, f"{beta} and {alpha}, k = {k}")


_LENGTHS = {"small": (1, 5), "sizes": (2, 7, 16, 33, 129, 1025), "shapes": (0, 1)}


def mv(draw: Draw) -> Iterator[Sample]:
    """A matrix by a vector."""
    for k in _LENGTHS.get(draw.kind, ()):
        for m in (1, 6, 40) if draw.kind != "shapes" else (0, 3):
            yield Sample(_pair(draw, (m, k), (k,)), f"[{m}, {k}] by [{k}]")
    if draw.kind == "accuracy" and draw.info.is_inexact:
        yield Sample(_pair(draw, (40, 600), (600,)), "600 terms")


def dot(draw: Draw) -> Iterator[Sample]:
    """Two vectors."""
    for k in _LENGTHS.get(draw.kind, ()):
        yield Sample(_pair(draw, (k,), (k,)), f"{k} terms")
    if draw.kind == "accuracy" and draw.info.is_inexact:
        yield Sample(_pair(draw, (3000,), (3000,)), "3000 terms")


def outer(draw: Draw) -> Iterator[Sample]:
    """Two vectors of any lengths."""
    for k in _LENGTHS.get(draw.kind, ()):
        yield Sample(_pair(draw, (k,), (3,)), f"{k} by 3")
        yield Sample(_pair(draw, (4,), (k,)), f"4 by {k}")


def kron(draw: Draw) -> Iterator[Sample]:
    """Equal and differing ranks."""
    shapes: dict[str, tuple[tuple[Shape, Shape], ...]] = {
        "small": (
            ((2, 3), (3, 2)), ((3,), (4,)), ((2, 1, 3), (2, 2)), ((2, 3), (1,)), ((1,), (5,)),
        ),
        "sizes": (((17, 3), (5, 33)), ((257,), (3,))),
        "shapes": (((), (3,)), ((2, 2), ()), ((), ()), ((0, 2), (2, 3)), ((1,), (2, 0, 1))),
    }  # fmt: skip
    for one, two in shapes.get(draw.kind, ()):
        values = {"self": draw.tensor(one), "other": draw.tensor(two)}
        yield Sample(values, f"{list(one)} and {list(two)}")
    if draw.kind == "promotion":
        for dtype in draw.spec.dtypes["cpu"]:
            values = {"self": draw.tensor((2, 3)), "other": draw.tensor((3,), "exact", dtype)}
            yield Sample(values, f"other {dtype}")


_INPUTS: tuple[tuple[Shape, Shape], ...] = (
    ((4,), (3, 4)),
    ((2, 3, 4), (5, 4)),
    ((2, 1, 3, 4), (1, 4)),
    ((3, 4), (4,)),
    ((4,), (4,)),
    ((0, 4), (3, 4)),
    ((2, 3, 0), (4, 0)),
    ((2, 4), (0, 4)),
)


def linear(draw: Draw) -> Iterator[Sample]:
    """Rows of several ranks, a weight that is a matrix or a vector, with bias and without."""
    for m, k, n in _triples(draw):
        yield from _with_bias(draw, (m, k), (n, k))
    if draw.kind in ("small", "shapes"):
        for first, second in _INPUTS:
            yield from _with_bias(draw, first, second)
    if draw.kind == "sizes":
        for m, k, n in _large(draw):
            yield from _with_bias(draw, (m, k), (n, k))
        sample = Sample({**_pair(draw, (2, 9, 10), (11, 10)), "bias": draw.tensor((11,))}, "rows")
        yield sample.mapped(stepped, "step 2")
        yield sample.mapped(transposed, "transposed")
    if draw.kind == "accuracy" and draw.info.is_inexact:
        yield from _with_bias(draw, (40, 600), (30, 600))
    if draw.kind == "special" and draw.info.is_floating:
        yield from _special_rows(draw)


def _with_bias(draw: Draw, first: Shape, second: Shape) -> Iterator[Sample]:
    values = _pair(draw, first, second)
    yield Sample(values, f"{first} with {second}")
    if len(second) > 1:
        note = f"{first} with {second} and bias"
        yield Sample({**values, "bias": draw.tensor(second[:1])}, note)


def _special_rows(draw: Draw) -> Iterator[Sample]:
    """What is not finite in one row, or in the bias, stays in its row or column."""
    for depth in (20, 21):
        values = {**_pair(draw, (9, depth), (11, depth), "positive"), "bias": draw.tensor((11,))}
        for value in (np.nan, np.inf):
            data = values["input"].data.copy()
            data[4, depth - 1] = value
            yield Sample({**values, "input": values["input"].replaced(data)}, f"{value} in a row")
            data = values["bias"].data.copy()
            data[3] = value
            yield Sample({**values, "bias": values["bias"].replaced(data)}, f"{value} in the bias")


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


_MISMATCHED: dict[str, tuple[Shape, Shape]] = {
    "bmm": ((2, 2, 3), (2, 4, 5)),
    "mv": ((2, 3), (4,)),
    "dot": ((3,), (4,)),
}
_OF_TWO_DTYPES: dict[str, tuple[Shape, Shape]] = {
    "bmm": ((2, 3, 4), (2, 4, 3)),
    "mv": ((3, 4), (4,)),
    "dot": ((4,), (4,)),
}


def inner_size_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Columns of the first differ from rows of the second."""
    first, second = _MISMATCHED.get(draw.spec.name, ((2, 3), (4, 5)))
    pattern = r"{op}: inner sizes must agree; got self \[.*3\] and \w+ \[.*4.*\]"
    yield ErrorSample(_pair(draw, first, second), "RuntimeError", pattern)


def inner_size_mismatch_added(draw: Draw) -> Iterator[ErrorSample]:
    """As for the product alone."""
    batch = (2,) if draw.spec.name == "baddbmm" else ()
    values = _added(draw, (*batch, 2, 5), (*batch, 2, 3), (*batch, 4, 5))
    pattern = r"{op}: inner sizes must agree; got .*3\].*\[.*4, 5\]"
    yield ErrorSample(values, "RuntimeError", pattern)
    values = _added(draw, (2,), (2,), (2, 3))
    yield ErrorSample(values, "RuntimeError", r"{op}: .*\[2\]", also=("IndexError",))


def added_shape(draw: Draw) -> Iterator[ErrorSample]:
    """What is added broadcasts to the product, never the other way."""
    batch = (2,) if draw.spec.name == "baddbmm" else ()
    for shape in ((4, 2), (7, 2, 3), (2, 2, 2, 3)):
        values = _added(draw, shape, (*batch, 2, 4), (*batch, 4, 3))
        yield ErrorSample(values, "RuntimeError", r"{op}: .*\[.*2, 3\]")


def added_dtypes(draw: Draw) -> Iterator[ErrorSample]:
    """All three operands have one dtype."""
    other = "float64" if draw.dtype != "float64" else "float32"
    batch = (2,) if draw.spec.name == "baddbmm" else ()
    values = _added(draw, (*batch, 2, 3), (*batch, 2, 4), (*batch, 4, 3))
    for name in list(values)[1:]:
        changed = {**values, name: draw.tensor(values[name].shape, dtype=other)}
        yield ErrorSample(changed, "RuntimeError", rf"{{op}}: .*{draw.dtype}.*{other}")


def factor_not_representable(draw: Draw) -> Iterator[ErrorSample]:
    """Factors are of the kind of the operands, and in their range."""
    batch = (2,) if draw.spec.name == "baddbmm" else ()
    values = _added(draw, (*batch, 2, 3), (*batch, 2, 4), (*batch, 4, 3))
    for name in ("beta", "alpha"):
        if draw.info.is_integral:
            yield ErrorSample({**values, name: 0.5}, "RuntimeError", rf"{{op}}: {name} must be")
            if draw.info.itemsize < 8:
                far = {**values, name: 2 ** (draw.info.bits + 1)}
                yield ErrorSample(far, "RuntimeError", rf"{{op}}: {name} must be")
        if not draw.info.is_complex:
            yield ErrorSample({**values, name: 1j}, "RuntimeError", rf"{{op}}: {name} must be")


def not_matrix_and_vector(draw: Draw) -> Iterator[ErrorSample]:
    """mv takes ranks 2 and 1."""
    for first, second in (((3,), (3,)), ((2, 3), (3, 1)), ((1, 2, 3), (3,)), ((2, 3), ())):
        yield ErrorSample(_pair(draw, first, second), "RuntimeError", r"mv: expected .*")


def not_vectors(draw: Draw) -> Iterator[ErrorSample]:
    """Two vectors and nothing else."""
    for first, second in (((3, 1), (3,)), ((3,), (1, 3)), ((), ()), ((3,), ())):
        yield ErrorSample(_pair(draw, first, second), "RuntimeError", r"{op}: expected two vectors")


def linear_sizes(draw: Draw) -> Iterator[ErrorSample]:
    """The last sizes of both agree; a weight has one or two dimensions."""
    yield ErrorSample(
        _pair(draw, (2, 3), (5, 4)), "RuntimeError", r"linear: inner sizes must agree"
    )
    yield ErrorSample(_pair(draw, (2, 3), (4, 5, 3)), "RuntimeError", r"linear: .*\[4, 5, 3\]")
    yield ErrorSample(_pair(draw, (), (3,)), "RuntimeError", r"linear: input needs a dimension")
    yield ErrorSample(_pair(draw, (3,), ()), "RuntimeError", r"linear: input needs a dimension")


def linear_bias(draw: Draw) -> Iterator[ErrorSample]:
    """One number for each row of the weight."""
    values = {**_pair(draw, (2, 3), (5, 3)), "bias": draw.tensor((4,))}
    yield ErrorSample(values, "RuntimeError", r"linear: bias must have .*\[5, 3\].*\[4\]")


def linear_dtypes(draw: Draw) -> Iterator[ErrorSample]:
    """Input, weight and bias have one dtype."""
    other = "float64" if draw.dtype != "float64" else "float32"
    values = {**_pair(draw, (2, 3), (5, 3)), "bias": draw.tensor((5,))}
    for name in ("weight", "bias"):
        changed = {**values, name: draw.tensor(values[name].shape, dtype=other)}
        yield ErrorSample(changed, "RuntimeError", rf"linear: .*{draw.dtype}.*{other}")


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
    shapes = _OF_TWO_DTYPES.get(draw.spec.name, ((3, 4), (4, 3)))
    values = _pair(draw, *shapes)
    name = list(values)[1]
    values[name] = draw.tensor(shapes[1], dtype=other)
    pattern = rf"{{op}}: .*{draw.dtype}.*{other}"
    yield ErrorSample(values, "RuntimeError", pattern)


def zero_dim_matmul(draw: Draw) -> Iterator[ErrorSample]:
    """A 0-dim operand has no product."""
    yield ErrorSample(_pair(draw, (), (3,)), "RuntimeError", r"matmul: .*")
