"""K19: gradients: those of float64 follow the slopes of the oracle, the others those of float64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..cells import Bench, Cell
from ..dtypes import DTYPES, Array, round_to
from ..facts import Outcome, Report
from ..layouts import stepped, transposed
from ..not_differentiable import constant
from ..op_spec import OpSpec
from ..slopes import Point, points_of
from ..tensors import Tensor
from .common import Finding, failure, finding, run_scripts
from .tape import Tape, cotangent_tensors, gradient_arrays, wrong_structure

KIND = "gradient"
NUMBER = "K19"
LEVEL = "must"
DEVICES = ("cpu",)
FEATURES = ("gradients",)
WIDE = {"float64": "float64", "complex128": "complex128", "float32": "float64"}
WIDE |= {"float16": "float64", "bfloat16": "float64", "complex64": "complex128"}


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an operand and a result that gradients reach."""
    if dtype not in WIDE or WIDE[dtype] not in spec.dtypes["cpu"]:
        return "gradients are those of floating and complex numbers"
    if not spec.tensor_args:
        return "the op takes no tensor"
    if (reason := constant(spec)) is not None:
        return reason
    return None if points_of(spec, WIDE[dtype]) else "no result is floating"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Ask for the gradients at each point."""
    points = list(points_of(cell.spec, WIDE[cell.dtype]))
    if cell.dtype not in ("float64", "complex128"):
        return _against_wide(cell, bench, points)
    laid = [_laid_out(cell.spec, number, point) for number, point in enumerate(points)]
    tapes = [gradient_tape(cell, point) for point in laid]
    outcomes = run_scripts(bench, [tape.script for tape in tapes])
    found = []
    for point, tape, outcome in zip(laid, tapes, outcomes, strict=True):
        wrong = failure(outcome) or _judge(bench, point, outcome.reports[-1])
        if wrong is not None:
            found.append(finding(tape.script, point.sample, *wrong, outcome))
    return found


def gradient_tape(cell: Cell, point: Point) -> Tape:
    """Gradients of all leaves."""
    tape = Tape(cell, point.sample, point.leaves)
    tape.need_gradients()
    tape.record()
    tape.gradients(cotangent_tensors(point))
    return tape


_LAYOUTS = (None, transposed, None, stepped)


def _laid_out(spec: OpSpec, number: int, point: Point) -> Point:
    """Every second point in another layout, where the op reads any."""
    change = _LAYOUTS[number % len(_LAYOUTS)]
    if change is None or spec.is_view or spec.mutates:
        return point
    new = {id(leaf): change(leaf) for leaf in point.leaves if leaf.strides is None}
    sample = point.sample.mapped(lambda tensor: new.get(id(tensor), tensor), change.__name__)
    leaves = tuple(new.get(id(leaf), leaf) for leaf in point.leaves)
    return replace(point, sample=sample, leaves=leaves)


def _judge(bench: Bench, point: Point, report: Report) -> tuple[str, str] | None:
    """Structure first, then each slope."""
    wrong = wrong_structure(report, point.leaves)
    if wrong is not None:
        return wrong
    gradients = gradient_arrays(report)
    for slope in point.slopes:
        gradient = gradients[slope.leaf]
        products = (
            np.zeros(1)
            if gradient is None
            else (np.conj(gradient) * slope.direction).real.astype(np.longdouble)
        )
        got, size = float(np.sum(products)), float(np.sum(np.abs(products)))
        room = bench.tolerances.slope * (size + abs(slope.value)) + 1e-9 * slope.size
        if not abs(got - slope.value) <= room:
            given = "no gradient" if gradient is None else f"gradient {_shown(gradient)}"
            return "gradient", (
                f"gradient {slope.leaf}: along {_shown(slope.direction)} the slope is "
                f"{slope.value:.12g}; got {got:.12g} from {given}"
            )
    return None


def _shown(values: Array) -> str:
    text = np.array2string(values.ravel()[:6], precision=6, separator=", ")
    return text if values.size <= 6 else f"{text[:-1]}, ...]"


# Narrower dtypes: the same values in double precision.


def _against_wide(cell: Cell, bench: Bench, points: Sequence[Point]) -> list[Finding]:
    """The gradients of both precisions at values that the narrower one holds."""
    wide_cell = replace(cell, dtype=WIDE[cell.dtype])
    pairs = [_rounded(cell.dtype, point) for point in points]
    tapes = [gradient_tape(cell, narrow) for narrow, _ in pairs]
    checked = [gradient_tape(wide_cell, wide) for _, wide in pairs]
    outcomes = run_scripts(bench, [tape.script for tape in (*tapes, *checked)])
    found = []
    for (narrow, _), tape, one, two in zip(
        pairs, tapes, outcomes[: len(pairs)], outcomes[len(pairs) :], strict=True
    ):
        wrong = failure(one) or failure(two) or _compare(cell, bench, narrow, one, two)
        if wrong is not None:
            found.append(finding(tape.script, narrow.sample, *wrong, one))
    return found


def _rounded(dtype: str, point: Point) -> tuple[Point, Point]:
    """The point in a narrower dtype, and with the same values in its own."""
    return _converted(point, dtype, dtype), _converted(point, point.leaves[0].dtype, dtype)


def _converted(point: Point, dtype: str, values_of: str) -> Point:
    """The point in a dtype, with values that another one holds."""
    new: dict[int, Tensor] = {}
    wide = point.leaves[0].dtype

    def change(tensor: Tensor) -> Tensor:
        if not tensor.info.is_inexact or tensor.dtype != wide:
            return tensor
        if id(tensor) not in new:
            values = round_to(tensor.data, DTYPES[values_of]).astype(DTYPES[dtype].carrier)
            new[id(tensor)] = replace(tensor, dtype=dtype, data=values)
        return new[id(tensor)]

    sample = point.sample.mapped(change, "")
    named = {name: dtype if _is(value, wide) else value for name, value in sample.values.items()}
    sample = replace(sample, values=named)
    part = DTYPES[values_of].real_name if DTYPES[values_of].is_complex else values_of
    cotangents = tuple(
        None if v is None else round_to(v, DTYPES[values_of if v.dtype.kind == "c" else part])
        for v in point.cotangents
    )
    return Point(sample, tuple(map(change, point.leaves)), cotangents, point.slopes)


def _is(value: object, dtype: str) -> bool:
    return isinstance(value, str) and value == dtype


def _compare(
    cell: Cell, bench: Bench, point: Point, narrow: Outcome, wide: Outcome
) -> tuple[str, str] | None:
    """Structure, and values within a few units of the largest gradient."""
    wrong = wrong_structure(narrow.reports[-1], point.leaves)
    if wrong is not None:
        return wrong
    pairs = zip(
        gradient_arrays(narrow.reports[-1]),
        gradient_arrays(wide.reports[-1]),
        strict=True,
    )
    units = bench.tolerances.gradient_units(cell.dtype)
    for number, (got, wanted) in enumerate(pairs):
        if got is None or wanted is None:
            if (got is None) != (wanted is None):
                return "gradient", f"gradient {number}: one of {cell.dtype} and float64 has none"
            continue
        largest = np.max(np.abs(wanted), initial=1.0)
        room = units * DTYPES[cell.dtype].eps * largest
        error = np.abs(got.astype(wanted.dtype) - wanted)
        if largest < DTYPES[cell.dtype].max_value / 2 and not np.all(error <= room):
            place = int(np.argmax(np.where(error == error, error, np.inf)))
            return "gradient", (
                f"gradient {number}: element {place} in {WIDE[cell.dtype]} is "
                f"{wanted.ravel()[place]:.9g}; got {got.ravel()[place]:.9g}"
            )
    return None
