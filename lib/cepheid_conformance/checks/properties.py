"""K31: properties that hold whatever the values: results permute with their inputs, pairs undo
each other, folds ignore order, products are linear. A second opinion beside the oracle."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cells import Bench, Cell
from ..dtypes import DTYPES, Array
from ..facts import Outcome
from ..op_spec import OpSpec
from ..sample import Draw, Sample
from ..script import Ref, Script
from ..tensors import Tensor
from .common import Finding, add_call, draw, failure, finding, run_scripts, spread

KIND = "properties"
NUMBER = "K31"
LEVEL = "must"
DEVICES = ("cpu",)
_SAMPLES = 4

Relation = Callable[[Cell], "Iterator[Case]"]
Relations = dict[str, tuple[Relation, ...]]
Holds = Callable[[list[Array]], bool]


@dataclass(frozen=True)
class Case:
    """Calls whose results stand in a relation: `holds` sees the result of each, in order."""

    sample: Sample
    script: Script
    relation: str
    holds: Holds


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs a relation for the op."""
    if next(_cases(Cell(spec, KIND, dtype, "cpu"), by_place=True), None) is None:
        return "no relation between calls is known for the op in this dtype"
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Run the calls of each relation and compare their results with each other."""
    cases = list(_cases(cell, "bits_by_place" in bench.capability.features))
    outcomes = run_scripts(bench, [case.script for case in cases])
    found = []
    for case, outcome in zip(cases, outcomes, strict=True):
        wrong = failure(outcome) or _broken(case, outcome)
        if wrong is not None:
            found.append(finding(case.script, case.sample, *wrong, outcome))
    return found


def _broken(case: Case, outcome: Outcome) -> tuple[str, str] | None:
    if case.holds([report.values[0].array() for report in outcome.reports]):
        return None
    return "property", f"property: {case.relation}; it doesn't hold"


def _cases(cell: Cell, by_place: bool) -> Iterator[Case]:
    spec = cell.spec
    if spec.mutates or "random" in spec.tags:
        return
    if "pointwise" in spec.tags:
        yield from _permuted(cell, by_place or not DTYPES[cell.dtype].is_complex)
    for relation in _RELATIONS.get(spec.name, ()):
        yield from relation(cell)


def _permuted(cell: Cell, exactly: bool) -> Iterator[Case]:
    """A pointwise op of reversed operands is the reversed result, bit for bit. Complex formulas
    may round differently in a vector and in its tail where nothing else is promised."""
    near = _near(cell.dtype) if not exactly else _equal
    for sample in spread(draw(cell, "small"), _SAMPLES):
        tensors = list(sample.tensors())
        if len({tensor.shape for tensor in tensors}) == 1:
            script = Script(cell.device)
            add_call(script, cell, sample)
            add_call(script, cell, sample.mapped(_reversed, ""))
            text = "of reversed operands the result must be the reversed result"
            yield Case(sample, script, text, lambda r: near([np.flip(r[0]), r[1]]))


def _reversed(tensor: Tensor) -> Tensor:
    return tensor.replaced(np.flip(tensor.data).copy())


def _equal(results: list[Array]) -> bool:
    return _same(results[0], results[1])


def _same(one: Array, two: Array) -> bool:
    return np.array_equal(one, two, equal_nan=one.dtype.kind in "fc")


# Relations of named ops.


def _commutes(cell: Cell) -> Iterator[Case]:
    for sample in spread(draw(cell, "small"), _SAMPLES):
        one, two = sample.values["self"], sample.values["other"]
        script = Script(cell.device)
        add_call(script, cell, sample)
        add_call(script, cell, Sample({**sample.values, "self": two, "other": one}))
        # A fused product of complex parts rounds by which operand comes first.
        near = _near(cell.dtype) if DTYPES[cell.dtype].is_complex else _equal
        yield Case(sample, script, "operands must commute", near)


def _then(method: str, *args: Any) -> Callable[[Cell], Iterator[Case]]:
    """The op and then a method of its result: back at self."""

    def cases(cell: Cell) -> Iterator[Case]:
        for sample in spread(draw(cell, "small"), _SAMPLES):
            script = Script(cell.device)
            first = add_call(script, cell, sample)
            script.call("method", method, [script.encode(Ref(first)), *args])
            wanted = sample.values["self"].data
            text = f"{method} of the result must give self back"
            yield Case(sample, script, text, functools.partial(_second_is, wanted))

    return cases


def _second_is(wanted: Array, results: list[Array]) -> bool:
    return _same(wanted, results[1])


def _idempotent(cell: Cell) -> Iterator[Case]:
    """The same call on its own result changes nothing."""
    for sample in spread(draw(cell, "small"), _SAMPLES):
        script = Script(cell.device)
        first = add_call(script, cell, sample)
        others = {
            a.name: script.encode(sample.values[a.name], a.type)
            for a in cell.spec.args[1:]
            if a.name in sample.values
        }
        several = len(cell.spec.returns) > 1
        again = script.encode(Ref(first, 0) if several else Ref(first))
        script.call("method", cell.spec.name, [again], others)
        text = "a second call on the result must change nothing"
        yield Case(sample, script, text, _equal)


def _permutation_invariant(cell: Cell) -> Iterator[Case]:
    """A fold of everything, with its elements in another order. Exact where the dtype is."""
    for sample in spread(draw(cell, "small"), _SAMPLES):
        if sample.values.get("dim") is not None:
            continue
        inexact = cell.spec.name in ("sum", "mean") and DTYPES[cell.dtype].is_inexact
        script = Script(cell.device)
        add_call(script, cell, sample)
        add_call(script, cell, sample.mapped(_reversed, ""))
        text = "a fold must not depend on the order"
        yield Case(sample, script, text, _near(cell.dtype) if inexact else _equal)


def _near(dtype: str) -> Holds:
    """Equal up to roundings; a few hundred of them at most."""
    room = 300 * DTYPES[dtype].eps

    def holds(results: list[Array]) -> bool:
        one, two = (np.asarray(result, np.clongdouble) for result in results)
        return bool(np.allclose(one, two, rtol=room, atol=room))

    return holds


def _monotone(cell: Cell) -> Iterator[Case]:
    """Rising inputs give results that never fall."""
    info = DTYPES[cell.dtype]
    if info.is_complex or info.kind == "bool":
        return
    values = np.sort(Draw(cell.spec, cell.dtype, KIND).tensor((257,), "positive").data)
    sample = Sample({"self": Tensor(cell.dtype, values)}, "rising values")
    script = Script(cell.device)
    add_call(script, cell, sample)
    text = "rising inputs must give results that never fall"
    yield Case(sample, script, text, lambda r: bool(np.all(r[0][1:] >= r[0][:-1])))


def _linear(cell: Cell) -> Iterator[Case]:
    """Products of small whole numbers, exact in every dtype: doubling the first operand doubles
    the result."""
    if cell.dtype == "bool":
        return
    for sample in spread(draw(cell, "small"), _SAMPLES):
        whole = sample.mapped(_whole, "whole numbers")
        first = next(whole.tensors())
        twice = first.replaced((first.data * 2).astype(first.data.dtype))
        doubled = whole.mapped(functools.partial(_swap, first, twice), "")
        if cell.spec.name == "conv2d":
            doubled.values.pop("bias", None)
            whole.values.pop("bias", None)
        script = Script(cell.device)
        add_call(script, cell, whole)
        add_call(script, cell, doubled)
        text = "twice the first operand must give twice the result"
        yield Case(whole, script, text, lambda r: _same((r[0] * 2).astype(r[0].dtype), r[1]))


def _swap(old: Tensor, new: Tensor, tensor: Tensor) -> Tensor:
    return new if tensor is old else tensor


def _whole(tensor: Tensor) -> Tensor:
    """1, 2, 1, 2, ...: sums of a hundred products stay exact in 11 bits and in int8."""
    values = 1 + np.arange(tensor.data.size).reshape(tensor.shape) % 2
    return tensor.replaced(values.astype(tensor.data.dtype))


def _shift_invariant(cell: Cell) -> Iterator[Case]:
    """softmax of x + 4 is softmax of x: exact sums of eighths keep the inputs apart alike."""
    rows = Draw(cell.spec, cell.dtype, KIND).tensor((5, 9), "small").data
    eighths = np.round(rows.astype(np.float64)).astype(rows.dtype)
    script = Script(cell.device)
    for shift in (0, 4):
        add_call(script, cell, Sample({"self": Tensor(cell.dtype, eighths + shift), "dim": 1}))
    text = "a constant added to all inputs must change nothing"
    sample = Sample({"self": Tensor(cell.dtype, eighths), "dim": 1}, "shifted by 4")
    yield Case(sample, script, text, _near(cell.dtype))


_INVERSE: Relations = {
    "neg": (_then("neg"),),
    "t": (_then("t"),),
    "detach": (_then("detach"),),
    "clone": (_then("clone"),),
}
_ORDERS: Relations = dict.fromkeys(
    ("abs", "relu", "clamp", "sort", "contiguous", "masked_fill"), (_idempotent,)
)
_RELATIONS: Relations = {
    **_INVERSE,
    **_ORDERS,
    **dict.fromkeys(("add", "mul", "maximum", "minimum", "eq", "ne"), (_commutes,)),
    "bitwise_and": (_commutes,),
    **dict.fromkeys(("exp", "log", "sqrt", "tanh", "sigmoid"), (_monotone,)),
    **dict.fromkeys(("sum", "mean", "amax", "any"), (_permutation_invariant,)),
    **dict.fromkeys(("mm", "bmm", "matmul", "conv2d", "cumsum"), (_linear,)),
    "softmax": (_shift_invariant,),
}
