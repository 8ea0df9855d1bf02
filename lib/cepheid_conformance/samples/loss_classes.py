"""Inputs of the losses over classes: indices and shares, weights, what is ignored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import round_to
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor

Shape = tuple[int, ...]
REDUCTIONS = ("mean", "sum", "none")
_SHAPES: dict[str, tuple[Shape, ...]] = {
    "small": ((4, 5), (6,), (2, 3, 4), (2, 3, 2, 2)),
    "sizes": ((1, 1), (1, 33), (9, 16), (33, 17), (1025, 3), (3, 257), (2, 5, 300), (2049, 2)),
    "shapes": ((1, 5), (0, 3), (2, 3, 0), (1,), (1, 4, 1, 1), (1, 2, 1, 2, 1, 2)),
}


def elements_of(shape: Shape) -> Shape:
    """The shape without its classes."""
    return () if len(shape) == 1 else (shape[0], *shape[2:])


def classes_of(shape: Shape) -> int:
    """How many classes."""
    return shape[0] if len(shape) == 1 else shape[1]


def _indices(draw: Draw, shape: Shape, dtype: str = "int64") -> Tensor:
    data = draw.integers(0, classes_of(shape), elements_of(shape))
    return Tensor(dtype, np.asarray(data).astype(dtype))


def _ordered(draw: Draw, values: dict[str, Any]) -> dict[str, Any]:
    return {a.name: values[a.name] for a in draw.spec.args if a.name in values}


def _calls(draw: Draw, shape: Shape) -> Iterator[tuple[dict[str, Any], str]]:
    plain = {"input": draw.tensor(shape), "target": _indices(draw, shape)}
    yield plain, "plain"
    weight = draw.tensor((classes_of(shape),), "positive")
    yield {**plain, "weight": weight}, "weighted"
    data = plain["target"].data
    if data.size > 1:
        # A class that is ignored, and one that is none.
        for number in (int(data.flat[0]), -7):
            changed = np.array(data)
            changed.flat[1] = number
            target = Tensor("int64", changed)
            yield (
                {**plain, "target": target, "weight": weight, "ignore_index": number},
                f"{number} ignored",
            )


def nll_loss(draw: Draw) -> Iterator[Sample]:
    """Every reduction of every call."""
    for shape in _SHAPES.get(draw.kind, ()):
        for values, note in _calls(draw, shape):
            yield Sample(values, f"{list(shape)}, {note}")
            for reduction in REDUCTIONS:
                changed = _ordered(draw, {**values, "reduction": reduction})
                yield Sample(changed, f"{list(shape)}, {note}, {reduction}")
    if draw.kind == "sizes":
        shape = (65_600, 2)
        values = {"input": draw.tensor(shape), "target": _indices(draw, shape)}
        yield Sample({**values, "reduction": "none"}, f"{list(shape)}, none")
    if draw.kind == "arguments":
        values = {"input": draw.tensor((3, 4)), "target": _indices(draw, (3, 4), "uint8")}
        yield Sample(values, "classes of uint8")
        all_ignored = Tensor("int64", np.full((3,), -100))
        yield Sample({"input": draw.tensor((3, 4)), "target": all_ignored}, "all ignored")
    if draw.kind == "special":
        # Logarithms of softmax near 0 are not rounded once in 16 bits.
        narrow = draw.info.itemsize == 2 and draw.spec.name == "cross_entropy"
        for value in (np.nan, np.inf) if narrow else (np.nan, np.inf, -np.inf):
            data = draw.tensor((4, 3)).data.copy()
            data[1, 2] = value
            target = Tensor("int64", np.array([2, 1, 0, 2]))
            sample = {"input": Tensor(draw.dtype, data), "target": target, "reduction": "none"}
            yield Sample(_ordered(draw, sample), f"{value} that isn't picked")
            target = Tensor("int64", np.array([2, 2, 0, 2]))
            yield Sample({**_ordered(draw, sample), "target": target}, f"{value} that is picked")
            if value == -np.inf:
                weight = Tensor(draw.dtype, np.full((3,), -1, draw.info.carrier))
                turned = _ordered(draw, {**sample, "target": target, "weight": weight})
                yield Sample(turned, f"{value} that is picked, weighed by -1")


def _shares(draw: Draw, shape: Shape) -> Tensor:
    """Shares that add up to 1."""
    axis = 0 if len(shape) == 1 else 1
    raw = draw.rng.uniform(0.1, 1, shape)
    total = raw.sum(axis=axis, keepdims=True)
    return Tensor(draw.dtype, round_to(raw / np.where(total == 0, 1, total), draw.info))


def cross_entropy(draw: Draw) -> Iterator[Sample]:
    """As nll_loss; smoothed labels, shares of classes, logits that only softmax can take."""
    yield from nll_loss(draw)
    for shape in _SHAPES.get(draw.kind, ()):
        for values, note in _calls(draw, shape):
            for reduction in REDUCTIONS:
                smooth = {**values, "label_smoothing": 0.3, "reduction": reduction}
                yield Sample(_ordered(draw, smooth), f"{list(shape)}, {note}, smoothed {reduction}")
        for smoothing in (0.0, 0.25):
            for values, note in list(_calls(draw, shape))[:2]:
                for reduction in REDUCTIONS:
                    shared = {**values, "target": _shares(draw, shape), "reduction": reduction}
                    shared |= {"label_smoothing": smoothing} if smoothing else {}
                    text = f"{list(shape)}, shares, {note}, {smoothing}, {reduction}"
                    yield Sample(_ordered(draw, shared), text)
    if draw.kind == "accuracy":
        data = round_to(draw.tensor((20, 50)).data.astype(np.float64) * 25, draw.info)
        logits = {"input": Tensor(draw.dtype, data), "target": _indices(draw, (20, 50))}
        yield Sample(logits, "logits to 100")
        yield Sample({**logits, "label_smoothing": 1.0}, "logits to 100, only smoothing")


# Errors.


def _plain(draw: Draw) -> dict[str, Any]:
    return {"input": draw.tensor((2, 3)), "target": Tensor("int64", np.array([0, 2]))}


def class_range(draw: Draw) -> Iterator[ErrorSample]:
    """Classes that are none."""
    for number in (3, -1):
        target = Tensor("int64", np.array([0, number]))
        values = {**_plain(draw), "target": target}
        yield ErrorSample(values, "IndexError", rf"{{op}}: .*\[0, 3\).*{number}", note=f"{number}")


def class_shapes(draw: Draw) -> Iterator[ErrorSample]:
    """Other numbers of targets or weights."""
    three = Tensor("int64", np.array([0, 2, 1]))
    values = {**_plain(draw), "target": three}
    yield ErrorSample(values, "ValueError", r"{op}: .*\[2\].*\[3\]", note="targets")
    values = {**_plain(draw), "weight": draw.tensor((2,))}
    yield ErrorSample(values, "RuntimeError", r"{op}: weight .*\[2\]", note="weights")
    point = Tensor("int64", np.array(0))
    values = {"input": draw.tensor(()), "target": point}
    if draw.spec.name == "nll_loss":
        yield ErrorSample(values, "ValueError", r"{op}: .*classes", note="no classes")


def class_dtype(draw: Draw) -> Iterator[ErrorSample]:
    """Classes of another integer."""
    values = {**_plain(draw), "target": Tensor("int32", np.array([0, 2], np.int32))}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*int32")


def reduction_unknown_class(draw: Draw) -> Iterator[ErrorSample]:
    """A word that names no fold."""
    values = _ordered(draw, {**_plain(draw), "reduction": "median"})
    yield ErrorSample(values, "ValueError", r"{op}: reduction must be .*; got 'median'")


def smoothing_range(draw: Draw) -> Iterator[ErrorSample]:
    """Shares that are none."""
    for number in (-0.5, 1.5):
        values = {**_plain(draw), "label_smoothing": number}
        yield ErrorSample(values, "RuntimeError", rf"{{op}}: label_smoothing .*{number}")
