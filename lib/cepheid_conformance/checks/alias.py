"""K16: the alias contract: views share, copies don't, in-place ops return their operand."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..expected import Expected
from ..facts import Outcome
from ..families import expected_of
from ..op_spec import OpSpec
from ..sample import Sample
from ..script import Ref, Script
from ..tensors import Tensor
from .common import Finding, add_call, draw, failure, finding, run_scripts, spread
from .state import STATE_SAMPLES, returns_tensors

KIND = "alias"
NUMBER = "K16"
LEVEL = "must"
DEVICES = ("cpu",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs tensors on both sides."""
    if not returns_tensors(spec):
        return "the op returns no tensor"
    return None if spec.tensor_args else "the op takes no tensor"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Compare storages; write through each view and see it in the base, with its version."""
    samples = spread(draw(cell, "small"), 3 * STATE_SAMPLES)
    if cell.spec.name != "index":  # by a 0-dim index it may select, which gives a view
        samples = samples + spread(draw(cell, "shapes"), 3 * STATE_SAMPLES)
    scripts = []
    for sample in samples:
        script = Script(cell.device)
        result = add_call(script, cell, sample)
        if _writable_view(cell.spec, sample):
            place = Ref(result, 0) if cell.spec.gives_list else Ref(result)
            script.call("method", "fill_", [script.encode(place), 1])
        scripts.append(script)
    found = []
    outcomes = run_scripts(bench, scripts)
    for sample, script, outcome in zip(samples, scripts, outcomes, strict=True):
        wrong = failure(outcome) or _contract(cell, sample, script, outcome)
        if wrong is not None:
            found.append(finding(script, sample, *wrong, outcome))
    return found


def _writable_view(spec: OpSpec, sample: Sample) -> bool:
    """A view in which no element stands twice."""
    wanted = expected_of(spec, sample)
    several = len(wanted) > 1 and not spec.gives_list
    if not wanted or several or spec.mutates:
        return False
    expected = wanted[0]
    if expected.alias is None or expected.strides is None:
        return False
    pairs = sorted(
        (step, size)
        for size, step in zip(expected.shape, expected.strides, strict=True)
        if size > 1
    )
    reach = 0
    for step, size in pairs:
        if step <= reach:
            return False
        reach += step * (size - 1)
    return 0 not in expected.shape


def _contract(
    cell: Cell, sample: Sample, script: Script, outcome: Outcome
) -> tuple[str, str] | None:
    report = outcome.reports[0]
    storages = {state.storage for state in outcome.inputs.values()} - {0}
    for expected, result in zip(expected_of(cell.spec, sample), report.values, strict=True):
        shared = result.storage in storages
        if expected.alias is None and shared and result.nbytes:
            return "alias", "alias: the result must own its storage; it shares an input's"
        if expected.alias is not None:
            wrong = _shares(cell, expected, sample, script, outcome, result.storage)
            if wrong is not None:
                return "alias", f"alias: {wrong}"
    return None


def _shares(
    cell: Cell,
    expected: Expected,
    sample: Sample,
    script: Script,
    outcome: Outcome,
    storage: int,
) -> str | None:
    owner = sample.values[str(expected.alias)]
    assert isinstance(owner, Tensor)
    key = script.made[id(owner)]
    state = outcome.inputs[key]
    if owner.elements() and storage != state.storage:
        return f"the result must share the storage of {expected.alias}; it has its own"
    if cell.spec.mutates:
        if outcome.reports[0].same_as[0] != key:
            return "the result must be the written tensor itself; it is another object"
        if state.version == 0 and owner.data.size:
            return "writing must move the version counter; it is still 0"
    elif len(outcome.reports) > 1 and state.version == 0:
        return "writing to the view must move the version of its base; it is still 0"
    return None
