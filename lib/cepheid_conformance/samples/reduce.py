"""Inputs of the reductions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, DType, round_to
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import (
    LINE_SIZES,
    ODD_SHAPES,
    SMALL_SHAPES,
    dim_out_of_range,
    special_tensor,
    special_values,
    with_dim,
)

__all__ = ["dim_out_of_range"]

# Outputs longer than 1,024, rank 3, and lines across tile edges.
_FOLDED = (
    ((33, 129), (0, 1)),
    ((70, 257), (0, 1)),
    ((1500, 3), (0, 1)),
    ((3, 1500), (0, 1)),
    ((5, 33, 7), (0, 1, 2)),
    ((2, 4097), (1,)),
    ((4097, 2), (0, 1)),
    ((66_000, 1), (1,)),
)


def _lines(draw: Draw) -> tuple[tuple[int, ...], ...]:
    if draw.kind == "small":
        return SMALL_SHAPES
    if draw.kind == "sizes":
        return (*tuple((size,) for size in LINE_SIZES), (33, 129), (5, 33, 7))
    return ODD_SHAPES if draw.kind == "shapes" else ()


def _hard_values(draw: Draw) -> Iterator[tuple[Tensor, str]]:
    """Tensors for the special, accuracy and dtype classes."""
    info = draw.info
    if draw.kind == "special":
        if not info.is_complex:
            yield Tensor(draw.dtype, special_values(info)[::-1].copy()), "special values"
        if info.is_floating:
            yield from _with_special(draw)
    if draw.kind == "accuracy" and info.is_inexact:
        for domain in ("any", "positive", "offset"):
            if domain != "offset" or info.itemsize > 2:
                yield draw.tensor((30, 1000), domain), f"30,000 values, {domain}"
        part = DTYPES[info.real_name]
        for power in (-30, 30) if part.itemsize > 2 else ():
            scale = 10.0 ** (power if part.itemsize == 4 else 5 * power)
            data = draw.tensor((3, 100)).data * np.asarray(scale, info.carrier)
            yield Tensor(draw.dtype, data), f"values about {scale:g}"
    if draw.kind == "dtype" and info.is_integral:
        yield draw.tensor((7, 30), "wide"), "the whole range of the dtype"


def _with_special(draw: Draw) -> Iterator[tuple[Tensor, str]]:
    """One or two special values among ordinary ones, in the body and in the tail."""
    plain = draw.tensor((4, 37)).data
    for note, marks in (
        ("NaN early", {(1, 2): math.nan}),
        ("NaN last", {(3, 36): math.nan}),
        ("infinity", {(0, 20): math.inf}),
        ("both infinities in one row", {(2, 3): math.inf, (2, 30): -math.inf}),
        ("NaN after infinity", {(2, 3): math.inf, (2, 30): math.nan}),
        ("two NaN in one row", {(1, 2): math.nan, (1, 30): math.nan}),
        ("negative infinity", {(0, 0): -math.inf, (3, 0): -math.inf}),
    ):
        data = plain.copy()
        for place, value in marks.items():
            data[place] = value
        yield Tensor(draw.dtype, data), note
    yield Tensor(draw.dtype, np.full((3, 19), -math.inf, plain.dtype)), "all negative infinity"
    grid = np.array([[-3, 0, -1], [0, 1, 3], [-3, -1, -2]]) * draw.info.smallest
    yield Tensor(draw.dtype, grid.astype(plain.dtype)), "subnormal numbers only"
    yield Tensor(draw.dtype, np.full((2, 17), -0.0, plain.dtype)), "all negative zero"


def _ties(draw: Draw) -> Iterator[Sample]:
    if draw.kind == "ties":
        yield Sample({"self": Tensor(draw.dtype, np.ones(70, draw.info.carrier))}, "all equal")
        values = draw.tensor((300,), "small").data
        yield Sample({"self": Tensor(draw.dtype, values)}, "few distinct values")


def _single_truths(draw: Draw) -> Iterator[Tensor]:
    """Lines of zeros with one other element: the last, or one that is hardly told from zero; and
    lines of ones that end in a zero."""
    if draw.kind == "sizes":
        for size in LINE_SIZES:
            for most in (0, 1):
                data = np.full(size, most, draw.info.carrier)
                data[-1] = 1 - most
                yield Tensor(draw.dtype, data)
    if draw.kind == "special" and draw.info.is_inexact:
        strange = [math.nan, draw.info.smallest] if draw.info.is_floating else [1j, math.nan]
        for value in strange:
            data = np.zeros(19, draw.info.carrier)
            data[4] = value
            yield Tensor(draw.dtype, data)


def reduce_all_nonempty(draw: Draw) -> Iterator[Sample]:
    """Everything folded, where there is something."""
    yield from (sample for sample in reduce_all_plain(draw) if sample.values["self"].data.size)


def reduce_all_plain(draw: Draw) -> Iterator[Sample]:
    """Everything folded to one value."""
    if draw.spec.name in ("any", "all"):
        for line in _single_truths(draw):
            yield Sample({"self": line}, f"one of {line.shape[0]}")
    for shape in _lines(draw):
        yield Sample({"self": draw.tensor(shape)}, f"shape {list(shape)}")
    for tensor, note in _hard_values(draw):
        yield Sample({"self": tensor}, note)
    if draw.kind in ("small", "special"):
        zeros = Tensor(draw.dtype, np.zeros(70, draw.info.carrier))
        yield Sample({"self": zeros}, "all zero")


def reduce_all(draw: Draw) -> Iterator[Sample]:
    """Everything folded to one value, with the dtype of the result."""
    yield from reduce_all_plain(draw)
    if draw.kind == "arguments":
        for dtype in result_dtypes(draw):
            yield Sample({"self": draw.tensor((9,), "exact"), "dtype": dtype}, f"dtype {dtype}")


def result_dtypes(draw: Draw) -> list[str]:
    """Dtypes that hold small integers and what self can turn into without loss of kind."""
    if draw.info.is_complex:
        return ["complex64", "complex128"]
    names = ["float32", "float64", "bfloat16"]
    if draw.spec.name != "nansum":
        names.append("complex64")
    if not draw.info.is_inexact and draw.spec.name != "mean":
        names += ["int32", "uint8", "int64"]
    return names


def reduce_dims(draw: Draw) -> Iterator[Sample]:
    """Dims folded one by one, in pairs, all."""
    yield from _reduce_dims(draw, empty=True)
    if draw.kind == "arguments":
        for dtype in result_dtypes(draw):
            values = {"self": draw.tensor((3, 4), "exact"), "dim": [1], "dtype": dtype}
            yield Sample(values, f"dtype {dtype}")
        if draw.spec.name == "sum" and draw.dtype in ("float32", "float64", "int32", "int64"):
            data = np.array([[-1, 1 + 1 / 1024], [-256, 257]]).astype(draw.info.carrier)
            values = {"self": Tensor(draw.dtype, data), "dim": [1], "dtype": "bfloat16"}
            yield Sample(values, "terms are rounded to the dtype")


def reduce_dims_plain(draw: Draw) -> Iterator[Sample]:
    """The same without a dtype, also with None for all dims."""
    yield from _reduce_dims(draw, empty=True)
    for line in _single_truths(draw):
        yield Sample({"self": line, "dim": [0]}, f"one of {line.shape[0]}")
    if draw.kind == "arguments":
        for keepdim in (False, True):
            values = {"self": draw.tensor((3, 4)), "dim": None, "keepdim": keepdim}
            yield Sample(values, f"dim None, keepdim {keepdim}")


def reduce_dims_nonempty(draw: Draw) -> Iterator[Sample]:
    """The same for reductions without a value for nothing."""
    yield from _reduce_dims(draw, empty=False)


def reduce_dims_all(draw: Draw) -> Iterator[Sample]:
    """The same where nothing may be folded; no dtype."""
    yield from _reduce_dims(draw, empty=True)


def _reduce_dims(draw: Draw, empty: bool) -> Iterator[Sample]:
    kind = draw.kind
    shapes = SMALL_SHAPES if kind == "small" else ODD_SHAPES if kind == "shapes" else ()
    for shape in shapes:
        for dim in _dim_lists(len(shape), every=kind == "shapes"):
            if empty or _folds_something(shape, dim):
                values = {"self": draw.tensor(shape), "dim": dim}
                yield Sample(values, f"shape {list(shape)}, dim {dim}")
    if kind == "sizes":
        for size in LINE_SIZES:
            yield Sample({"self": draw.tensor((size,)), "dim": [0]}, f"{size} elements")
        for shape, dims in _FOLDED:
            for axis in dims:
                values = {"self": draw.tensor(shape), "dim": [axis]}
                yield Sample(values, f"shape {list(shape)}, dim {axis}")
        yield Sample({"self": draw.tensor((5, 33, 7)), "dim": [0, 2]}, "outer dims of rank 3")
    for tensor, note in _hard_values(draw):
        for dim in [[0]] if tensor.data.ndim == 1 else [[0], [1], [0, 1]]:
            yield Sample({"self": tensor, "dim": dim}, f"{note}, dim {dim}")
    if kind == "arguments":
        for dim in ([0], [-1], [0, 1]):
            values = {"self": draw.tensor((3, 4)), "dim": dim, "keepdim": True}
            yield Sample(values, f"keepdim, dim {dim}")


def _dim_lists(rank: int, every: bool) -> list[list[int]]:
    singles = [[dim] for dim in with_dim(rank)] if every else [[dim] for dim in range(rank)]
    pairs = [[0, rank - 1]] if rank > 1 else []
    return [*singles, *pairs, list(range(rank)), []]


def _folds_something(shape: tuple[int, ...], dim: list[int]) -> bool:
    axes = dim or range(len(shape))
    return not shape or all(shape[axis] for axis in axes)


def reduce_one(draw: Draw) -> Iterator[Sample]:
    """One dim or all, where something is folded."""
    yield from (sample for sample in _one_dim(draw, whole=True) if _foldable(sample))
    yield from _ties(draw)
    if draw.kind == "ties":
        values = {"self": draw.tensor((20, 9), "small"), "dim": 0}
        yield Sample(values, "few distinct values, dim 0")
    if draw.kind == "sizes":
        for size in (1025, 40_961):  # the first of a block of 1024, and beyond 16 bits
            data = np.zeros(size, draw.info.carrier)
            data[-1] = 1
            yield Sample({"self": Tensor(draw.dtype, data)}, f"the last of {size} is the largest")


def _foldable(sample: Sample) -> bool:
    shape, dim = sample.values["self"].shape, sample.values.get("dim")
    return _folds_something(shape, [] if dim is None else [dim])


def reduce_dim_nonempty(draw: Draw) -> Iterator[Sample]:
    """One dim that holds something."""
    yield from (sample for sample in reduce_one(draw) if "dim" in sample.values)


def product_all(draw: Draw) -> Iterator[Sample]:
    """Everything multiplied, with the dtype of the result."""
    for sample in reduce_all(draw):
        yield with_factors(draw, sample)


def product_dim(draw: Draw) -> Iterator[Sample]:
    """One dim multiplied, with the dtype of the result."""
    for sample in reduce_int(draw):
        yield with_factors(draw, sample)
    if draw.kind == "arguments":
        for dtype in result_dtypes(draw):
            values = {"self": draw.tensor((3, 4), "exact"), "dim": 1, "dtype": dtype}
            yield Sample(values, f"dtype {dtype}")


def with_factors(draw: Draw, sample: Sample) -> Sample:
    """The sample with factors near 1, whose products neither overflow nor vanish on the way."""
    tensor = sample.values["self"]
    if not draw.info.is_inexact or draw.kind == "arguments":
        return sample
    size = np.abs(tensor.data)
    with np.errstate(all="ignore"):
        near = np.where(size > 0, tensor.data / size * np.exp2(size % 0.25 - 0.125), 1)
        ordinary = size < (2000 if draw.kind == "special" else np.inf)
        count = max(tensor.data.size, 1)
        near = near if count < 300 else np.where(draw.rng.random(near.shape) < 300 / count, near, 1)
        data = np.where(np.isfinite(tensor.data) & ordinary, near, tensor.data)
    return Sample(
        {**sample.values, "self": tensor.replaced(round_to_dtype(data, draw.info))}, sample.note
    )


def round_to_dtype(data: Array, info: DType) -> Array:
    """Carrier values of a floating or complex dtype."""
    if info.is_complex:
        return data.astype(info.carrier)
    return round_to(data, info)


def count_dim(draw: Draw) -> Iterator[Sample]:
    """One dim or all."""
    for sample in _one_dim(draw, whole=True):
        if "keepdim" not in sample.values:
            yield sample


def count_dims(draw: Draw) -> Iterator[Sample]:
    """Dims counted over."""
    for sample in _reduce_dims(draw, empty=True):
        if "keepdim" not in sample.values:
            yield sample
    if draw.kind == "arguments":
        yield Sample({"self": draw.tensor((3, 4)), "dim": [0]}, "dim 0")


def reduce_int(draw: Draw) -> Iterator[Sample]:
    """One dim, which may be empty."""
    yield from _one_dim(draw, whole=False)
    for line in _single_truths(draw):
        yield Sample({"self": line, "dim": 0}, f"one of {line.shape[0]}")


def _one_dim(draw: Draw, whole: bool) -> Iterator[Sample]:
    for sample in _reduce_dims(draw, empty=True):
        dim = sample.values["dim"]
        if len(dim) == 1:
            yield Sample({**sample.values, "dim": dim[0]}, sample.note)
        elif not dim and whole:
            values = {name: value for name, value in sample.values.items() if name != "dim"}
            yield Sample(values, sample.note)


def _nearly_equal(draw: Draw) -> Iterator[Sample]:
    """Lines that differ in one element, by as little as can be."""
    info = DTYPES[draw.info.real_name] if draw.info.is_complex else draw.info
    pairs: list[tuple[Any, Any]] = [(0, info.smallest), (1, 1 + info.eps)]
    pairs += [(math.inf, info.max_value)] if info.has_infinity else []
    pairs += [(1, 1 + 1j)] if draw.info.is_complex else []
    for pair in pairs:
        one, two = (np.full(9, 2, draw.info.carrier) for _ in pair)
        one[5], two[5] = pair
        values = {"self": Tensor(draw.dtype, one), "other": Tensor(draw.dtype, two)}
        yield Sample(values, f"{pair[0]} and {pair[1]}")


def equal(draw: Draw) -> Iterator[Sample]:
    """Equal, differing in one place, differing in shape."""
    shapes = SMALL_SHAPES if draw.kind == "small" else ODD_SHAPES if draw.kind == "shapes" else ()
    if draw.kind == "sizes":
        shapes = tuple((size,) for size in LINE_SIZES)
    if draw.kind == "special" and draw.info.is_inexact:
        yield from _nearly_equal(draw)
    for shape in shapes:
        one = draw.tensor(shape)
        yield Sample({"self": one, "other": one.replaced(one.data.copy())}, f"equal {shape}")
        if one.data.size:
            data = one.data.copy()
            data.flat[-1] = data.flat[-1] == 0
            yield Sample({"self": one, "other": one.replaced(data)}, f"last differs {shape}")
    if draw.kind == "shapes":
        yield Sample({"self": draw.tensor((2, 1)), "other": draw.tensor((1, 2))}, "other shape")
    if draw.kind == "special" and draw.info.is_inexact:
        one = special_tensor(draw.info)
        yield Sample({"self": one, "other": one.replaced(one.data.copy())}, "NaN among them")
        zeros = np.zeros(5, draw.info.carrier)
        values = {"self": Tensor(draw.dtype, zeros), "other": Tensor(draw.dtype, -zeros)}
        yield Sample(values, "zeros of both signs")


def spread_all(draw: Draw) -> Iterator[Sample]:
    """The variance of everything."""
    yield from reduce_all_plain(draw)
    for sample in _far_apart(draw):
        yield Sample({"self": sample.values["self"]}, sample.note)
    if draw.kind == "arguments":
        for unbiased in (True, False):
            yield Sample({"self": draw.tensor((9,)), "unbiased": unbiased}, f"{unbiased=}")


def spread_unbiased(draw: Draw) -> Iterator[Sample]:
    """The variance over dims, unbiased or not."""
    yield from _reduce_dims(draw, empty=True)
    yield from _far_apart(draw)
    if draw.kind == "arguments":
        for unbiased in (True, False):
            for dim in ([0], None):
                values = {"self": draw.tensor((3, 4)), "dim": dim, "unbiased": unbiased}
                yield Sample({**values, "keepdim": True}, f"{unbiased=}, dim {dim}, keepdim")
                yield Sample(values, f"{unbiased=}, dim {dim}")


def spread(draw: Draw) -> Iterator[Sample]:
    """The variance over dims with any correction: without one the call is one of the overload with
    `unbiased`."""
    for number, sample in enumerate([*_reduce_dims(draw, empty=True), *_far_apart(draw)]):
        taken_off = 1 if draw.kind != "small" else number % 2
        values = {**sample.values, "correction": taken_off}
        yield Sample(draw.spec.in_order(values), f"{sample.note}, correction {taken_off}")
    if draw.kind == "arguments":
        for correction in (0, 1, 2, 0.5, -1, 4, 5, None):
            for dim in ([1], None):
                values = {"self": draw.tensor((3, 4)), "dim": dim, "correction": correction}
                yield Sample(values, f"correction {correction}, dim {dim}")


def _far_apart(draw: Draw) -> Iterator[Sample]:
    """The same, and two numbers whose deviation is beyond the range of their dtype."""
    yield from _far_from_one(draw)
    if draw.kind == "special" and draw.info.is_floating:
        ends = np.array([[draw.info.max_value, -draw.info.max_value]], draw.info.carrier)
        yield Sample({"self": Tensor(draw.dtype, ends), "dim": [1]}, "both ends of the range")


def _far_from_one(draw: Draw) -> Iterator[Sample]:
    """Numbers whose squares leave the range of their dtype, or are subnormal; and only zeros beside
    them, and beside one of them that comes first."""
    if draw.kind != "special" or not draw.info.is_floating:
        return
    top = math.log10(draw.info.max_value)
    for power in (0.8 * top, -0.8 * top, -0.516 * top):
        data = draw.tensor((3, 70)).data.astype(np.float64) * 10.0**power
        data[1] = data[2, 1:] = 0
        values = {"self": Tensor(draw.dtype, round_to(data, draw.info)), "dim": [1]}
        yield Sample(values, f"values about 1e{power:.0f}")


ORDERS = (0, 1, 2, 3, 0.5, -1, -2.5, math.inf, -math.inf)


def vector_norm(draw: Draw) -> Iterator[Sample]:
    """Norms of every kind over dims."""
    for order in ORDERS if draw.kind != "sizes" else (2, 1, 3, 0, math.inf, -math.inf):
        filled = order < 0 or order == math.inf
        samples = [*_reduce_dims(draw, empty=not filled), *_far_from_one(draw)]
        for sample in samples[:: 1 if order in (1, 2) else 3]:
            values = {"self": sample.values["self"], "ord": order}
            values |= {name: value for name, value in sample.values.items() if name != "self"}
            yield Sample(values, f"{sample.note}, ord {order}")
    if draw.kind == "arguments":
        wider = ["complex64", "complex128"] if draw.info.is_complex else ["float32", "float64"]
        for dtype in wider if draw.info.itemsize < DTYPES[wider[1]].itemsize else wider[1:]:
            values = {"self": draw.tensor((3, 4)), "dim": [1], "dtype": dtype}
            yield Sample(values, f"dtype {dtype}")
        yield Sample({"self": draw.tensor((3, 4))}, "all dims")


# Errors.


def trace_rank(draw: Draw) -> Iterator[ErrorSample]:
    """No matrix."""
    for shape in ((3,), (2, 2, 2)):
        yield ErrorSample({"self": draw.tensor(shape)}, "RuntimeError", "{op}: .*matrix; got self")


def dim_repeated(draw: Draw) -> Iterator[ErrorSample]:
    """A dim named twice, also through its negative."""
    for dim in ([0, 0], [1, -1]):
        yield ErrorSample(
            {"self": draw.tensor((2, 3)), "dim": dim}, "RuntimeError", r"{op}: .*dim.*"
        )


def mean_of_integers(draw: Draw) -> Iterator[ErrorSample]:
    """The mean of integers has no integer dtype."""
    values: dict[str, Any] = {"self": draw.tensor((3,), dtype="int64")}
    if draw.spec.overload:
        values["dim"] = [0]
    yield ErrorSample(values, "RuntimeError", r"mean: .*int64")


def reduce_empty(draw: Draw) -> Iterator[ErrorSample]:
    """Nothing has no largest element: a named dim is at fault, or that none was named."""
    values: dict[str, Any] = {"self": draw.tensor((2, 0))}
    if draw.spec.name in ("amax", "amin"):
        for dim in ([1], [0, -1]):
            yield ErrorSample({**values, "dim": dim}, "IndexError", r"{op}: .*dim 1", note=f"{dim}")
        yield ErrorSample({**values, "dim": []}, "RuntimeError", r"{op}: .*", note="dim []")
        yield ErrorSample(values, "RuntimeError", r"{op}: .*")
        return
    if len(draw.spec.args) == 1:  # max and min of everything
        yield ErrorSample(values, "RuntimeError", r"{op}: .*")
        return
    required = draw.spec.key in ("max.dim", "min.dim")
    for rest in ({"dim": 1},) if required else ({}, {"dim": 1}):
        also = () if rest else ("RuntimeError",)
        yield ErrorSample({**values, **rest}, "IndexError", r"{op}: .*", note=f"{rest}", also=also)


def complex_unordered_reduce(draw: Draw) -> Iterator[ErrorSample]:
    """Complex numbers have no largest."""
    values: dict[str, Any] = {"self": draw.tensor((3,), dtype="complex64")}
    if draw.spec.key in ("max.dim", "min.dim"):
        values["dim"] = 0
    error = "RuntimeError"
    yield ErrorSample(values, error, r"{op}: .*complex64", also=("NotImplementedError",))


def spread_of_integers(draw: Draw) -> Iterator[ErrorSample]:
    """The variance of integers has no integer dtype."""
    values: dict[str, Any] = {"self": draw.tensor((3,), dtype="int64")}
    if draw.spec.overload == "dim":
        values["dim"] = [0]
    yield ErrorSample(values, "RuntimeError", r"(var|std).*int64")


def complex_correction(draw: Draw) -> Iterator[ErrorSample]:
    """A correction is real."""
    values = {"self": draw.tensor((3,)), "dim": [0], "correction": 1j}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*")


def norm_of_integers(draw: Draw) -> Iterator[ErrorSample]:
    """Norms are of floating and complex numbers, and of real orders."""
    values: dict[str, Any] = {"self": draw.tensor((3,), dtype="int64")}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*int64")
    yield ErrorSample({"self": draw.tensor((3,)), "ord": 1j}, "RuntimeError", r"{op}: .*ord")


def norm_of_nothing(draw: Draw) -> Iterator[ErrorSample]:
    """Some norms have no value for no elements."""
    for order in (math.inf, -math.inf, -1):
        for dim in ([1], [-1, 0], None):
            values = {"self": draw.tensor((2, 0)), "ord": order, "dim": dim}
            note = f"ord {order}, dim {dim}"
            yield ErrorSample(values, "RuntimeError", r"{op}: .*order", note=note)


def norm_dtype(draw: Draw) -> Iterator[ErrorSample]:
    """The dtype is of the input's kind and not narrower."""
    for given, dtype in (
        ("float64", "float32"),
        ("float32", "complex64"),
        ("complex64", "float32"),
        ("float32", "int64"),
    ):
        values = {"self": draw.tensor((3,), dtype=given), "dtype": dtype}
        yield ErrorSample(values, "RuntimeError", r"{op}: .*dtype", note=f"{given} as {dtype}")
