"""K27: device parity: the same structure on meta as on the host for every input, operands on
different devices refused, places beyond 2^31 reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..cells import Bench, Cell
from ..doors import encode_call, variants_of
from ..dtypes import DTYPES
from ..expected import Expected
from ..facts import Outcome
from ..families import expected_of
from ..op_spec import OpSpec
from ..sample import CLASSES, Sample
from ..script import Script
from ..tensors import Tensor, contiguous_strides
from .common import Finding, add_call, draw, finding, judge, judge_outcome, run_scripts, spread
from .state import returns_tensors

KIND = "devices"
NUMBER = "K27"
LEVEL = "must"
DEVICES = ("cpu", "meta")
NEEDS = ("meta",)
_OF_EACH_CLASS = 6
_FAR_BYTES = (1 << 32) + 64  # from the first to the last element: beyond 32 bits of bytes
_FAR_ELEMENTS = (1 << 31) + 8  # and, for elements of one byte, beyond 31 bits of elements
_MANY = 2**31 + 5
_MOVES = {"copy_", "to"}  # between devices is what they are for
_SHAPE_ONLY = {"expand_as", "view_as", "reshape_as"}  # where the other tensor is, is all one


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs tensors, on one side at least."""
    if spec.tensor_args or returns_tensors(spec):
        return None
    return "the op takes no tensor and returns none"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """On meta every class's structure and huge shapes; on the host mixed devices, far elements."""
    if cell.device == "meta":
        return judge(cell, bench, _of_all_classes(cell)) + _huge(cell, bench)
    if not cell.spec.tensor_args:
        return judge(cell, bench, draw(cell, "small")[:1])
    return _mixed(cell, bench) + _out_elsewhere(cell, bench) + _far(cell, bench)


def _out_elsewhere(cell: Cell, bench: Bench) -> list[Finding]:
    """An out= on meta for operands on the host: refused."""
    if "out" not in variants_of(cell.spec):
        return []
    sample = draw(cell, "small")[0]
    script = Script(cell.device)
    call = encode_call(script, cell.spec, sample, "out")
    outs = []
    for item in expected_of(cell.spec, sample):
        blank = Tensor(item.dtype, np.ones(item.shape, DTYPES[item.dtype].carrier))
        script.elsewhere[id(blank)] = "meta"
        outs.append({"t": script.tensor(blank)})
    out = outs[0] if len(outs) == 1 else {"tuple": outs}
    script.call(call.via, call.name, call.args, {**call.kwargs, "out": out})
    (outcome,) = run_scripts(bench, [script])
    wrong = _mixed_wrong(outcome, served=False)
    return (
        []
        if wrong is None
        else [finding(script, replace(sample, note="out on meta"), *wrong, outcome)]
    )


def _of_all_classes(cell: Cell) -> Iterator[Sample]:
    for kind in CLASSES:
        yield from spread(draw(cell, kind), _OF_EACH_CLASS)


def _huge(cell: Cell, bench: Bench) -> list[Finding]:
    """Tensors of more than 2^31 elements, which meta gives for nothing."""
    sample = _first_plain(cell)
    if sample is None or "pointwise" not in cell.spec.tags:
        return []
    shape = (_MANY, 3)
    changed = sample.mapped(lambda tensor: _seeming(tensor, shape), f"shape {list(shape)}")
    script = Script(cell.device)
    add_call(script, cell, changed)
    (outcome,) = run_scripts(bench, [script])
    (small,) = expected_of(cell.spec, sample)
    wrong = _structure(cell, outcome, Expected(small.dtype, None, "free", shape))
    return [] if wrong is None else [finding(script, changed, *wrong, outcome)]


def _seeming(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    data = np.broadcast_to(tensor.data.ravel()[:1], shape)
    return Tensor(tensor.dtype, data, contiguous_strides(shape))


def _structure(cell: Cell, outcome: Outcome, wanted: Expected) -> tuple[str, str] | None:
    if outcome.crash or outcome.trouble or outcome.reports[0].error:
        error = outcome.reports[0].error if outcome.reports else None
        return "error", f"huge shape: {outcome.crash or outcome.trouble or error}"
    got = outcome.reports[0].values[0]
    if got.shape != wanted.shape or got.dtype != wanted.dtype or got.device != cell.device:
        text = f"huge shape: expected {wanted.dtype} {list(wanted.shape)}; got {got.dtype}"
        return "shape", f"{text} {list(got.shape)} on {got.device}"
    return None


def _first_plain(cell: Cell) -> Sample | None:
    """The first small sample whose operands are contiguous and of one shape."""
    for sample in draw(cell, "small"):
        tensors = list(sample.tensors())
        same = len({tensor.shape for tensor in tensors}) == 1
        if same and all(t.strides is None and t.data.size for t in tensors):
            return sample
    return None


def _mixed(cell: Cell, bench: Bench) -> list[Finding]:
    """One operand on meta beside the others on the host: refused, nothing written. All on meta:
    as the meta cells say, or refused where values are needed."""
    samples, scripts = [], []
    for sample in draw(cell, "small")[:1]:
        tensors = list(sample.tensors())
        for moved in [[tensor] for tensor in tensors] + [tensors] * (len(tensors) > 1):
            script = Script(cell.device)
            script.elsewhere = {id(tensor): "meta" for tensor in moved}
            add_call(script, cell, sample)
            samples.append(replace(sample, note=f"{len(moved)} of {len(tensors)} on meta"))
            scripts.append(script)
    found = []
    for sample, script, outcome in zip(samples, scripts, run_scripts(bench, scripts), strict=True):
        alone = len(script.elsewhere) == sum(1 for _ in sample.tensors())
        served = alone or cell.spec.name in _MOVES | _SHAPE_ONLY
        if cell.spec.name == "index" and id(next(sample.tensors())) in script.elsewhere:
            served = True  # indices on the host serve tensors of any device
        if cell.spec.family == "foreach":
            served = True  # the entries of a list don't meet
        wrong = _mixed_wrong(outcome, served)
        if wrong is not None:
            found.append(finding(script, sample, *wrong, outcome))
    return found


def _mixed_wrong(outcome: Outcome, served: bool) -> tuple[str, str] | None:
    if outcome.crash is not None or outcome.trouble is not None:
        return "crash", f"mixed devices: {outcome.crash or outcome.trouble}"
    raised = outcome.reports[0].error
    if raised is None:
        if served:
            return None
        return "error", "mixed devices: expected RuntimeError; the call returned"
    if not {"RuntimeError", "NotImplementedError"} & set(raised.bases):
        return "error", f"mixed devices: expected RuntimeError; got {raised.name}: {raised.message}"
    if any(state.changed for state in outcome.inputs.values()):
        return "partial write", "mixed devices: a refused call must change nothing; it did"
    return None


def _far(cell: Cell, bench: Bench) -> list[Finding]:
    """Two elements of each operand more than 2^31 places, or 2^32 bytes, apart."""
    spec = cell.spec
    sample = _first_plain(cell)
    if sample is None or spec.is_view or spec.mutates or "random" in spec.tags:
        return []
    if "pointwise" not in spec.tags and "reduction" not in spec.tags:
        return []
    changed = Sample({**sample.values}, "two elements far apart").mapped(_apart, "")
    if spec.tags & {"reduction"}:
        changed = replace(changed, values=_over_the_only_dim(spec, changed.values))
    script = Script(cell.device)
    for tensor in changed.tensors():
        script.sparse(tensor)
    add_call(script, cell, changed)
    (outcome,) = run_scripts(bench, [script])
    wrong = judge_outcome(cell, bench, changed, outcome)
    return [] if wrong is None else [finding(script, changed, *wrong, outcome)]


def _apart(tensor: Tensor) -> Tensor:
    item = tensor.info.itemsize
    stride = _FAR_ELEMENTS if item == 1 else _FAR_BYTES // item
    return Tensor(tensor.dtype, tensor.data.ravel()[:2].copy(), (stride,))


def _over_the_only_dim(spec: OpSpec, values: dict[str, object]) -> dict[str, object]:
    dim = values.get("dim")
    if dim is None:
        return values
    return {**values, "dim": [0] if isinstance(dim, list) else 0}
