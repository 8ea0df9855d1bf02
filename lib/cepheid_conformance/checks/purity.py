"""K13: purity: no input is written, no byte beside a written view, no version counter moves."""

from __future__ import annotations

from ..cells import Bench, Cell
from ..facts import InputState, Outcome
from ..layouts import padded
from ..op_spec import OpSpec
from ..sample import Sample
from ..script import Script
from ..tensors import Tensor, outside_unchanged
from .common import Finding, add_call, draw, failure, finding, run_scripts, spread
from .state import STATE_SAMPLES

KIND = "purity"
NUMBER = "K13"
LEVEL = "must"
DEVICES = ("cpu",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an input."""
    return None if spec.tensor_args else "the op takes no tensor"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Run each small sample plain and in padded storages, and compare every storage bitwise."""
    samples = [
        variant
        for sample in spread(draw(cell, "small"), STATE_SAMPLES)
        for variant in _variants(cell.spec, sample)
    ]
    scripts = []
    for sample in samples:
        script = Script(cell.device)
        add_call(script, cell, sample)
        scripts.append(script)
    found = []
    outcomes = run_scripts(bench, scripts)
    for sample, script, outcome in zip(samples, scripts, outcomes, strict=True):
        wrong = failure(outcome) or touched(cell, sample, script, outcome)
        if wrong is not None:
            found.append(finding(script, sample, *wrong, outcome))
    return found


def _variants(spec: OpSpec, sample: Sample) -> tuple[Sample, ...]:
    """Views depend on the layout of self: their samples have layouts of their own."""
    return (sample,) if spec.is_view else (sample, sample.mapped(padded, "padded"))


def touched(cell: Cell, sample: Sample, script: Script, outcome: Outcome) -> tuple[str, str] | None:
    """The first input that was written without being the op's to write."""
    for name, tensor in named_tensors(sample):
        argument = cell.spec.argument(name)
        state = outcome.inputs[script.made[id(tensor)]]
        if argument is not None and argument.written:
            wrong = beside_the_view(name, tensor, state)
        elif state.changed:
            wrong = "purity", f"purity: {name} must not be written; its storage changed"
        elif state.version:
            wrong = "version", f"version: {name} must stay at version 0; got {state.version}"
        else:
            wrong = None
        if wrong is not None:
            return wrong
    return None


def beside_the_view(name: str, tensor: Tensor, state: InputState) -> tuple[str, str] | None:
    """Whether bytes of the storage that the view doesn't cover changed."""
    if state.raw is None or outside_unchanged(tensor, bytes(state.raw)):
        return None
    return "purity", f"purity: bytes beside {name}'s view must not be written; some changed"


def named_tensors(sample: Sample) -> list[tuple[str, Tensor]]:
    """Tensor arguments with their names, those in lists too."""
    return [
        (name, item)
        for name, value in sample.values.items()
        for item in (value if isinstance(value, list) else [value])
        if isinstance(item, Tensor)
    ]
