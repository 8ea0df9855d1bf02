"""Inputs of convolutions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor

_ARGUMENTS: tuple[dict[str, Any], ...] = (
    {"stride": [2, 1]},
    {"padding": [1, 2]},
    {"dilation": [2, 1]},
    {"stride": [2, 2], "padding": [1, 1]},
    {"groups": 2},
    {"groups": 4, "padding": [1, 1]},
    {"stride": [2], "padding": [1], "dilation": [2]},
)


def _case(
    draw: Draw,
    image: tuple[int, ...],
    weight: tuple[int, ...],
    bias: bool = True,
    domain: str = "any",
) -> dict[str, Any]:
    values: dict[str, Any] = {
        "input": draw.tensor(image, domain),
        "weight": draw.tensor(weight, domain),
    }
    if bias:
        values["bias"] = draw.tensor(weight[:1], domain)
    return values


def _alike(draw: Draw) -> Iterator[Sample]:
    """Calls that differ in one number and share the rest, one after the other: what a plan that was
    kept for the first would get wrong in the second."""
    calls: tuple[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]], ...] = (
        ((1, 2, 7, 9), (3, 2, 3, 3), {"stride": [2, 1]}),
        ((1, 2, 8, 9), (3, 2, 3, 3), {"stride": [2, 1]}),
        ((1, 2, 5, 7), (3, 2, 3, 3), {"stride": [1, 2]}),
        ((1, 2, 5, 7), (3, 2, 3, 2), {"stride": [1, 2]}),
        ((1, 2, 7, 6), (3, 2, 3, 3), {"stride": [3, 3], "padding": [2, 0]}),
        ((1, 2, 7, 7), (3, 2, 2, 2), {"stride": [2, 2], "dilation": [2, 2]}),
    )
    for image, weight, arguments in calls:
        values = _case(draw, image, weight, bias=False)
        yield Sample({**values, **arguments}, f"{list(image)} with {list(weight)}, {arguments}")


def conv2d(draw: Draw) -> Iterator[Sample]:
    """Images with and without batch; kernels of odd and even size."""
    shapes: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()
    if draw.kind == "small":
        shapes = (
            ((2, 3, 6, 5), (4, 3, 3, 3)),
            ((1, 2, 4, 4), (3, 2, 1, 1)),
            ((1, 2, 4, 3), (2, 2, 1, 1)),  # as large as the result
        )
    if draw.kind == "sizes":
        shapes = (
            ((1, 1, 7, 9), (1, 1, 2, 3)),
            ((2, 3, 33, 31), (5, 3, 3, 3)),
            ((1, 16, 17, 15), (33, 16, 3, 3)),
            ((3, 5, 8, 65), (7, 5, 1, 1)),
            ((1, 4, 40, 40), (4, 4, 7, 5)),
        )
        if draw.dtype in ("float32", "bfloat16"):  # split over threads: by filters, by images
            shapes += (((1, 32, 20, 20), (96, 32, 3, 3)), ((4, 8, 70, 70), (8, 8, 3, 3)))
    if draw.kind == "shapes":
        shapes = (
            ((3, 6, 5), (4, 3, 3, 3)),
            ((0, 3, 6, 5), (4, 3, 3, 3)),
            ((1, 1, 3, 3), (1, 1, 3, 3)),
        )
    for image, weight in shapes:
        for bias in (True, False):
            note = f"{list(image)} with {list(weight)}{', bias' if bias else ''}"
            yield Sample(_case(draw, image, weight, bias), note)
    if draw.kind == "sizes":
        for channels, outputs in ((4, 16), (34, 34)):
            values = _case(draw, (1, channels, 9, 8), (outputs, channels // 2, 3, 3))
            yield Sample({**values, "groups": 2}, f"{channels} to {outputs} in two groups")
        if draw.dtype == "float32":  # as large as what is split, but with groups or a batch
            values = _case(draw, (1, 64, 20, 20), (96, 32, 3, 3))
            yield Sample({**values, "groups": 2}, "64 to 96 in two groups")
            yield Sample(_case(draw, (2, 32, 20, 20), (96, 32, 3, 3)), "two images, 96 filters")
    if draw.kind == "arguments":
        for arguments in _ARGUMENTS:
            groups = arguments.get("groups", 1)
            values = _case(draw, (2, 4, 7, 8), (8, 4 // groups, 3, 3))
            yield Sample({**values, **arguments}, str(arguments))
        yield from _alike(draw)
    if draw.kind == "accuracy":
        for domain in ("any", "positive"):
            values = _case(draw, (1, 32, 12, 12), (8, 32, 3, 3), domain=domain)
            yield Sample(values, f"288 terms, {domain}")
    if draw.kind == "special":
        for note, value in (("NaN", np.nan), ("infinity", np.inf)):
            values = _case(draw, (1, 2, 9, 9), (3, 2, 3, 3), domain="positive")
            data = values["input"].data.copy()
            data[0, 1, 4, 4] = value
            yield Sample({**values, "input": Tensor(draw.dtype, data)}, f"{note} in the image")


def conv2d_input(draw: Draw) -> Iterator[Sample]:
    """The calls of conv2d with a batch, from the side of the input."""
    for values, note in _gradients(draw):
        image = values.pop("input")
        yield Sample({"input_size": list(image.shape), **values}, note)


def conv2d_weight(draw: Draw) -> Iterator[Sample]:
    """The calls of conv2d with a batch, from the side of the weight."""
    for values, note in _gradients(draw):
        weight = values.pop("weight")
        ordered = {"input": values.pop("input"), "weight_size": list(weight.shape), **values}
        yield Sample(ordered, note)


def _gradients(draw: Draw) -> Iterator[tuple[dict[str, Any], str]]:
    """Calls of conv2d with a gradient of their results in place of a bias."""
    for sample in conv2d(draw):
        values = {k: v for k, v in sample.values.items() if k != "bias"}
        image, weight = values["input"].shape, values["weight"].shape
        if len(image) != 4 or sample.note.endswith(", bias"):  # the next is the same without
            continue
        names = [k for k in values if k in ("stride", "padding", "dilation")]
        options = {k: values.pop(k) for k in names}
        sizes = places(image, weight, options)
        domain = "positive" if draw.kind == "special" else "any"
        values["grad_output"] = draw.tensor((image[0], weight[0], *sizes), domain)
        yield {**values, **options}, sample.note


def places(
    image: tuple[int, ...], weight: tuple[int, ...], options: dict[str, list[int]]
) -> list[int]:
    """Rows and columns of a convolution's result."""
    found = []
    for i in range(2):
        step, pad, gap = (
            options.get(name, [rest])[i if len(options.get(name, [rest])) > 1 else 0]
            for name, rest in (("stride", 1), ("padding", 0), ("dilation", 1))
        )
        found.append((image[2 + i] + 2 * pad - gap * (weight[2 + i] - 1) - 1) // step + 1)
    return found


def conv1d(draw: Draw) -> Iterator[Sample]:
    """Rows with and without batch."""
    shapes: dict[str, tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]] = {
        "small": (((2, 3, 6), (4, 3, 3)), ((1, 2, 4), (3, 2, 1)), ((1, 2, 4), (2, 2, 1))),
        "sizes": (((1, 1, 9), (1, 1, 2)), ((2, 3, 65), (5, 3, 5)), ((1, 16, 130), (33, 16, 3))),
        "shapes": (((3, 6), (4, 3, 3)), ((0, 3, 6), (4, 3, 3)), ((1, 1, 3), (1, 1, 3))),
        "accuracy": (((1, 64, 40), (8, 64, 5)),),
    }
    for row, weight in shapes.get(draw.kind, ()):
        for bias in (True, False):
            note = f"{list(row)} with {list(weight)}{', bias' if bias else ''}"
            yield Sample(_case(draw, row, weight, bias), note)
    if draw.kind == "arguments":
        for arguments in _ARGUMENTS:
            groups = arguments.get("groups", 1)
            values = _case(draw, (2, 4, 11), (8, 4 // groups, 3))
            given = {k: v[:1] if isinstance(v, list) else v for k, v in arguments.items()}
            yield Sample({**values, **given}, str(given))
    if draw.kind == "special":
        values = _case(draw, (1, 2, 19), (3, 2, 3), domain="positive")
        data = values["input"].data.copy()
        data[0, 1, 4] = np.nan
        yield Sample({**values, "input": Tensor(draw.dtype, data)}, "NaN in the row")


# Errors.


def _flat(draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape without its last direction, for rows."""
    return shape[:-1] if draw.spec.name == "conv1d" else shape


def conv_channels(draw: Draw) -> Iterator[ErrorSample]:
    """Channels of image and weight differ."""
    values = _case(draw, _flat(draw, (1, 3, 5, 5)), _flat(draw, (2, 4, 3, 3)))
    yield ErrorSample(values, "RuntimeError", r"conv\dd: .*channel.*3.*4|conv\dd: .*channel.*4.*3")


def conv_groups(draw: Draw) -> Iterator[ErrorSample]:
    """Groups that don't divide the channels."""
    values = _case(draw, _flat(draw, (1, 4, 5, 5)), _flat(draw, (4, 1, 3, 3)))
    yield ErrorSample({**values, "groups": 3}, "RuntimeError", r"conv\dd: .*groups.*3")
    yield ErrorSample(
        {**values, "groups": 0}, "RuntimeError", r"conv\dd: .*groups.*0", also=("ValueError",)
    )


def conv_kernel_too_large(draw: Draw) -> Iterator[ErrorSample]:
    """A kernel that doesn't fit the padded image; one without places; a padded size beyond 64
    bits."""
    values = _case(draw, _flat(draw, (1, 1, 3, 3)), _flat(draw, (1, 1, 4, 4)))
    yield ErrorSample(values, "RuntimeError", r"conv\dd: .*kernel")
    for kernel in ((0, 3), (3, 0)) if draw.spec.name == "conv2d" else ((0, 0),):
        values = _case(draw, _flat(draw, (1, 3, 5, 5)), _flat(draw, (2, 3, *kernel)))
        pattern = rf"conv\dd: the kernel must not be empty; got weight \[2, 3, {kernel[0]}"
        yield ErrorSample(values, "RuntimeError", pattern, note=f"kernel {list(kernel)}")
    values = _case(draw, _flat(draw, (1, 1, 5, 5)), _flat(draw, (1, 1, 3, 3)))
    values["padding"] = list(_flat(draw, (2**62, 0)))
    yield ErrorSample(values, "RuntimeError", r"conv\dd: .*64 bits", note="padding 2**62")


def conv_rank(draw: Draw) -> Iterator[ErrorSample]:
    """An image of rank 2, a weight of rank 3."""
    values = _case(draw, _flat(draw, (5, 5)), _flat(draw, (1, 1, 3, 3)))
    yield ErrorSample(values, "RuntimeError", r"conv\dd: .*input.*\[5")
    values = _case(draw, _flat(draw, (1, 1, 5, 5)), _flat(draw, (1, 3, 3)))
    yield ErrorSample(values, "RuntimeError", r"conv\dd: .*weight.*\[1, 3")


def gradient_shapes(draw: Draw) -> Iterator[ErrorSample]:
    """A gradient that is larger than the result; an image without a batch."""
    for image, grad, pattern in (
        ((1, 2, 5, 5), (1, 3, 4, 4), r"shape \[1, 3, 3, 3\]; got \[1, 3, 4, 4\]"),
        ((2, 5, 5), (3, 3, 3), r"4 dimensions; got input \[2, 5, 5\]"),
    ):
        sizes = {"input": image, "weight": (3, 2, 3, 3)}
        told = "input" if draw.spec.name == "conv2d_input" else "weight"
        values: dict[str, Any] = {k: draw.tensor(v) for k, v in sizes.items() if k != told}
        values[f"{told}_size"] = list(sizes[told])
        values["grad_output"] = draw.tensor(grad)
        yield ErrorSample(
            draw.spec.in_order(values), "RuntimeError", rf"{draw.spec.name}: .*{pattern}"
        )
