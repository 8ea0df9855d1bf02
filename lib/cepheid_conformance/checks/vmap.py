"""K22: vmap of a call gives what the call gives for each slice; so does a pass backward with
several cotangents at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..batches import UNBATCHED, Batch, batches, wanted
from ..cells import Bench, Cell
from ..doors import encode_call
from ..dtypes import Array
from ..facts import Outcome, Report
from ..families import samples_of
from ..not_differentiable import UNPROMISED, constant
from ..op_spec import OpSpec
from ..sample import Sample
from ..script import Script
from ..slopes import Point, points_of
from ..tensors import Tensor
from .common import MAX_FINDINGS, Finding, compare, failure, finding, run_scripts, spread
from .tape import Tape, cotangent_tensors, gradient_arrays

KIND = "vmap"
NUMBER = "K22"
LEVEL = "must"
DEVICES = ("cpu",)
FEATURES = ("gradients", "transforms")
_DTYPES = ("float64", "complex128", "int64", "bool")
_CLASSES = (("small", 2), ("arguments", 6), ("broadcast", 3), ("promotion", 3), ("shapes", 4))
_ELEMENTS = 4000  # of all operands: larger ones batch no differently
_POINTS = 3
_DRAWS = 3
_SLICES = 3
_MANY = 6  # numbers that two draws don't have in common by chance
_UNITS = 64  # of the largest gradient: the order of sums may differ, no more

Wrong = tuple[str, str] | None


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an operand to slice, and results that can be stacked."""
    if dtype not in _DTYPES:
        return "batches are the same for all precisions"
    if spec.key in UNBATCHED:
        return UNBATCHED[spec.key]
    if _seeded(spec, dtype):
        return None
    if not spec.tensor_args:
        return "the op takes no tensor and draws no numbers"
    if next(_batches(spec, dtype), None) is None and not _points(spec, dtype):
        return "no sample with operands that can be batched"
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Each batch slice by slice against the oracle, random numbers that slices share, and
    cotangents against one at a time."""
    claims = bench.capability.claims
    claimed = [b for b in _batches(cell.spec, cell.dtype) if claims(b.sample.values)]
    scripts = [_script(cell, batch) for batch in claimed]
    found = []
    outcomes = run_scripts(bench, scripts)
    for batch, script, outcome in zip(claimed, scripts, outcomes, strict=True):
        wrong = failure(outcome) or _judge(cell, bench, batch, outcome.reports[-1])
        if wrong is not None:
            found.append(finding(script, _noted(batch), *wrong, outcome))
        if len(found) >= MAX_FINDINGS:
            return found
    for sample in _seeded(cell.spec, cell.dtype):
        found += _drawn(cell, bench, sample)
    for point in _points(cell.spec, cell.dtype):
        found += _cotangents(cell, bench, point)
    return found


def _batches(spec: OpSpec, dtype: str) -> Iterator[Batch]:
    for kind, count in _CLASSES:
        for sample in spread(samples_of(spec, dtype, kind), count):
            size = sum(tensor.data.size for tensor in sample.tensors())
            draws = sample.seed is not None or sample.values.get("dropout_p")
            if not sample.or_error and not draws and size <= _ELEMENTS:
                yield from batches(spec, sample)


def _noted(batch: Batch) -> Sample:
    kinds = ["batched" if any(t is c for c in batch.chosen) else "shared"
             for t in batch.sample.tensors()]  # fmt: skip
    sizes = " of ".join(map(str, batch.sizes))
    end = " at the end" if batch.at_end else ""
    note = f"{batch.sample.note} batch of {sizes}{end}: {', '.join(kinds)}"
    return replace(batch.sample, note=note.strip())


def _script(cell: Cell, batch: Batch) -> Script:
    script = Script(cell.device)
    wholes = [script.tensor(batch.tensor(tensor)) for tensor in batch.chosen]
    slices = [script.stand_in(tensor) for tensor in batch.chosen]
    call = encode_call(script, cell.spec, batch.sample)
    place = -1 if batch.at_end else 0
    script.vmap(vars(call), slices, wholes, len(batch.sizes), in_dims=place, out_dims=place)
    return script


def _judge(cell: Cell, bench: Bench, batch: Batch, report: Report) -> Wrong:
    whole = wanted(cell.spec, batch.sample)
    if len(whole) != len(report.values):
        return "type", f"type: expected {len(whole)} results; got {len(report.values)}"
    for number, (expected, result) in enumerate(zip(whole, report.values, strict=True)):
        if result.kind != "tensor":
            return "type", f"type of result {number}: expected a tensor; got {result.kind}"
        shape = batch.shape_of(expected.shape)
        if result.shape != shape:
            return "shape", f"shape of result {number}: expected {shape}; got {result.shape}"
        if result.dtype != expected.dtype:
            return "dtype", f"dtype of result {number}: {expected.dtype}; got {result.dtype}"
    for index, sample in batch.slices():
        parts = [batch.result_at(result, index) for result in report.values]
        expectations = wanted(cell.spec, sample)
        for number, (expected, part) in enumerate(zip(expectations, parts, strict=True)):
            wrong = compare(cell, bench, expected, part)
            if wrong is not None:
                return wrong[0], f"result {number} of slice {index}: {wrong[1]}"
            failed = expected.holds([p.array() for p in parts]) if expected.holds else None
            if failed is not None:
                return "property", f"property of slice {index}: {failed}"
    return None


# ---- random numbers


def _seeded(spec: OpSpec, dtype: str) -> list[Sample]:
    """Calls that draw numbers, with the seed that says which."""
    return spread([s for s in samples_of(spec, dtype, "small") if s.seed is not None], _DRAWS)


def _drawn(cell: Cell, bench: Bench, sample: Sample) -> Iterator[Finding]:
    """Drawn by slices of something else: refused, the same for all, or different ones."""
    options = ("error", "same") if cell.spec.mutates else ("error", "same", "different")
    scripts = [_drawing(cell, sample, randomness) for randomness in options]
    outcomes = run_scripts(bench, scripts)
    for randomness, script, outcome in zip(options, scripts, outcomes, strict=True):
        note = f"{sample.note} randomness {randomness}".strip()
        if randomness == "error":
            wrong = _refusal(outcome)
        else:
            wrong = failure(outcome) or _judge_drawn(cell, bench, sample, outcome, randomness)
        if wrong is not None:
            yield finding(script, replace(sample, note=note), *wrong, outcome)


def _drawing(cell: Cell, sample: Sample, randomness: str) -> Script:
    script = Script(cell.device)
    counter = Tensor("float32", np.zeros(_SLICES, np.float32))
    whole, one = script.tensor(counter), script.stand_in(counter)
    call = encode_call(script, cell.spec, sample)
    script.seed(sample.seed or 0)
    script.vmap(vars(call), [one], [whole], 1, randomness=randomness)
    return script


def _refusal(outcome: Outcome) -> Wrong:
    error = outcome.reports[-1].error if outcome.reports else None
    if error is not None and "RuntimeError" in error.bases:
        return None
    return failure(outcome) or ("error", "numbers were drawn; expected an error, as by default")


def _judge_drawn(
    cell: Cell, bench: Bench, sample: Sample, outcome: Outcome, randomness: str
) -> Wrong:
    batch = Batch(sample, (), (_SLICES,))
    report = outcome.reports[-1]
    if randomness == "same":
        return _judge(cell, bench, batch, report)
    for expected, result in zip(wanted(cell.spec, sample), report.values, strict=True):
        shape = batch.shape_of(expected.shape)
        if result.shape != shape:
            return "shape", f"shape: expected {shape}; got {result.shape}"
        many = expected.value is not None and len(np.unique(expected.value)) >= _MANY
        if many and any(map(np.array_equal, result.array(), result.array()[1:])):
            return "values", "values: two slices drew the same numbers"
    return None


# ---- cotangents


def _points(spec: OpSpec, dtype: str) -> list[Point]:
    if dtype not in ("float64", "complex128") or spec.key in UNPROMISED:
        return []
    if constant(spec) is not None:
        return []
    return spread([p for p in points_of(spec, dtype) if p.slopes], _POINTS)


def _cotangents(cell: Cell, bench: Bench, point: Point) -> Iterator[Finding]:
    """Two cotangents by two passes, and by one."""
    first = cotangent_tensors(point)
    second = [None if v is None else v.replaced(np.flip(v.data) / 2) for v in first]
    both = [
        None if a is None or b is None else Tensor(a.dtype, np.stack([a.data, b.data]))
        for a, b in zip(first, second, strict=True)
    ]
    tapes = [_tape(cell, point, given, False) for given in (first, second)]
    tapes.append(_tape(cell, point, both, True))
    outcomes = run_scripts(bench, [tape.script for tape in tapes])
    if any(failure(outcome) is not None for outcome in outcomes[:-1]):
        return  # without vmap: a matter of the kinds about gradients
    if (broken := failure(outcomes[-1])) is not None:
        yield finding(tapes[-1].script, tapes[-1].sample, *broken, outcomes[-1])
        return
    *apart, together = (gradient_arrays(outcome.reports[-1]) for outcome in outcomes)
    for number, (whole, *parts) in enumerate(zip(together, *apart, strict=True)):
        text = _differs(whole, parts)
        if text is not None:
            text = f"gradient {number}: {text}"
            yield finding(tapes[-1].script, tapes[-1].sample, "gradient", text, outcomes[-1])


def _tape(cell: Cell, point: Point, given: list[Tensor | None], at_once: bool) -> Tape:
    note = "two cotangents at once" if at_once else "one cotangent"
    sample = replace(point.sample, note=f"{point.sample.note} {note}".strip())
    tape = Tape(cell, sample, point.leaves)
    tape.need_gradients()
    tape.record()
    tape.gradients(given, tape.keys, is_grads_batched=at_once)
    return tape


def _differs(got: Array | None, parts: list[Array | None]) -> str | None:
    given = [part for part in parts if part is not None]
    if got is None or len(given) < len(parts):
        there = given if got is None else [got, *given]
        return "one came, and none did" if any(np.any(value) for value in there) else None
    stacked = np.stack(given)
    if got.shape != stacked.shape:
        return f"shape {got.shape}; expected {stacked.shape}"
    largest = np.max(np.abs(stacked), initial=1.0)
    off = np.abs(got - stacked)
    if np.all(off <= _UNITS * 2.0**-52 * largest):
        return None
    place = np.unravel_index(int(np.argmax(off)), off.shape)
    return f"element {tuple(map(int, place))} is {got[place]!r}; expected {stacked[place]!r}"
