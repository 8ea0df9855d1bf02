"""K21: what gradients must not depend on: the cotangents' memory, which results are used, which
operands ask, the variant; and what was written since must be noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..cells import Bench, Cell
from ..doors import receivers, variants_of
from ..dtypes import DTYPES, Array
from ..facts import Outcome, Report
from ..families import expected_of, samples_of
from ..layouts import is_dense, stepped, transposed
from ..not_differentiable import UNPROMISED, constant, leaves_of
from ..op_spec import OpSpec
from ..sample import Sample
from ..script import Ref
from ..slopes import Point, points_of
from ..tensors import Tensor
from .common import Finding, failure, finding, run_scripts, spread
from .tape import Tape, cotangent_tensors, gradient_arrays, wrong_structure

KIND = "cotangents"
NUMBER = "K21"
LEVEL = "must"
DEVICES = ("cpu",)
FEATURES = ("gradients",)
_POINTS = 2
_UNITS = 64  # of the largest gradient: memory and order of sums may differ, no more

Wrong = tuple[str, str] | None
Gradients = list[Array | None]


@dataclass(eq=False)
class Case:
    """A recording, and what is wrong with its outcome given the plain gradients of its point."""

    tape: Tape
    judge: Callable[[Outcome, Gradients], Wrong]
    plain: Tape | None = None  # what to compare with, if not the plain gradients of the point
    may_refuse: bool = False


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an operand that can ask for a gradient; precision is no part of the question."""
    if dtype not in ("float64", "complex128"):
        return "graphs and strides are the same for all precisions"
    if not spec.tensor_args:
        return "the op takes no tensor"
    if spec.key in UNPROMISED:
        return UNPROMISED[spec.key]
    return None if points_of(spec, dtype) or _plain_samples(spec, dtype) else "no floating operand"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Ops with gradients in every way; of the others, that their results ask for none."""
    if constant(cell.spec) is not None or not points_of(cell.spec, cell.dtype):
        return _without_history(cell, bench)
    points = _chosen([p for p in points_of(cell.spec, cell.dtype) if p.slopes])
    found: list[Finding] = []
    for point in points:
        plain = _gradients(cell, point, cotangent_tensors(point))
        cases = [Case(plain, _facts), *_cases(cell, point)]
        tapes = [tape for case in cases for tape in (case.tape, case.plain) if tape is not None]
        outcomes = run_scripts(bench, [tape.script for tape in tapes])
        by_tape = dict(zip(map(id, tapes), outcomes, strict=True))
        found += _judge(point, cases, by_tape)
    return found


def _chosen(points: list[Point]) -> list[Point]:
    """The first point, and one whose cotangents have strides that matter."""
    widest = max(points, key=_rank_and_size, default=None)
    return points[:1] + [p for p in points[1:] if p is widest]


def _rank_and_size(point: Point) -> tuple[int, int]:
    given = [v for v in point.cotangents if v is not None]
    return max((min(np.squeeze(v).ndim, 2), v.size) for v in given)


def _judge(point: Point, cases: list[Case], outcomes: dict[int, Outcome]) -> Iterator[Finding]:
    first = outcomes[id(cases[0].tape)]
    if (broken := failure(first)) is not None:
        yield finding(cases[0].tape.script, point.sample, *broken, first)
        return
    plain = gradient_arrays(first.reports[-1])
    for case in cases:
        outcome = outcomes[id(case.tape)]
        wrong = _refusal(outcome) if case.may_refuse else failure(outcome)
        if case.may_refuse and outcome.reports[-1].error is not None:
            compare_with = None
        elif case.plain is None:
            compare_with = plain
        else:
            compare_with = gradient_arrays(outcomes[id(case.plain)].reports[-1])
        if wrong is None and compare_with is not None:
            wrong = case.judge(outcome, compare_with)
        if wrong is not None:
            yield finding(case.tape.script, case.tape.sample, *wrong, outcome)


def _refusal(outcome: Outcome) -> Wrong:
    """A gradient that can't be had any more is a RuntimeError, at the write or afterwards."""
    error = outcome.reports[-1].error if outcome.reports else None
    if error is not None and "RuntimeError" in error.bases:
        return None
    return failure(outcome)


def _gradients(
    cell: Cell, point: Point, cotangents: Sequence[Tensor | None], note: str = "", variant: str = ""
) -> Tape:
    sample = replace(point.sample, note=f"{point.sample.note} {note}".strip())
    tape = Tape(cell, sample, point.leaves)
    tape.need_gradients()
    tape.record(variant)
    tape.gradients(cotangents)
    return tape


def _cases(cell: Cell, point: Point) -> Iterator[Case]:
    yield from _in_other_memory(cell, point)
    yield from _constant_cotangents(cell, point)
    yield from _some_results(cell, point)
    yield from _some_operands(cell, point)
    yield from _variants(cell, point)
    yield from _writes(cell, point)
    yield from _backward(cell, point)


# What the plain recording must show, and what all others must agree with.


def _facts(outcome: Outcome, plain: Gradients) -> Wrong:
    """Floating results have a history, others none."""
    results = outcome.reports[-2]
    for number, value in enumerate(results.values):
        inexact = value.kind == "tensor" and DTYPES[value.dtype].is_inexact
        if value.kind == "tensor" and not inexact and value.requires_grad:
            return "history", f"history: result {number} of {value.dtype} requires a gradient"
        own = number < len(results.same_as) and results.same_as[number] == -1
        if inexact and own and value.requires_grad and value.is_leaf:
            return "history", f"history: result {number} requires a gradient and is a leaf"
    return None


def _same(outcome: Outcome, plain: Gradients) -> Wrong:
    return _close(gradient_arrays(outcome.reports[-1]), plain)


def _close(got: Gradients, wanted: Gradients, times: float = 1.0) -> Wrong:
    for number, (one, two) in enumerate(zip(got, wanted, strict=True)):
        if one is None and two is None:
            continue
        if one is None or two is None:
            there = one if one is not None else two
            if np.any(there):
                return "gradient", f"gradient {number}: {'none' if one is None else 'one'} came"
            continue
        if one.shape != two.shape:
            return "shape", f"shape of gradient {number}: {one.shape}, and {two.shape} before"
        largest = np.max(np.abs(two), initial=1.0)
        if not np.all(np.abs(one - times * two) <= _UNITS * 2.0**-52 * largest):
            place = int(np.argmax(np.abs(one - times * two)))
            wished = times * two.ravel()[place]
            return "gradient", (
                f"gradient {number}: element {place} is {one.ravel()[place]!r}; expected {wished!r}"
            )
    return None


# One group of cases each.


def _in_other_memory(cell: Cell, point: Point) -> Iterator[Case]:
    """Cotangents that aren't contiguous."""
    for change in (transposed, stepped):
        moved = [None if v is None else change(v) for v in cotangent_tensors(point)]
        note = f"cotangent {change.__name__}"
        yield Case(_gradients(cell, point, moved, note), _same)


def _constant_cotangents(cell: Cell, point: Point) -> Iterator[Case]:
    """One number for all elements, expanded; and zeros."""
    whole = [None if v is None else v.replaced(np.full_like(v.data, 0.75))
             for v in cotangent_tensors(point)]  # fmt: skip
    thin = [None if v is None else replace(v, strides=(0,) * len(v.shape)) for v in whole]
    plain = _gradients(cell, point, whole, "cotangent constant")
    yield Case(_gradients(cell, point, thin, "cotangent expanded"), _same, plain)
    zeros = [None if v is None else v.replaced(np.zeros_like(v.data)) for v in whole]
    yield Case(_gradients(cell, point, zeros, "cotangent zero"), _zero)


def _zero(outcome: Outcome, plain: Gradients) -> Wrong:
    for number, value in enumerate(gradient_arrays(outcome.reports[-1])):
        if value is not None and np.any(value):
            return "gradient", f"gradient {number}: of a zero cotangent it isn't zero"
    return None


def _some_results(cell: Cell, point: Point) -> Iterator[Case]:
    """Of several results one is used: the others count as if their cotangents were zero."""
    given = cotangent_tensors(point)
    used = [number for number, v in enumerate(given) if v is not None]
    for number in used if len(used) > 1 else ():
        alone = [v if place == number else None for place, v in enumerate(given)]
        zeros = [
            v if v is None or place == number else v.replaced(np.zeros_like(v.data))
            for place, v in enumerate(given)
        ]
        plain = _gradients(cell, point, zeros, "zeros for others")
        yield Case(_gradients(cell, point, alone, f"result {number} alone"), _same, plain)


def _some_operands(cell: Cell, point: Point) -> Iterator[Case]:
    """One operand alone asks for its gradient; none asks."""
    for number in range(len(point.leaves)) if len(point.leaves) > 1 else ():
        sample = replace(point.sample, note=f"{point.sample.note} operand {number} alone asks")
        tape = Tape(cell, sample, point.leaves)
        tape.need_gradients([tape.keys[number]])
        tape.record()
        tape.gradients(cotangent_tensors(point), [tape.keys[number]])
        yield Case(tape, _only(number), may_refuse=_may_lack(cell, point))
    tape = Tape(cell, point.sample, point.leaves)
    tape.record()
    yield Case(tape, _no_history)


def _may_lack(cell: Cell, point: Point) -> bool:
    """Whether a result may depend on some operands only: each tensor of a list on its own."""
    return cell.spec.gives_list


def _only(number: int) -> Callable[[Outcome, Gradients], Wrong]:
    return lambda outcome, plain: _close(gradient_arrays(outcome.reports[-1]), [plain[number]])


def _no_history(outcome: Outcome, plain: Gradients) -> Wrong:
    for number, value in enumerate(outcome.reports[-1].values):
        if value.kind == "tensor" and (value.requires_grad or not value.is_leaf):
            return "history", f"history: result {number} has one; no operand asked for a gradient"
    return None


def _variants(cell: Cell, point: Point) -> Iterator[Case]:
    """Every other variant gives the same gradients; out= refuses operands that ask."""
    for variant in variants_of(cell.spec)[1:]:
        if variant in ("out", "varargs"):
            continue
        if variant in ("inplace", "inplace_operator") and not _holds_result(cell.spec, point):
            continue
        given = cotangent_tensors(point)
        yield Case(_gradients(cell, point, given, variant, variant), _same)


def _holds_result(spec: OpSpec, point: Point) -> bool:
    pairs = zip(expected_of(spec, point.sample), receivers(point.sample), strict=False)
    return all(one.dtype == two.dtype and one.shape == two.shape for one, two in pairs)


def _writes(cell: Cell, point: Point) -> Iterator[Case]:
    """An operand or a result is written after the call: its gradients are as if it weren't, or
    a RuntimeError says that they can't be had."""
    if cell.spec.mutates:
        return
    for number, leaf in enumerate(point.leaves):
        sample = replace(point.sample, note=f"{point.sample.note} operand {number} written since")
        tape = Tape(cell, sample, point.leaves)
        tape.need_gradients()
        copy = tape.copy_leaf(leaf)
        tape.record()
        tape.call("method", "mul_", Ref(copy), 3)
        tape.gradients(cotangent_tensors(point))
        yield Case(tape, _as_written, may_refuse=True)
    yield from _written_results(cell, point)


def _as_written(outcome: Outcome, plain: Gradients) -> Wrong:
    """What looks at the operand's memory was written with it, and is three times the operand."""
    *_, copy, results, _written, gradients = outcome.reports
    shared = any(value.storage == copy.values[0].storage for value in results.values)
    return _close(gradient_arrays(gradients), plain, times=3.0 if shared else 1.0)


def _written_results(cell: Cell, point: Point) -> Iterator[Case]:
    used = [number for number, v in enumerate(point.cotangents) if v is not None]
    if len(used) != 1:
        return
    sample = replace(point.sample, note=f"{point.sample.note} result written since")
    tape = Tape(cell, sample, point.leaves)
    tape.need_gradients()
    for leaf in point.leaves:
        tape.copy_leaf(leaf)
    tape.record()
    (output,) = tape.outputs(used)
    copy = tape.call("method", "clone", output)
    tape.call("method", "mul_", output, 3)
    cotangents = [v for v in cotangent_tensors(point) if v is not None]
    inputs = [Ref(key) for key in tape.keys]
    tape.call("function", "autograd.grad", [Ref(copy)], inputs, cotangents, allow_unused=True)
    yield Case(tape, _same, may_refuse=True)


def _backward(cell: Cell, point: Point) -> Iterator[Case]:
    """`backward` twice leaves the sum of both in `.grad`, laid out as its tensor where that is
    dense."""
    used = [number for number, v in enumerate(point.cotangents) if v is not None]
    if len(used) != 1 or cell.spec.is_view:
        return
    changed = {id(leaf): transposed(leaf) for leaf in point.leaves if leaf.strides is None}
    sample = point.sample.mapped(lambda t: changed.get(id(t), t), "backward twice")
    leaves = [changed.get(id(leaf), leaf) for leaf in point.leaves]
    tape = Tape(cell, sample, leaves)
    tape.need_gradients()
    tape.record()
    (output,) = tape.outputs(used)
    (cotangent,) = [v for v in cotangent_tensors(point) if v is not None]
    tape.call("method", "backward", output, cotangent, retain_graph=True)
    tape.call("method", "backward", output, cotangent)
    for key in tape.keys:
        tape.call("attribute", "grad", Ref(key))
    yield Case(tape, _accumulated(leaves))


def _accumulated(leaves: Sequence[Tensor]) -> Callable[[Outcome, Gradients], Wrong]:
    def judge(outcome: Outcome, plain: Gradients) -> Wrong:
        values = tuple(report.values[0] for report in outcome.reports[-len(leaves) :])
        wrong = wrong_structure(Report(values), leaves)
        if wrong is not None:
            return wrong
        for number, (value, leaf) in enumerate(zip(values, leaves, strict=True)):
            dense = value.kind == "tensor" and is_dense(leaf)
            if dense and value.strides != _meaningful(leaf, value.strides):
                return "strides", (
                    f"strides of gradient {number}: expected those of its tensor, "
                    f"{leaf.element_strides()}; got {value.strides}"
                )
        return _close(gradient_arrays(Report(values)), plain, times=2.0)

    return judge


def _meaningful(leaf: Tensor, strides: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of the leaf, but for dims of one element, whose stride says nothing."""
    pairs = zip(leaf.shape, leaf.element_strides(), strides, strict=True)
    return tuple(theirs if size == 1 else own for size, own, theirs in pairs)


# Ops without gradients.


def _plain_samples(spec: OpSpec, dtype: str) -> list[Sample]:
    samples = spread(samples_of(spec, dtype, "small"), _POINTS)
    return [sample for sample in samples if leaves_of(spec, sample)]


def _without_history(cell: Cell, bench: Bench) -> list[Finding]:
    """Comparisons, indices, factories: their results ask for no gradient, whoever asked."""
    tapes = []
    for sample in _plain_samples(cell.spec, cell.dtype):
        tape = Tape(cell, sample, leaves_of(cell.spec, sample))
        tape.need_gradients()
        tape.record()
        tapes.append(tape)
    outcomes = run_scripts(bench, [tape.script for tape in tapes])
    found = []
    for tape, outcome in zip(tapes, outcomes, strict=True):
        wrong = failure(outcome) or _requires(cell.spec, outcome.reports[-1])
        if wrong is not None:
            found.append(finding(tape.script, tape.sample, *wrong, outcome))
    return found


def _requires(spec: OpSpec, report: Report) -> Wrong:
    for number, value in enumerate(report.values):
        if value.kind == "tensor" and value.requires_grad:
            return "history", f"history: result {number} requires a gradient; the op gives none"
    return None
