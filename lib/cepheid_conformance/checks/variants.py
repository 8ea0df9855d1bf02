"""K25: out=, in-place, method and operator agree with the function; storages are kept."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..cells import Bench, Cell
from ..doors import encode_call, plain_variant, receivers, takes_number_first, variants_of
from ..expected import Expected
from ..facts import Outcome
from ..families import expected_of, samples_of
from ..layouts import guarded, padded, stepped, transposed
from ..op_spec import OpSpec
from ..sample import Sample
from ..script import Script
from ..tensors import Tensor, outside_unchanged
from .common import (
    Finding,
    add_call,
    compare,
    draw,
    failure,
    finding,
    judge_report,
    run_scripts,
    spread,
)

KIND = "variants"
NUMBER = "K25"
LEVEL = "must"
DEVICES = ("cpu",)
_OUT_SIZES = 5  # of the samples of many sizes, how many are written into a guarded out


@dataclass(frozen=True)
class Case:
    """One call by one variant; `outs` are the tensors given as out=."""

    variant: str
    sample: Sample
    script: Script
    outs: tuple[Tensor, ...] = ()
    refused: bool = False


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs a second variant, and where that is in place, operands that can hold a result."""
    variants = variants_of(spec)
    if len(variants) < 2:
        return "the op has one variant only"
    if variants == ("function", "inplace"):
        samples = samples_of(spec, dtype, "small")
        if not any(_holds_result(spec, sample) for sample in samples):
            return "an operand of this dtype can't hold the result"
    return None


def _holds_result(spec: OpSpec, sample: Sample) -> bool:
    """Whether what an in-place op acts on has the dtype and shape of what it gives."""
    pairs = zip(expected_of(spec, sample), receivers(sample), strict=True)
    return all(one.dtype == two.dtype and one.shape == two.shape for one, two in pairs)


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Run the small samples through every other variant."""
    cases = list(_cases(cell))
    outcomes = run_scripts(bench, [case.script for case in cases])
    found = []
    for case, outcome in zip(cases, outcomes, strict=True):
        wrong = _judge(cell, bench, case, outcome)
        if wrong is not None:
            what, text = wrong
            note = replace(case.sample, note=f"{case.sample.note} {case.variant}".strip())
            found.append(finding(case.script, note, what, text, outcome))
    return found


def _cases(cell: Cell) -> Iterator[Case]:
    others = [v for v in variants_of(cell.spec) if v != plain_variant(cell.spec)]
    for sample in draw(cell, "small"):
        for variant in others:
            if variant in ("inplace", "inplace_operator"):
                yield from _in_place(cell, sample, variant)
            elif variant == "out":
                yield from _out(cell, sample)
            elif variant != "varargs" or _has_integers(sample):
                yield _plain(cell, sample, variant)
        if takes_number_first(cell.spec):
            first = cell.spec.args[0].name
            swapped = replace(sample, values={**sample.values, first: 3})
            yield _plain(cell, swapped, "reflected")
    if "out" in others:
        sized = draw(cell, "sizes")
        for sample in spread(sized, _OUT_SIZES):
            yield _guarded(cell, sample)
        if sized:
            yield _stepped(cell, max(sized, key=_elements))


def _elements(sample: Sample) -> int:
    return sum(tensor.data.size for tensor in sample.tensors())


def _plain(cell: Cell, sample: Sample, variant: str) -> Case:
    script = Script(cell.device)
    add_call(script, cell, sample, variant)
    return Case(variant, sample, script)


def _has_integers(sample: Sample) -> bool:
    """An empty list can't be passed as separate integers."""
    return all(value != [] for value in sample.values.values() if isinstance(value, list))


def _in_place(cell: Cell, sample: Sample, variant: str) -> Iterator[Case]:
    """Where the result has self's shape and dtype: contiguous, padded and transposed self."""
    if not _holds_result(cell.spec, sample):
        return
    owners = receivers(sample)
    for layout in (None, padded, transposed):
        chosen = sample
        if layout is not None:
            chosen = sample.mapped(
                functools.partial(_among, owners, layout), f"self {layout.__name__}"
            )
        script = Script(cell.device)
        add_call(script, cell, chosen, variant)
        yield Case(variant, chosen, script)


def _among(
    owners: tuple[Tensor, ...], layout: Callable[[Tensor], Tensor], tensor: Tensor
) -> Tensor:
    return layout(tensor) if any(tensor is owner for owner in owners) else tensor


def _out(cell: Cell, sample: Sample) -> Iterator[Case]:
    """out= of the right shape, to be resized, strided, of a wider and of a wrong dtype."""
    expected = expected_of(cell.spec, sample)
    right = [_blank(item, item.dtype, item.shape) for item in expected]
    yield _out_case(cell, sample, right, "right shape")
    yield _guarded(cell, sample)
    yield _out_case(cell, sample, [_blank(e, e.dtype, (0,)) for e in expected], "empty")
    if all(item.shape for item in expected):
        yield _stepped(cell, sample)
        yield _out_case(cell, sample, [padded(tensor) for tensor in right], "padded")
    if len(expected) == 1 and expected[0].dtype in ("float32", "float64", "complex64"):
        wrong = _blank(expected[0], "int32", expected[0].shape)
        if "pointwise" in cell.spec.tags:
            yield replace(_out_case(cell, sample, [wrong], "int32"), refused=True)


def _guarded(cell: Cell, sample: Sample) -> Case:
    """out= inside a larger storage: nothing beside it may be written."""
    right = [_blank(item, item.dtype, item.shape) for item in expected_of(cell.spec, sample)]
    return _out_case(cell, sample, [guarded(tensor) for tensor in right], "guarded")


def _stepped(cell: Cell, sample: Sample) -> Case:
    """out= is every second element of its storage."""
    right = [_blank(item, item.dtype, item.shape) for item in expected_of(cell.spec, sample)]
    return _out_case(cell, sample, [stepped(tensor) for tensor in right], "step 2")


def _blank(expected: Expected, dtype: str, shape: tuple[int, ...]) -> Tensor:
    info = Tensor(dtype, np.empty(0)).info
    return Tensor(dtype, np.ones(shape, info.carrier))


def _out_case(cell: Cell, sample: Sample, outs: list[Tensor], note: str) -> Case:
    script = Script(cell.device)
    call = encode_call(script, cell.spec, sample, "out")
    if call.via == "method":
        raise ValueError(f"{cell.spec.key}: out= needs a public function")
    encoded = [{"t": script.tensor(out)} for out in outs]
    kwargs = {**call.kwargs, "out": encoded[0] if len(outs) == 1 else {"tuple": encoded}}
    if sample.seed is not None:
        script.seed(sample.seed)
    script.call(call.via, call.name, call.args, kwargs)
    noted = replace(sample, note=f"{sample.note} out {note}".strip())
    return Case("out", noted, script, tuple(outs))


def _judge(cell: Cell, bench: Bench, case: Case, outcome: Outcome) -> tuple[str, str] | None:
    if case.refused:
        return _judge_refused(case, outcome)
    wrong = failure(outcome)
    if wrong is not None:
        return wrong
    if case.variant in ("inplace", "inplace_operator"):
        return _judge_written(cell, bench, case, outcome, receivers(case.sample))
    if case.variant == "out":
        return _judge_written(cell, bench, case, outcome, case.outs)
    return judge_report(cell, bench, case.sample, outcome.reports[0])


def _judge_refused(case: Case, outcome: Outcome) -> tuple[str, str] | None:
    """A result that out's dtype can't hold is refused, and nothing is written."""
    if outcome.crash or outcome.trouble:
        return failure(outcome)
    if outcome.reports[0].error is None:
        return "error", "error: an out of a lower category must be refused; the call returned"
    state = outcome.inputs[case.script.made[id(case.outs[0])]]
    if state.changed:
        return "partial write", "partial write: a refused call must leave out as it was"
    return None


def _judge_written(
    cell: Cell, bench: Bench, case: Case, outcome: Outcome, targets: tuple[Tensor, ...]
) -> tuple[str, str] | None:
    """Values, then: the same objects, the same storages, a moved version, nothing beside."""
    report = outcome.reports[0]
    wanted = expected_of(cell.spec, case.sample)
    for expected, result, target, same in zip(
        wanted, report.values, targets, report.same_as, strict=True
    ):
        key = case.script.made[id(target)]
        state = outcome.inputs[key]
        keeps = target.shape == expected.shape
        facts = replace(
            expected,
            strides=target.element_strides() if keeps else None,
            offset=target.offset if keeps else None,
        )
        wrong = compare(cell, bench, facts, result)
        if wrong is not None:
            return wrong
        if same != key:
            return "alias", "alias: the result must be the written tensor itself"
        if state.version == 0 and target.data.size:
            return "version", "version: writing must move the version counter; it is still 0"
        if keeps and state.raw is not None and not outside_unchanged(target, bytes(state.raw)):
            return "purity", "purity: bytes beside the written view changed"
    return None
