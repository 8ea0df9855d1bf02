"""Inputs of norms by channel: batches and groups, with and without statistics and weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import round_to
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import ODD_SHAPES, SMALL_SHAPES, with_dim

Shape = tuple[int, ...]
_SHAPES: dict[str, tuple[Shape, ...]] = {
    "small": ((4, 3), (2, 6, 5), (2, 6, 2, 3), (2, 3, 2, 2, 2)),
    "sizes": (
        (300, 3), (2, 300), (2, 2, 257), (2, 66, 33), (3, 2, 9, 16), (1, 2, 4097), (2, 1, 65, 65),
        (2050, 130),
    ),
    "shapes": ((0, 3), (2, 3, 0), (2, 1), (2, 1, 1, 1), (1, 2, 1, 2, 1, 2)),
}  # fmt: skip


def _parameters(draw: Draw, channels: int) -> dict[str, Tensor]:
    return {name: draw.tensor((channels,)) for name in ("weight", "bias")}


def _hard(draw: Draw) -> Iterator[tuple[Tensor, str]]:
    """A far mean, a first element far from all others, not finite."""
    shape = (3, 2, 40)
    if draw.kind == "accuracy":
        yield draw.tensor((4, 2, 500)), "many values"
        if draw.info.itemsize > 2:
            yield draw.tensor(shape, "offset"), "a mean far above the deviation"
            for scale in (1e15, 1e-30):
                data = draw.tensor(shape).data.astype(np.float64) * scale
                yield Tensor(draw.dtype, round_to(data, draw.info)), f"scale {scale:g}"
    if draw.kind == "special":
        for note, value in (("NaN", np.nan), ("infinity", np.inf)):
            data = draw.tensor(shape).data.copy()
            data[1, 1, 5] = value
            yield Tensor(draw.dtype, data), note
        yield Tensor(draw.dtype, np.full(shape, 3, draw.info.carrier)), "all equal"


def _inputs(draw: Draw) -> Iterator[tuple[Tensor, str]]:
    for shape in _SHAPES.get(draw.kind, ()):
        yield draw.tensor(shape), f"shape {list(shape)}"
    yield from _hard(draw)


def batch_norm(draw: Draw) -> Iterator[Sample]:
    """Statistics of the batch and given ones; weights; float32 beside 16 bits."""
    for tensor, note in _inputs(draw):
        channels = tensor.shape[1]
        none = {"input": tensor, "running_mean": None, "running_var": None}
        given = {
            "input": tensor,
            "running_mean": draw.tensor((channels,)),
            "running_var": draw.tensor((channels,), "positive"),
        }
        affine = _parameters(draw, channels)
        yield Sample({**none, "training": True}, f"{note}, training")
        yield Sample({**none, **affine, "training": True}, f"{note}, affine, training")
        yield Sample(given, f"{note}, statistics")
        yield Sample({**given, **affine}, f"{note}, statistics, affine")
    if draw.kind == "arguments":
        yield from _arguments(draw)


def _arguments(draw: Draw) -> Iterator[Sample]:
    none = {"input": draw.tensor((3, 2, 5)), "running_mean": None, "running_var": None}
    affine = _parameters(draw, 2)
    for name, value in affine.items():
        yield Sample({**none, name: value, "training": True}, f"only {name}")
    yield Sample({**none, "training": True, "eps": 0.5}, "eps 0.5")
    zero = Tensor(draw.dtype, np.array([0, -2], draw.info.carrier))
    yield Sample({**none, "weight": zero, "training": True}, "a weight of 0, a negative one")
    last = _channels_last(draw.tensor((4, 2, 3, 5)))
    yield Sample({**none, "input": last, "training": True}, "channels last")
    if draw.info.itemsize == 2:
        wide = {name: draw.tensor((2,), "positive", "float32") for name in affine}
        yield Sample({**none, **wide, "training": True}, "float32 weights")


def _channels_last(tensor: Tensor) -> Tensor:
    _, c, h, w = tensor.shape
    return Tensor(tensor.dtype, tensor.data, (h * w * c, 1, w * c, c), layout="channels last")


def group_norm(draw: Draw) -> Iterator[Sample]:
    """One group, one channel a group, and between."""
    for tensor, note in _inputs(draw):
        channels = tensor.shape[1]
        for groups in sorted({1, channels, channels // 2 if channels % 2 == 0 else 1}):
            if tensor.data.size // groups == 1:
                continue  # a group of one value
            values = {"input": tensor, "num_groups": groups}
            yield Sample(values, f"{note}, {groups} groups")
            yield Sample({**values, **_parameters(draw, channels)}, f"{note}, {groups}, affine")
    if draw.kind == "arguments":
        values = {"input": draw.tensor((3, 4, 5)), "num_groups": 2}
        yield Sample({**values, "eps": 0.5}, "eps 0.5")
        for name, value in _parameters(draw, 4).items():
            yield Sample({**values, name: value}, f"only {name}")


def normalize(draw: Draw) -> Iterator[Sample]:
    """Each dim, several norms, lines of zeros."""
    if draw.kind in ("small", "shapes"):
        for shape in SMALL_SHAPES if draw.kind == "small" else ODD_SHAPES:
            for dim in with_dim(len(shape)):
                if shape and shape[dim] == 0:
                    continue
                yield Sample({"input": draw.tensor(shape), "dim": dim}, f"{shape}, dim {dim}")
    if draw.kind == "sizes":
        for shape in ((33, 129), (3, 1025), (1500, 3), (2049,)):
            values = {"input": draw.tensor(shape), "dim": len(shape) - 1}
            yield Sample(values, f"{list(shape)}")
    if draw.kind == "arguments":
        for p in (1.0, 2.0, 3.0, float("inf")):
            yield Sample({"input": draw.tensor((3, 7)), "p": p}, f"{p=}")
        yield Sample({"input": draw.tensor((3, 7)), "eps": 50.0}, "a large eps")
    if draw.kind == "special":
        zeros = draw.tensor((3, 9)).data.copy()
        zeros[1] = 0
        yield Sample({"input": Tensor(draw.dtype, zeros), "eps": 1e-3}, "a line of zeros")
        for value in (np.nan, np.inf):
            data = draw.tensor((3, 9)).data.copy()
            data[1, 4] = value
            yield Sample({"input": Tensor(draw.dtype, data)}, f"{value}")
        data = draw.tensor((3, 8), "nonzero").data.copy()
        data[1, 4], data[2, 3] = np.inf, -np.inf
        yield Sample({"input": Tensor(draw.dtype, data), "p": 0.0}, "infinities, counted")


# Errors.


def _plain(draw: Draw) -> dict[str, Any]:
    values: dict[str, Any] = {"input": draw.tensor((4, 3, 2))}
    if draw.spec.name == "group_norm":
        return {**values, "num_groups": 3}
    return {**values, "running_mean": None, "running_var": None, "training": True}


def channel_weight_shape(draw: Draw) -> Iterator[ErrorSample]:
    """One number per channel."""
    for name in ("weight", "bias"):
        values = draw.spec.in_order({**_plain(draw), name: draw.tensor((2,))})
        yield ErrorSample(values, "RuntimeError", rf"{{op}}: {name} .*\[2\]", note=name)


def one_value_per_group(draw: Draw) -> Iterator[ErrorSample]:
    """Groups of one value have no deviation."""
    values = {"input": draw.tensor((1, 3)), "num_groups": 3}
    yield ErrorSample(values, "ValueError", r"group_norm: .*more than one value.*\[1, 3\]")


def group_number(draw: Draw) -> Iterator[ErrorSample]:
    """Channels that can't be grouped so."""
    values = {"input": draw.tensor((4, 3, 2)), "num_groups": 2}
    yield ErrorSample(values, "RuntimeError", r"group_norm: .*\[4, 3, 2\] and num_groups 2")


def running_missing(draw: Draw) -> Iterator[ErrorSample]:
    """Statistics that are missing, one or both."""
    values = {**_plain(draw), "training": False}
    yield ErrorSample(values, "RuntimeError", r"batch_norm: running_mean .*given", note="both")
    values = {**values, "running_mean": draw.tensor((3,))}
    pattern = r"batch_norm: running_mean .*given"
    yield ErrorSample(values, "RuntimeError", pattern, note="one, in evaluation")
    values = {**values, "training": True}
    yield ErrorSample(values, "ValueError", r"batch_norm: running_mean .*both", note="one")


def running_shape(draw: Draw) -> Iterator[ErrorSample]:
    """One number per channel."""
    statistics = {name: draw.tensor((2,), "positive") for name in ("running_mean", "running_var")}
    values = {**_plain(draw), **statistics, "training": False}
    yield ErrorSample(values, "RuntimeError", r"batch_norm: running_mean .*\[2\]")


def one_value_per_channel(draw: Draw) -> Iterator[ErrorSample]:
    """One value has no deviation."""
    values = {**_plain(draw), "input": draw.tensor((1, 3))}
    yield ErrorSample(values, "ValueError", r"batch_norm: .*more than one value.*\[1, 3\]")


def dim_out_of_range_of_one(draw: Draw) -> Iterator[ErrorSample]:
    """A dim that isn't there."""
    for dim in (2, -3):
        values = {"input": draw.tensor((2, 3)), "dim": dim}
        yield ErrorSample(values, "IndexError", rf".*got {dim}", note=f"{dim}")
