"""Inputs of softmax and layer_norm; those of the other norms are in norm_channels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import round_to
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import LINE_SIZES, ODD_SHAPES, SMALL_SHAPES, dim_out_of_range, with_dim
from .norm_channels import (
    batch_norm,
    channel_weight_shape,
    dim_out_of_range_of_one,
    group_norm,
    group_number,
    normalize,
    one_value_per_channel,
    one_value_per_group,
    running_missing,
    running_shape,
)
from .reduce import dim_repeated, reduce_dims_all

__all__ = [
    "batch_norm",
    "channel_weight_shape",
    "dim_out_of_range",
    "dim_out_of_range_of_one",
    "dim_repeated",
    "group_norm",
    "group_number",
    "normalize",
    "one_value_per_channel",
    "one_value_per_group",
    "running_missing",
    "running_shape",
]


def softmax(draw: Draw) -> Iterator[Sample]:
    """Each dim; large magnitudes that overflow without the shift by the maximum."""
    if draw.kind == "small":
        for shape in SMALL_SHAPES:
            for dim in range(len(shape)):
                yield Sample({"self": draw.tensor(shape), "dim": dim}, f"{shape}, dim {dim}")
    if draw.kind == "sizes":
        for size in LINE_SIZES:
            yield Sample({"self": draw.tensor((size,)), "dim": 0}, f"{size} elements")
        for shape in ((33, 129), (1500, 3), (5, 33, 7), (3, 1023)):
            for dim in range(len(shape)):
                yield Sample({"self": draw.tensor(shape), "dim": dim}, f"{shape}, dim {dim}")
    if draw.kind == "shapes":
        for shape in ODD_SHAPES:
            for dim in with_dim(len(shape)):
                yield Sample({"self": draw.tensor(shape), "dim": dim}, f"{shape}, dim {dim}")
    if draw.kind == "arguments":
        for dtype in ("float32", "float64"):
            values = {"self": draw.tensor((3, 5)), "dim": 1, "dtype": dtype}
            yield Sample(values, f"dtype {dtype}")
        for dtype in ("float16", "bfloat16"):  # which round what they are given first
            line = Tensor(draw.dtype, _rounded(draw, np.array([100.3, 100.9, 99.7])))
            yield Sample({"self": line, "dim": 0, "dtype": dtype}, f"near 100, dtype {dtype}")
    yield from _hard_softmax(draw)


def logsumexp(draw: Draw) -> Iterator[Sample]:
    """Over dims; infinities and NaN, large magnitudes."""
    for sample in reduce_dims_all(draw):
        if sample.values["dim"]:  # no dims may mean none or all
            yield sample
    if draw.info.is_floating:
        for sample in _hard_softmax(draw):
            yield Sample({**sample.values, "dim": [sample.values["dim"]]}, sample.note)


def _hard_softmax(draw: Draw) -> Iterator[Sample]:
    if draw.kind == "accuracy":
        for scale in (1.0, 20.0, *_scales(draw)):
            tensor = draw.tensor((30, 200))
            data = tensor.data.astype(np.float64) * scale
            scaled = Tensor(draw.dtype, _rounded(draw, data))
            yield Sample({"self": scaled, "dim": 1}, f"scale {scale:g}")
    if draw.kind == "special":
        base = draw.tensor((5, 37)).data
        for note, value in (("NaN", np.nan), ("infinity", np.inf), ("-infinity", -np.inf)):
            data = base.copy()
            data[1, 3] = value
            yield Sample({"self": Tensor(draw.dtype, data), "dim": 1}, note)
        data = base.copy()
        data[2, :] = -np.inf
        yield Sample({"self": Tensor(draw.dtype, data), "dim": 1}, "a row of -infinity")
        large = _rounded(draw, np.linspace(-1e4, 1e4, 40))
        yield Sample({"self": Tensor(draw.dtype, large), "dim": 0}, "magnitudes to 1e4")


def _scales(draw: Draw) -> tuple[float, ...]:
    """Of values that are all large or all small."""
    return (1e30, 1e15, 1e-30) if draw.info.itemsize > 2 else ()


def _rounded(draw: Draw, data: Any) -> Any:
    return round_to(np.asarray(data), draw.info)


def layer_norm(draw: Draw) -> Iterator[Sample]:
    """With and without weight and bias; one and two normalised dims."""
    shapes: tuple[tuple[tuple[int, ...], int], ...] = ()
    if draw.kind == "small":
        shapes = (((3, 5), 1), ((2, 3, 4), 1), ((2, 3, 4), 2))
    if draw.kind == "sizes":
        shapes = (*tuple(((3, size), 1) for size in LINE_SIZES if size > 1), ((1500, 5), 1))
    if draw.kind == "shapes":
        shapes = (((4,), 1), ((0, 3), 1), ((2, 1, 3), 2), ((1, 2, 1, 2, 1, 2), 3))
    if draw.kind == "accuracy":
        shapes = (((20, 500), 1),)
        if draw.info.itemsize > 2:
            far = {"input": draw.tensor((20, 500), "offset"), "normalized_shape": [500]}
            yield Sample(far, "a mean far above the deviation")
        for scale in _scales(draw):
            data = _rounded(draw, draw.tensor((4, 70)).data.astype(np.float64) * scale)
            scaled = {"input": Tensor(draw.dtype, data), "normalized_shape": [70]}
            yield Sample(scaled, f"scale {scale:g}")
    for shape, dims in shapes:
        for affine in (False, True):
            yield _normalised(draw, shape, dims, affine)
    if draw.kind == "arguments":
        for eps in (0.5, 1e-3):
            sample = _normalised(draw, (3, 6), 1, affine=False)
            yield Sample({**sample.values, "eps": eps}, f"eps {eps}")
        for name in ("weight", "bias"):
            sample = _normalised(draw, (3, 6), 1, affine=True)
            values = {key: value for key, value in sample.values.items() if key != name}
            yield Sample(values, f"without {name}")
    if draw.kind == "special":
        for note, value in (("NaN", np.nan), ("infinity", np.inf)):
            sample = _normalised(draw, (4, 19), 1, affine=False)
            data = sample.values["input"].data.copy()
            data[2, 5] = value
            yield Sample({**sample.values, "input": Tensor(draw.dtype, data)}, note)
        constant = Tensor(draw.dtype, np.full((2, 9), 3, draw.info.carrier))
        yield Sample({"input": constant, "normalized_shape": [9]}, "all equal")


def _normalised(draw: Draw, shape: tuple[int, ...], dims: int, affine: bool) -> Sample:
    inner = shape[len(shape) - dims :]
    values: dict[str, Any] = {"input": draw.tensor(shape), "normalized_shape": list(inner)}
    if affine:
        values |= {"weight": draw.tensor(inner), "bias": draw.tensor(inner)}
    return Sample(values, f"shape {list(shape)}, last {dims}{', affine' if affine else ''}")


def rms_norm(draw: Draw) -> Iterator[Sample]:
    """The calls of layer_norm, without a bias, and with an eps that is small in every dtype."""
    for sample in layer_norm(draw):
        values = {key: value for key, value in sample.values.items() if key != "bias"}
        yield Sample(draw.spec.in_order({"eps": 1e-5, **values}), sample.note)
    if draw.kind == "arguments":
        small = Tensor(draw.dtype, np.full((2, 4), 2.0**-5, draw.info.carrier))
        yield Sample({"input": small, "normalized_shape": [4]}, "default eps")


# Errors.


def softmax_of_integers(draw: Draw) -> Iterator[ErrorSample]:
    """Integers have no softmax without a dtype."""
    values = {"self": draw.tensor((3,), dtype="int64"), "dim": 0}
    also = ("NotImplementedError",)
    yield ErrorSample(values, "RuntimeError", r"{op}: .*int64", also=also)


def normalized_shape_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """The normalised shape must be the last sizes of the input."""
    values = {"input": draw.tensor((2, 3)), "normalized_shape": [2]}
    yield ErrorSample(
        values, "RuntimeError", r"layer_norm: .*input \[2, 3\] and normalized_shape \[2\]"
    )


def layer_norm_weight_shape(draw: Draw) -> Iterator[ErrorSample]:
    """The weight must have the normalised shape."""
    values = {"input": draw.tensor((2, 3)), "normalized_shape": [3], "weight": draw.tensor((2,))}
    yield ErrorSample(values, "RuntimeError", r"layer_norm: .*weight.*\[2\]")


def rms_norm_shape(draw: Draw) -> Iterator[ErrorSample]:
    """The normalised shape must be the last sizes of the input, and there must be one."""
    for shape in ([2], []):
        values = {"input": draw.tensor((2, 3)), "normalized_shape": shape}
        yield ErrorSample(values, "RuntimeError", r"rms_norm: .*normalized_shape", note=f"{shape}")


def rms_norm_weight_shape(draw: Draw) -> Iterator[ErrorSample]:
    """The weight must have the normalised shape."""
    values = {"input": draw.tensor((2, 3)), "normalized_shape": [3], "weight": draw.tensor((2,))}
    yield ErrorSample(values, "RuntimeError", r"rms_norm: .*weight.*\[2\]")
