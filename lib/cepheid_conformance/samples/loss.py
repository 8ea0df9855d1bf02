"""Inputs of the losses: pairs on both sides of each bend, reductions, shapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, round_to
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import pointwise_shapes
from .loss_classes import (
    class_dtype,
    class_range,
    class_shapes,
    cross_entropy,
    nll_loss,
    reduction_unknown_class,
    smoothing_range,
)

__all__ = [
    "class_dtype",
    "class_range",
    "class_shapes",
    "cross_entropy",
    "nll_loss",
    "reduction_unknown_class",
    "smoothing_range",
]

_REDUCTIONS = ("mean", "sum", "none")
# Which dtype two dtypes give is the same for every implementation.
_MIXED = "_squared_difference mse_loss l1_loss _smooth_l1 smooth_l1_loss".split()


def _pairs(draw: Draw) -> Iterator[tuple[dict[str, Any], str]]:
    """Two operands: of one shape, at bends, infinite, NaN, broadcast, of two dtypes."""
    for shape in pointwise_shapes(draw.kind):
        yield _pair(draw, draw.tensor(shape), draw.tensor(shape)), f"shape {list(shape)}"
    if draw.kind == "ties":
        # Differences at, below and above the bends 0.5, 1 and 2, on both sides.
        data = np.array([0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, -0.5, -1, -2, -3], np.float64)
        zero = Tensor(draw.dtype, np.zeros(12, draw.info.carrier))
        yield _pair(draw, Tensor(draw.dtype, round_to(data, draw.info)), zero), "bends"
    if draw.kind == "special":
        data = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0] * 7, draw.info.carrier)
        one = Tensor(draw.dtype, np.ones(42, draw.info.carrier))
        yield _pair(draw, Tensor(draw.dtype, data), one), "not finite"
        near = Tensor(draw.dtype, _near_zero(draw))
        zero = Tensor(draw.dtype, np.zeros(near.shape, draw.info.carrier))
        yield _pair(draw, near, zero), "elements or squares that are subnormal"
    if draw.kind == "broadcast":
        shapes = (((3, 4), (4,)), ((3, 1), (1, 4)), ((), (5,)), ((4, 4), (4,)), ((4, 4), (4, 1)))
        for left, right in shapes:
            yield _pair(draw, draw.tensor(left), draw.tensor(right)), f"{left} and {right}"
    if draw.kind == "promotion" and draw.spec.name in _MIXED:
        for other in draw.spec.dtypes["cpu"]:
            if not (draw.info.itemsize == 2 and DTYPES[other].is_complex):
                target = draw.tensor((5,), "exact", other)
                yield _pair(draw, draw.tensor((5,), "exact"), target), f"other {other}"


def _near_zero(draw: Draw) -> Array:
    """Numbers whose squares are subnormal powers of two, and subnormal numbers."""
    part = DTYPES[draw.info.real_name] if draw.info.is_complex else draw.info
    low, high = np.log2(part.smallest), np.log2(part.tiny)
    roots = 2.0 ** np.arange(np.ceil((low + 2) / 2), np.floor((high - 1) / 2) + 1)
    values = np.concatenate([roots, part.smallest * np.array([1, 3, 8])])
    return np.repeat(np.concatenate([values, -values]), 3).astype(draw.info.carrier)


def _pair(draw: Draw, left: Tensor, right: Tensor) -> dict[str, Any]:
    names = [a.name for a in draw.spec.args if a.type == "Tensor"]
    return dict(zip(names[:2], (left, right), strict=True))


def _signed(draw: Draw, tensor: Tensor) -> Tensor:
    data = draw.rng.choice(np.array([-1, 1]), tensor.shape).astype(draw.info.carrier)
    return Tensor(draw.dtype, np.asarray(data))


def _signs(draw: Draw) -> Iterator[tuple[dict[str, Any], str]]:
    """An operand and signs."""
    for values, note in _pairs(draw):
        _, second = values
        yield {**values, second: _signed(draw, values[second])}, f"{note}, signs"


def _ranked(draw: Draw) -> Iterator[tuple[dict[str, Any], str]]:
    """Two operands and signs, of one rank."""
    for shape in pointwise_shapes(draw.kind):
        left, right = draw.tensor(shape), draw.tensor(shape)
        yield _three(draw, left, right, shape), f"shape {list(shape)}"
    if draw.kind == "broadcast":
        yield _three(draw, draw.tensor((3, 1)), draw.tensor((1, 4)), (3, 4)), "broadcast"
        column, row = _ending_in_zero(draw, (3, 1)), _ending_in_zero(draw, (1, 4))
        yield _three(draw, column, row, (3, 4)), "broadcast, the last two equal"
        yield _three(draw, draw.tensor((4, 4)), draw.tensor((4, 1)), (4, 4)), "a column"
        yield _three(draw, draw.tensor((4, 4)), draw.tensor((4, 4)), (1, 4)), "a row of signs"
    if draw.kind == "promotion":
        for other in draw.spec.dtypes["cpu"]:
            signs = _signed(draw, draw.tensor((5,))).data.astype(DTYPES[other].carrier)
            values = _three(draw, draw.tensor((5,), "exact"), draw.tensor((5,), "exact"), (5,))
            yield {**values, "target": Tensor(other, signs)}, f"signs {other}"
    if draw.kind == "special":
        near = Tensor(draw.dtype, _near_zero(draw))
        zero = Tensor(draw.dtype, np.zeros(near.shape, draw.info.carrier))
        yield _three(draw, near, zero, near.shape), "elements that are subnormal"
        data = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0] * 7, draw.info.carrier)
        one = Tensor(draw.dtype, np.ones(42, draw.info.carrier))
        yield _three(draw, Tensor(draw.dtype, data), one, (42,)), "not finite"
    if draw.kind == "ties":
        same = draw.tensor((40,))
        yield _three(draw, same, same, (40,)), "equal operands"


def _ending_in_zero(draw: Draw, shape: tuple[int, ...]) -> Tensor:
    data = draw.tensor(shape).data.copy()
    data[(-1,) * len(shape)] = 0
    return Tensor(draw.dtype, data)


def _three(draw: Draw, left: Tensor, right: Tensor, shape: tuple[int, ...]) -> dict[str, Any]:
    target = _signed(draw, draw.tensor(shape))
    return {"input1": left, "input2": right, "target": target}


def _with(
    draw: Draw, inputs: Iterator[tuple[dict[str, Any], str]], name: str = "", *numbers: float
) -> Iterator[Sample]:
    """Each input with the default parameter, bends and small ones with each number too."""
    for values, note in inputs:
        yield Sample(values, note)
        if draw.kind in ("ties", "small"):
            for number in numbers:
                yield Sample({**values, name: number}, f"{note}, {name} {number}")


def _reduced(draw: Draw, samples: Iterator[Sample]) -> Iterator[Sample]:
    """The same with each reduction; by default the mean."""
    names = [a.name for a in draw.spec.args]
    for sample in samples:
        yield sample
        for reduction in _REDUCTIONS if draw.kind not in ("sizes",) else ("sum", "none"):
            values = {**sample.values, "reduction": reduction}
            ordered = {name: values[name] for name in names if name in values}
            yield Sample(ordered, f"{sample.note}, {reduction}")


def pairs(draw: Draw) -> Iterator[Sample]:
    """Two operands."""
    yield from _with(draw, _pairs(draw))


def pairs_beta(draw: Draw) -> Iterator[Sample]:
    """Two operands and where the parabola ends."""
    yield from _with(draw, _pairs(draw), "beta", 0.5, 2.0, 0.0)


def pairs_delta(draw: Draw) -> Iterator[Sample]:
    """Two operands and where the line begins."""
    yield from _with(draw, _pairs(draw), "delta", 0.5, 2.0)


def signs_margin(draw: Draw) -> Iterator[Sample]:
    """Signs and a margin."""
    yield from _with(draw, _signs(draw), "margin", 0.5, -1.0)


def ranks(draw: Draw) -> Iterator[Sample]:
    """Two operands, signs and a margin."""
    yield from _with(draw, _ranked(draw), "margin", 0.5, -1.0)


def losses(draw: Draw) -> Iterator[Sample]:
    """Pairs, reduced."""
    yield from _reduced(draw, pairs(draw))


def losses_beta(draw: Draw) -> Iterator[Sample]:
    """Pairs and beta, reduced."""
    yield from _reduced(draw, pairs_beta(draw))


def losses_delta(draw: Draw) -> Iterator[Sample]:
    """Pairs and delta, reduced."""
    yield from _reduced(draw, pairs_delta(draw))


def losses_signs(draw: Draw) -> Iterator[Sample]:
    """Signs and a margin, reduced."""
    yield from _reduced(draw, signs_margin(draw))


def losses_ranks(draw: Draw) -> Iterator[Sample]:
    """Ranks and a margin, reduced."""
    yield from _reduced(draw, ranks(draw))


def _between(
    draw: Draw, first: str, second: str, special: tuple[float, ...]
) -> Iterator[tuple[dict[str, Any], str]]:
    """Two operands of one shape, each of its own domain; special values against each other."""
    for shape in pointwise_shapes(draw.kind):
        left, right = draw.tensor(shape, first), draw.tensor(shape, second)
        yield _pair(draw, left, right), f"shape {list(shape)}"
    if draw.kind == "special":
        edges = np.array(special * 9, draw.info.carrier)
        shares = np.repeat(np.array([0, 1, 0.5], draw.info.carrier), 3 * len(special))
        yield _pair(draw, Tensor(draw.dtype, edges), Tensor(draw.dtype, shares)), "edges"


def _shape_of(values: dict[str, Any]) -> tuple[int, ...]:
    shape: tuple[int, ...] = next(iter(values.values())).shape
    return shape


def shares(draw: Draw) -> Iterator[Sample]:
    """Shares in [0, 1]."""
    for values, note in _between(draw, "unit", "unit", (0.0, 1.0, 0.25)):
        yield Sample(values, note)
    if draw.kind == "special":
        small = draw.info.smallest * np.array([1, 3, 8, 64])
        one = Tensor(draw.dtype, small.astype(draw.info.carrier))
        zero = Tensor(draw.dtype, np.zeros(4, draw.info.carrier))
        yield Sample(_pair(draw, one, zero), "subnormal losses")


def _logits(draw: Draw) -> Iterator[tuple[dict[str, Any], str]]:
    yield from _between(draw, "any", "unit", (0.0, -0.0, 90.0, -90.0, 1.0, np.nan))
    if draw.kind == "special":
        one, two = (np.array(row, draw.info.carrier) for row in ([np.inf, 1], [0, 0.5]))
        yield _pair(draw, Tensor(draw.dtype, one), Tensor(draw.dtype, two)), "an infinite logit"


def logits_weighted(draw: Draw) -> Iterator[Sample]:
    """Logits, shares and a weight for each place of the last dimension."""
    for values, note in _logits(draw):
        shape = _shape_of(values)
        weight = draw.tensor(shape[-1:], "positive")
        yield Sample({**values, "pos_weight": weight}, note)
    if draw.kind == "broadcast":
        pair = {"self": draw.tensor((4, 4)), "target": draw.tensor((4, 4), "unit")}
        for shape in ((4,), (4, 1), (1, 4)):
            weight = draw.tensor(shape, "positive")
            yield Sample({**pair, "pos_weight": weight}, f"weights {list(shape)}")


def logarithm_and_share(draw: Draw) -> Iterator[Sample]:
    """Logarithms and shares."""
    for values, note in _between(draw, "any", "unit", (0.0, -2.0, 1.0, np.nan)):
        yield Sample(values, note)
    for values, note in _divergences(draw, "unit", 0.5):
        yield Sample(values, note)


def _divergences(draw: Draw, domain: str, target: float) -> Iterator[tuple[dict[str, Any], str]]:
    """Logarithms beside others of another shape or dtype; infinite ones."""
    if draw.kind == "broadcast":
        for left, right in (((3, 4), (4,)), ((4, 4), (4,)), ((4, 4), (4, 1)), ((3, 1), (1, 4))):
            second = draw.tensor(right, domain)
            yield _pair(draw, draw.tensor(left), second), f"{left} and {right}"
        column, row = _ending_in_zero(draw, (3, 1)), _ending_in_zero(draw, (1, 4))
        yield _pair(draw, column, row.replaced(np.abs(row.data))), "the last of both are zero"
    if draw.kind == "promotion":
        for other in draw.spec.dtypes["cpu"]:
            for shape in ((5,), ()):
                # Whose logarithm or exponential is exact: either dtype may have rounded it.
                whole = 1 if domain == "unit" else 0
                second = Tensor(other, np.full(shape, whole, DTYPES[other].carrier))
                note = f"other {other} {list(shape)}"
                yield _pair(draw, draw.tensor((5,), "exact"), second), note
    if draw.kind == "special":
        same = Tensor(draw.dtype, np.full((3,), target, draw.info.carrier))
        for value in (np.inf, -np.inf):
            data = np.array([1, value, -1], draw.info.carrier)
            yield _pair(draw, Tensor(draw.dtype, data), same), f"{value}"


def logarithms(draw: Draw) -> Iterator[Sample]:
    """Logarithms of both."""
    for values, note in _between(draw, "any", "any", (0.0, -2.0, 1.0, np.nan)):
        yield Sample(values, note)
    for values, note in _divergences(draw, "any", 0.0):
        yield Sample(values, note)


def signs(draw: Draw) -> Iterator[Sample]:
    """An operand and signs, which may be broadcast to it."""
    for values, note in _signs(draw):
        first, second = values.values()
        if np.broadcast_shapes(first.shape, second.shape) == first.shape:
            yield Sample(values, note)
    if draw.kind == "special":
        far = round_to(np.log([2.0, 4, 8, 16]) - np.log(draw.info.tiny), draw.info)
        one = Tensor(draw.dtype, np.ones(4, draw.info.carrier))
        yield Sample(_pair(draw, Tensor(draw.dtype, far), one), "subnormal losses")


def _weighted(draw: Draw, samples: Iterator[Sample], name: str = "weight") -> Iterator[Sample]:
    """Each without a weight and with one for each place of the last dimension."""
    for sample in samples:
        yield sample
        if draw.kind in ("small", "sizes", "shapes"):
            shape = _shape_of(sample.values)
            weight = draw.tensor(shape[-1:], "positive")
            values = {**sample.values, name: weight}
            names = [a.name for a in draw.spec.args]
            ordered = {name: values[name] for name in names if name in values}
            yield Sample(ordered, f"{sample.note}, {name}")
        if draw.kind == "special" and name == "weight":
            data = np.ones(_shape_of(sample.values)[-1:], draw.info.carrier)
            data[::6] = np.inf  # where the logit is zero
            values = {**sample.values, name: Tensor(draw.dtype, data)}
            names = [a.name for a in draw.spec.args]
            ordered = {name: values[name] for name in names if name in values}
            yield Sample(ordered, f"{sample.note}, infinite weights")


def losses_shares(draw: Draw) -> Iterator[Sample]:
    """Shares, weighted and reduced."""
    yield from _reduced(draw, _weighted(draw, shares(draw)))


def losses_logits(draw: Draw) -> Iterator[Sample]:
    """Logits, weighted in both ways and reduced."""
    plain = (Sample(values, note) for values, note in _logits(draw))
    yield from _reduced(draw, _weighted(draw, _weighted(draw, plain), "pos_weight"))


def losses_divergence(draw: Draw) -> Iterator[Sample]:
    """Logarithms and shares, or logarithms of both, reduced; by the batch too."""
    for sample in _reduced(draw, logarithm_and_share(draw)):
        yield sample
        if "reduction" not in sample.values and _shape_of(sample.values)[:1] != (0,):
            yield Sample({**sample.values, "reduction": "batchmean"}, f"{sample.note}, batchmean")
    for sample in _reduced(draw, logarithms(draw)):
        yield Sample({**sample.values, "log_target": True}, f"{sample.note}, logarithms")


def losses_soft_signs(draw: Draw) -> Iterator[Sample]:
    """Signs, reduced."""
    yield from _reduced(draw, signs(draw))


# Errors.


def losses_differ(draw: Draw) -> Iterator[ErrorSample]:
    """Shapes that can't be broadcast."""
    values = {"input": draw.tensor((2,)), "target": draw.tensor((3,))}
    yield ErrorSample(values, "RuntimeError", r".*\[2\].*\[3\]")


def elements_differ(draw: Draw) -> Iterator[ErrorSample]:
    """Shapes that can't be broadcast."""
    values = {"self": draw.tensor((2,)), "target": draw.tensor((3,))}
    yield ErrorSample(values, "RuntimeError", r".*\[2\].*\[3\]")


def _plain(draw: Draw) -> dict[str, Any]:
    names = [a.name for a in draw.spec.args if a.type == "Tensor"]
    domain = "unit" if "entropy" in draw.spec.name else "any"
    return {name: draw.tensor((3,), domain) for name in names}


def _named(draw: Draw, name: str, value: object) -> dict[str, Any]:
    values = {**_plain(draw), name: value}
    return {a.name: values[a.name] for a in draw.spec.args if a.name in values}


def reduction_unknown(draw: Draw) -> Iterator[ErrorSample]:
    """A word that names no fold."""
    pattern = r"{op}: reduction must be .*; got 'median'"
    yield ErrorSample(_named(draw, "reduction", "median"), "ValueError", pattern)


def beta_negative(draw: Draw) -> Iterator[ErrorSample]:
    """A bend below 0."""
    yield ErrorSample(_named(draw, "beta", -1.0), "RuntimeError", r"{op}: beta .*-1")


def delta_not_positive(draw: Draw) -> Iterator[ErrorSample]:
    """A bend that isn't above 0."""
    for delta in (0.0, -1.0):
        values = _named(draw, "delta", delta)
        yield ErrorSample(values, "RuntimeError", r"{op}: delta .*", note=f"{delta=}")


def ranking_shapes(draw: Draw) -> Iterator[ErrorSample]:
    """Shapes that can't be broadcast."""
    for shape in ((2,), (4,)):
        values = {**_plain(draw), "target": draw.tensor(shape)}
        yield ErrorSample(values, "RuntimeError", r".*", note=f"{list(shape)}")


def ranking_ranks(draw: Draw) -> Iterator[ErrorSample]:
    """Ranks that differ."""
    for name in ("target", "input2"):
        values = {**_plain(draw), name: draw.tensor((1, 3))}
        yield ErrorSample(values, "RuntimeError", r"{op}: .*dimensions", note=name)


def elements_differ_strictly(draw: Draw) -> Iterator[ErrorSample]:
    """Shapes that differ, where the public function refuses even those that could be broadcast."""
    values = {"self": draw.tensor((2,), "unit"), "target": draw.tensor((3,), "unit")}
    if draw.spec.argument("pos_weight") is not None:
        values["pos_weight"] = draw.tensor((), "positive")
    yield ErrorSample(values, "RuntimeError", r".*\[2\].*\[3\]", also=("ValueError",))


def entropy_shapes(draw: Draw) -> Iterator[ErrorSample]:
    """Shapes that could be broadcast, which is not done."""
    values = {"input": draw.tensor((2, 3), "unit"), "target": draw.tensor((3,), "unit")}
    yield ErrorSample(values, "ValueError", r"{op}: .*\[2, 3\] and \[3\]")


def divergence_reduction(draw: Draw) -> Iterator[ErrorSample]:
    """A word that names no fold."""
    pattern = r"{op}: reduction must be 'batchmean'.*; got 'median'"
    yield ErrorSample(_named(draw, "reduction", "median"), "ValueError", pattern)
