"""K23: errors: the class, the wording where it is ours, nothing written, no crash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..cells import Bench, Cell
from ..doors import encode_call, plain_variant, variants_of
from ..facts import Outcome, Raised
from ..families import errors_of, expected_of
from ..op_spec import OpSpec
from ..sample import ErrorSample, Sample
from ..script import Script
from ..tensors import Tensor
from .common import Finding, add_call, draw, finding, run_scripts, script_for

KIND = "errors"
NUMBER = "K23"
DEVICES = ("cpu",)
_ABSURD = (2**62, -(2**63), 2**63 - 1)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs an invalid argument."""
    if _integers(spec) or spec.tensor_args or errors_of(spec, dtype):
        return None
    return "no argument of the right types is invalid in this dtype"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Every invalid call, by each variant that takes it, must raise and change nothing; absurd
    integers and mixed devices may be refused or served, but must not end the process."""
    return _refusals(cell, bench) + _hostile(cell, bench) + _mixed_devices(cell, bench)


def _refusals(cell: Cell, bench: Bench) -> list[Finding]:
    cases = [case for case in _cases(cell) if bench.capability.claims(case[1].values)]
    scripts = [_script(cell, case, variant) for _, case, variant in cases]
    found = []
    outcomes = run_scripts(bench, scripts)
    for (name, case, variant), script, outcome in zip(cases, scripts, outcomes, strict=True):
        wording = bench.capability.wording
        wrong = _wrong(cell, case, variant, outcome, wording)
        if wrong is not None:
            note = " ".join(part for part in (name, case.note, variant) if part)
            sample = Sample(case.values, note)
            found.append(finding(script, sample, *wrong, outcome))
    return found


def _integers(spec: OpSpec) -> list[str]:
    """Arguments that take integers. By subscription a dim is a place in a tuple, not a number."""
    skipped = {"dim"} if plain_variant(spec) == "internal" else set()
    return [a.name for a in spec.args if a.type.startswith("int") and a.name not in skipped]


def _hostile(cell: Cell, bench: Bench) -> list[Finding]:
    """Each integer argument of a small sample replaced by the ends of 64 bits."""
    samples = []
    for sample in draw(cell, "small")[:1]:
        for name in _integers(cell.spec):
            for number in _ABSURD:
                given = cell.spec.bind(sample.values)[name]
                value = [number] * max(len(given), 1) if isinstance(given, list) else number
                samples.append(Sample({**sample.values, name: value}, f"{name}={value}"))
    ordered = [replace(s, values=cell.spec.in_order(s.values)) for s in samples]
    scripts = [script_for(cell, sample) for sample in ordered]
    outcomes = run_scripts(bench, scripts)
    return [
        finding(script, sample, "crash", f"hostile argument: {outcome.crash}")
        for sample, script, outcome in zip(ordered, scripts, outcomes, strict=True)
        if outcome.crash is not None
    ]


def _mixed_devices(cell: Cell, bench: Bench) -> list[Finding]:
    """Each tensor of a small sample on meta beside the others on the host, and all on meta."""
    samples, scripts = [], []
    for sample in draw(cell, "small")[:1]:
        tensors = list(sample.tensors())
        for moved in [[tensor] for tensor in tensors] + [tensors] * (len(tensors) > 1):
            script = Script(cell.device)
            script.elsewhere = {id(tensor): "meta" for tensor in moved}
            add_call(script, cell, sample)
            samples.append(replace(sample, note=f"{len(moved)} of {len(tensors)} on meta"))
            scripts.append(script)
    return [
        finding(script, sample, "crash", f"mixed devices: {outcome.crash}")
        for sample, script, outcome in zip(
            samples, scripts, run_scripts(bench, scripts), strict=True
        )
        if outcome.crash is not None
    ]


def _cases(cell: Cell) -> Iterator[tuple[str, ErrorSample, str]]:
    plain = plain_variant(cell.spec)
    for name, case in errors_of(cell.spec, cell.dtype):
        if case.variant and case.variant not in variants_of(cell.spec):
            continue
        yield name, case, case.variant or plain
        if not case.variant:
            for variant in ("inplace", "out"):
                if variant in variants_of(cell.spec) and variant != plain:
                    yield name, case, variant


def _script(cell: Cell, case: ErrorSample, variant: str) -> Script:
    script = Script(case.device)
    call = encode_call(script, cell.spec, Sample(case.values), variant)
    kwargs = dict(call.kwargs)
    if variant == "out":
        outs = [
            {"t": script.tensor(Tensor(expected.dtype, _ones(expected.dtype)))}
            for expected in expected_of(cell.spec, draw(cell, "small")[0])
        ]
        kwargs["out"] = outs[0] if len(outs) == 1 else {"tuple": outs}
    script.call(call.via, call.name, call.args, kwargs)
    return script


def _ones(dtype: str) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    return np.ones(3, Tensor(dtype, np.empty(0)).info.carrier)


def _wrong(
    cell: Cell, case: ErrorSample, variant: str, outcome: Outcome, wording: bool
) -> tuple[str, str] | None:
    if outcome.crash is not None:
        return "crash", outcome.crash
    if outcome.trouble is not None:
        return "trouble", outcome.trouble
    raised = outcome.reports[0].error
    if raised is None:
        return "error", f"error: expected {case.error}; the call returned"
    if not {case.error, *case.also} & set(raised.bases):
        return "error", f"error: expected {case.error}; got {raised.name}: {raised.message[:200]}"
    if wording and not _worded(cell, case, variant, raised):
        pattern = case.pattern.replace("{op}", cell.spec.name)
        return "wording", f"wording: expected {pattern!r}; got {raised.message!r}"
    if any(state.changed or state.version for state in outcome.inputs.values()):
        return "partial write", "partial write: a refused call must change nothing; it did"
    return None


def _worded(cell: Cell, case: ErrorSample, variant: str, raised: Raised) -> bool:
    """The name at the front may be that of the variant that was called."""
    pattern = case.pattern.replace("{op}", rf"{re.escape(cell.spec.name.rstrip('_'))}_?")
    return re.search(pattern, raised.message) is not None
