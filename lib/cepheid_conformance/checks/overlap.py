"""Fault family A: a destination that overlaps a source gives the right result or is refused."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..cells import Bench, Cell
from ..doors import encode_call, plain_variant, receiver, receivers, variants_of
from ..dtypes import DTYPES
from ..expected import Expected
from ..facts import Outcome
from ..families import expected_of, samples_of
from ..layouts import expanded
from ..op_spec import OpSpec
from ..sample import Sample
from ..script import Ref, Script
from ..tensors import Tensor, contiguous_strides
from .common import Finding, add_call, compare, draw, finding, run_scripts

KIND = "overlap"
NUMBER = "FA"
LEVEL = "must"
DEVICES = ("cpu",)
# So long that to look for a shared element among them one by one would be given up.
_LONG_HALF = 2_000_000


@dataclass(frozen=True)
class Case:
    """One call whose destination shares memory with a source, or with itself."""

    sample: Sample
    variant: str
    script: Script
    must_refuse: bool = False
    must_serve: bool = False


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs a destination that can lie over a source."""
    if not {"out", "inplace"} & set(variants_of(spec)) and not spec.mutates:
        return "the op writes to no operand"
    cell = Cell(spec, KIND, dtype, "cpu")
    if not any(_cases_of(cell, sample) for sample in samples_of(spec, dtype, "small")):
        return "no destination of this op and dtype has the dtype of a source"
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Run the overlapping calls of every small sample."""
    cases = [case for sample in draw(cell, "small") for case in _cases_of(cell, sample)]
    cases += _long_halves(cell)
    outcomes = run_scripts(bench, [case.script for case in cases])
    found = []
    for case, outcome in zip(cases, outcomes, strict=True):
        wrong = _judge(cell, bench, case, outcome)
        if wrong is not None:
            found.append(finding(case.script, case.sample, *wrong, outcome))
    return found


def _cases_of(cell: Cell, sample: Sample) -> list[Case]:
    variants = variants_of(cell.spec)
    tensors = list(sample.tensors())
    if not tensors or any(not t.data.size or t.strides is not None for t in tensors):
        return []
    cases: list[Case] = []
    if "out" in variants:
        cases += _out_over_sources(cell, sample)
        cases += _repeated_out(cell, sample)
    if cell.spec.mutates:
        cases += _repeated_self(cell, sample)
        if cell.spec.key == "copy_":
            cases += _copied_in_turn(cell, sample)
    if "inplace" in variants and plain_variant(cell.spec) != "internal":
        cases += _in_place(cell, sample)
    return cases


def _out_over_sources(cell: Cell, sample: Sample) -> Iterator[Case]:
    """out=, or one of several, is a source itself, and lies one element before and after a
    source."""
    wanted = expected_of(cell.spec, sample)
    for place, expected in enumerate(wanted):
        name = "out" if len(wanted) == 1 else f"out {place}"
        for number, source in enumerate(sample.tensors()):
            if expected.dtype != source.dtype:
                continue
            if expected.shape == source.shape:
                script = Script(cell.device)
                out = script.tensor(source)
                note = f"{name} is source {number}"
                yield _out_case(cell, sample, script, (place, out), note)
            for before in (True, False) if np.prod(expected.shape) <= source.data.size else ():
                moved = replace(source, offset=1) if before else replace(source, extra=1)
                shifted = sample.mapped(functools.partial(_swap, source, moved), "")
                script = Script(cell.device)
                base = script.tensor(moved)
                blank = np.empty(expected.shape, source.data.dtype)
                out = script.tensor(Tensor(source.dtype, blank, offset=1 - moved.offset), base=base)
                note = f"{name} one {'before' if before else 'after'} source {number}"
                yield _out_case(cell, shifted, script, (place, out), note)


def _repeated_out(cell: Cell, sample: Sample) -> Iterator[Case]:
    """Each out= is one element, expanded."""
    wanted = expected_of(cell.spec, sample)
    if all(np.prod(item.shape) > 1 for item in wanted):
        script = Script(cell.device)
        outs = [{"t": script.tensor(_one_element(item))} for item in wanted]
        call = encode_call(script, cell.spec, sample, "out")
        out = outs[0] if len(outs) == 1 else {"tuple": outs}
        script.call(call.via, call.name, call.args, {**call.kwargs, "out": out})
        noted = replace(sample, note=f"{sample.note} out is one element, expanded".strip())
        yield Case(noted, "out", script, must_refuse=True)


def _one_element(item: Expected) -> Tensor:
    data = np.broadcast_to(np.ones((), DTYPES[item.dtype].carrier), item.shape)
    return Tensor(item.dtype, data, (0,) * len(item.shape))


def _repeated_self(cell: Cell, sample: Sample) -> Iterator[Case]:
    """A written self whose first dim is expanded."""
    owner = receiver(sample)
    # One value in every place is the same in whatever order.
    if owner.shape and owner.shape[0] > 1 and cell.spec.name not in ("fill_", "zero_"):
        changed = sample.mapped(functools.partial(_swap, owner, expanded(owner)), "self expanded")
        script = Script(cell.device)
        add_call(script, cell, changed)
        yield Case(changed, "method", script, must_refuse=True)


def _out_case(
    cell: Cell, sample: Sample, script: Script, chosen: tuple[int, int], note: str
) -> Case:
    """A call of whose outputs one is given, by its place, and the others are fresh."""
    place, out = chosen
    call = encode_call(script, cell.spec, sample, "out")
    outs = [{"t": script.tensor(_blank(item))} for item in expected_of(cell.spec, sample)]
    outs[place] = {"t": out}
    if sample.seed is not None:
        script.seed(sample.seed)
    given = outs[0] if len(outs) == 1 else {"tuple": outs}
    script.call(call.via, call.name, call.args, {**call.kwargs, "out": given})
    return Case(replace(sample, note=f"{sample.note} {note}".strip()), "out", script)


def _blank(item: Expected) -> Tensor:
    return Tensor(item.dtype, np.ones(item.shape, DTYPES[item.dtype].carrier))


def _swap(old: Tensor, new: Tensor, tensor: Tensor) -> Tensor:
    return new if tensor is old else tensor


def _in_place(cell: Cell, sample: Sample) -> Iterator[Case]:
    """self lies one element beside another operand; self repeats its elements."""
    if cell.spec.gives_list:
        repeat = tuple(owner for owner in receivers(sample) if owner.shape[0] > 1)
        changed = sample.mapped(lambda t: expanded(t) if t in repeat else t, "selves expanded")
        yield _in_place_case(cell, changed, Script(cell.device), must_refuse=True)
        return
    (expected,) = expected_of(cell.spec, sample)
    owner = receiver(sample)
    if expected.dtype != owner.dtype or expected.shape != owner.shape or not owner.shape:
        return
    for number, source in enumerate(list(sample.tensors())[1:], 1):
        if source.dtype == owner.dtype and source.shape == owner.shape:
            for first in (0, 1):
                yield _shifted_pair(cell, sample, owner, source, first, number)
                yield _interleaved(cell, sample, owner, source, first, number)
    if owner.shape[0] > 1:
        repeated = expanded(owner)
        changed = sample.mapped(functools.partial(_swap, owner, repeated), "self expanded")
        yield _in_place_case(cell, changed, Script(cell.device), must_refuse=True)


def _shifted_pair(
    cell: Cell, sample: Sample, owner: Tensor, source: Tensor, place: int, number: int
) -> Case:
    """Both operands over one line of n + 1 elements, self from `place` on."""
    line = np.concatenate([owner.data.ravel()[:1], source.data.ravel()])
    parts = (line[:-1].reshape(owner.shape), line[1:].reshape(owner.shape))
    first = replace(owner, data=parts[place], offset=place)
    second = replace(source, data=parts[1 - place], offset=1 - place)
    swap = {id(owner): first, id(source): second}
    changed = sample.mapped(
        lambda t: swap.get(id(t), t), f"self at {place}, operand {number} at {1 - place}"
    )
    script = Script(cell.device)
    whole = Tensor(owner.dtype, line)
    base = script.tensor(whole)
    script.tensor(first, base=base)
    script.tensor(second, base=base)
    return _in_place_case(cell, changed, script)


def _interleaved(
    cell: Cell, sample: Sample, owner: Tensor, source: Tensor, place: int, number: int
) -> Case:
    """Both operands over one storage, in turn: they share no element, which is no reason to
    refuse."""
    line = np.stack((owner.data.ravel(), source.data.ravel())[:: 1 - 2 * place], axis=-1)
    strides = tuple(2 * stride for stride in contiguous_strides(owner.shape))
    first = replace(owner, strides=strides, offset=place)
    second = replace(source, strides=strides, offset=1 - place)
    swap = {id(owner): first, id(source): second}
    note = f"self and operand {number} in turn, self at {place}"
    changed = sample.mapped(lambda t: swap.get(id(t), t), note)
    script = Script(cell.device)
    base = script.tensor(Tensor(owner.dtype, line.ravel()))
    script.tensor(first, base=base)
    script.tensor(second, base=base)
    return replace(_in_place_case(cell, changed, script), must_serve=True)


def _copied_in_turn(cell: Cell, sample: Sample) -> Iterator[Case]:
    """What is written and what is read lie in turn."""
    owner, source = sample.tensors()
    if owner.dtype == source.dtype and owner.shape == source.shape and owner.shape:
        for place in (0, 1):
            yield _interleaved(cell, sample, owner, source, place, 1)


def _long_halves(cell: Cell) -> Iterator[Case]:
    """The halves of a long line, every second element each; one dtype is enough."""
    if cell.spec.key == "copy_" and cell.dtype == "int16":
        data = np.arange(_LONG_HALF).astype(np.int16)
        values = {"self": Tensor(cell.dtype, data[::-1].copy()), "src": Tensor(cell.dtype, data)}
        yield from _copied_in_turn(cell, Sample(values, f"{_LONG_HALF} elements"))


def _in_place_case(cell: Cell, sample: Sample, script: Script, must_refuse: bool = False) -> Case:
    variant = "method" if cell.spec.mutates else "inplace"
    call = encode_call(script, cell.spec, sample, variant)
    result = script.call(call.via, call.name, call.args, call.kwargs)
    script.read(Ref(result))
    return Case(sample, variant, script, must_refuse)


def _judge(cell: Cell, bench: Bench, case: Case, outcome: Outcome) -> tuple[str, str] | None:
    if outcome.crash is not None or outcome.trouble is not None:
        return "crash", outcome.crash or str(outcome.trouble)
    report = outcome.reports[0]
    if report.error is not None:
        if case.must_serve:
            return "error", f"error: nothing overlaps; raised {report.error.message[:200]}"
        if "RuntimeError" not in report.error.bases:
            return "error", f"error: expected RuntimeError; got {report.error.name}"
        if any(state.changed for state in outcome.inputs.values()):
            return "partial write", "partial write: a refused call must change nothing; it did"
        return None
    if case.must_refuse:
        return "error", "error: elements that share memory must not be written; the call returned"
    try:
        wanted = expected_of(cell.spec, case.sample)
    except IndexError:  # an index that shares memory with other numbers is made of these
        return "error", "error: the index holds places that don't exist; the call returned"
    for expected, value in zip(wanted, report.values, strict=True):
        wrong = compare(cell, bench, replace(expected, strides=None, offset=None), value)
        if wrong is not None:
            return wrong[0], f"overlapping destination: {wrong[1]}"
    return None
