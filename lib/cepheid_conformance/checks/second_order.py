"""K20: gradients of gradients: they follow differences of the gradients, and are symmetric."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..cells import Bench, Cell
from ..dtypes import Array
from ..facts import Outcome, Report
from ..op_spec import OpSpec
from ..script import Ref
from ..slopes import STEP, Point, points_of, random_like, smooth_slope
from ..tensors import Tensor
from . import gradient
from .common import Finding, failure, finding, run_scripts, spread
from .tape import Tape, cotangent_tensors, gradient_arrays, wrong_structure

KIND = "second_order"
NUMBER = "K20"
LEVEL = "must"
DEVICES = ("cpu",)
FEATURES = ("gradients",)
_POINTS = 4
_CANCELLED = 1e-12  # what rounding leaves of gradients that cancel, in sums of numbers about 1
_STEPS = (0.0, STEP, -STEP, STEP / 2, -STEP / 2)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs a gradient, in double precision: differences tell nothing in less."""
    if dtype not in ("float64", "complex128"):
        return "differences of gradients need double precision"
    return gradient.inapplicable(spec, dtype)


@dataclass(eq=False)
class Case:
    """A point with a line through all its leaves and cotangents, and weights of its gradients."""

    point: Point
    inputs: tuple[Tensor, ...]  # leaves, then cotangents
    directions: tuple[Array, ...]
    weights: tuple[Array, ...]
    chosen: list[int] = field(default_factory=list)  # gradients that have a history
    slope: tuple[float, float] | None = None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """First the gradients along the line, then their gradients."""
    points = [p for p in points_of(cell.spec, cell.dtype) if p.slopes]
    cases = [_case(cell.spec, point) for point in spread(points, _POINTS)]
    first = [_first_order(cell, case, step) for case in cases for step in _STEPS]
    outcomes = run_scripts(bench, [tape.script for tape in first])
    ready, found = [], []
    for number, case in enumerate(cases):
        place = number * len(_STEPS)
        along = outcomes[place : place + len(_STEPS)]
        broken = next((wrong for outcome in along if (wrong := failure(outcome))), None)
        if broken is not None:
            found.append(finding(first[place].script, case.point.sample, *broken, along[0]))
        elif _prepare(case, along):
            ready.append(case)
    return found + _second(cell, bench, ready)


def _case(spec: OpSpec, point: Point) -> Case:
    cotangents = [tensor for tensor in cotangent_tensors(point) if tensor is not None]
    inputs = (*point.leaves, *cotangents)
    seeds = [zlib.crc32(f"{spec.key}/second/{n}".encode()) for n in range(len(inputs))]
    directions = tuple(random_like(t.data, s) for t, s in zip(inputs, seeds, strict=True))
    weights = tuple(
        random_like(leaf.data, seed + 1) for leaf, seed in zip(point.leaves, seeds, strict=False)
    )
    return Case(point, inputs, directions, weights)


def _first_order(cell: Cell, case: Case, step: float) -> Tape:
    """The gradients at a place of the line, recorded."""
    new = {
        id(tensor): tensor.replaced(np.asarray(tensor.data + step * direction, tensor.data.dtype))
        for tensor, direction in zip(case.inputs, case.directions, strict=True)
    }
    leaves = [new[id(leaf)] for leaf in case.point.leaves]
    sample = case.point.sample.mapped(lambda tensor: new.get(id(tensor), tensor), "")
    given = iter(case.inputs[len(leaves) :])
    cotangents = [None if v is None else new[id(next(given))] for v in case.point.cotangents]
    tape = Tape(cell, sample, leaves)
    tape.keys += [tape.script.tensor(v) for v in cotangents if v is not None]
    tape.need_gradients()
    tape.record()
    tape.gradients(cotangents, tape.keys[: len(leaves)], create_graph=True)
    return tape


def _prepare(case: Case, along: Sequence[Outcome]) -> bool:
    """Take the slope of the weighted gradients, if there is one. Which have a history?"""
    reports = [outcome.reports[-1] for outcome in along]
    numbers = {step: _weighted(case, report) for step, report in zip(_STEPS, reports, strict=True)}
    case.slope = smooth_slope(lambda step: numbers[step])
    case.chosen = [
        place
        for place, value in enumerate(reports[0].values)
        if value.kind == "tensor" and value.requires_grad
    ]
    return case.slope is not None


def _weighted(case: Case, report: Report) -> tuple[Any, Any]:
    total = size = np.longdouble(0)
    for got, weight in zip(gradient_arrays(report), case.weights, strict=True):
        if got is not None:
            product = (np.conj(weight) * got).real.astype(np.longdouble)
            total, size = total + np.sum(product), size + np.sum(np.abs(product))
    return total, size


def _second(cell: Cell, bench: Bench, cases: Sequence[Case]) -> list[Finding]:
    """The gradients of the weighted gradients against their slope; both ways of a Hessian."""
    tapes = [_second_order(cell, case) for case in cases]
    outcomes = run_scripts(bench, [tape.script for tape in tapes])
    found = []
    for case, tape, outcome in zip(cases, tapes, outcomes, strict=True):
        wrong = failure(outcome) or _judge(bench, case, outcome)
        if wrong is not None:
            found.append(finding(tape.script, case.point.sample, *wrong, outcome))
    return found


def _second_order(cell: Cell, case: Case) -> Tape:
    tape = _first_order(cell, case, 0.0)
    if case.chosen:
        gradients = [Ref(tape.result_of_gradients, place) for place in case.chosen]
        for weights in (case.weights, case.directions):
            given = [_tensor(case.inputs[place], weights[place]) for place in case.chosen]
            tape.call(
                "function", "autograd.grad", gradients, [Ref(key) for key in tape.keys], given,
                allow_unused=True, retain_graph=True,
            )  # fmt: skip
    return tape


def _tensor(like: Tensor, values: Array) -> Tensor:
    return Tensor(like.dtype, np.asarray(values, like.data.dtype))


def _judge(bench: Bench, case: Case, outcome: Outcome) -> tuple[str, str] | None:
    assert case.slope is not None
    slope, summands = case.slope
    if not case.chosen:
        return _apart(bench, slope, 0.0, summands, "no gradient has a history")
    weighted, directed = outcome.reports[-2:]
    wrong = wrong_structure(weighted, case.inputs)
    if wrong is not None:
        return wrong
    got, size = _along(weighted, case.directions)
    wrong = _apart(bench, slope, got, size + summands, "the gradients of the gradients give")
    if wrong is not None:
        return wrong
    count = len(case.point.leaves)
    chosen = set(case.chosen)
    one, _ = _along(weighted, case.directions[:count], chosen)
    two, _ = _along(directed, case.weights, chosen)
    if not abs(one - two) <= bench.tolerances.slope * (abs(one) + size):
        return "symmetry", f"symmetry: the Hessian gives {one:.12g} one way, {two:.12g} the other"
    return None


def _along(
    report: Report, directions: Sequence[Array], chosen: set[int] | None = None
) -> tuple[float, float]:
    total = size = np.longdouble(0)
    for place, (got, way) in enumerate(zip(gradient_arrays(report), directions, strict=False)):
        if got is not None and (chosen is None or place in chosen):
            product = (np.conj(got) * way).real.astype(np.longdouble)
            total, size = total + np.sum(product), size + np.sum(np.abs(product))
    return float(total), float(size)


def _apart(
    bench: Bench, slope: float, got: float, size: float, text: str
) -> tuple[str, str] | None:
    if abs(slope - got) <= bench.tolerances.slope * (abs(slope) + size) + _CANCELLED:
        return None
    return "second order", (
        f"second order: along a line through all operands and cotangents the gradients change by "
        f"{slope:.12g}; {text} {got:.12g}"
    )
