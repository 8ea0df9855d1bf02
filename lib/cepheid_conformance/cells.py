"""Cells: op x check x dtype x device, each with a verdict or a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from .candidate import Candidate
from .capability import LEVELS, Capability, within
from .dtypes import DTYPES
from .op_spec import OpSpec
from .tolerances import Tolerances

if TYPE_CHECKING:
    from .checks.common import Finding

PASS, FAIL, EXPECTED_FAIL = "pass", "fail", "xfail"
UNSUPPORTED, NOT_APPLICABLE = "unsupported", "n/a"
DEVICES = ("cpu", "meta")


@dataclass(frozen=True)
class Drawing:
    """What decides the drawn calls of a run: the same seed draws the same ones."""

    seed: int = 0
    count: int = 24
    shrink: bool = True  # whether a failure is made smaller; the verdict is the same without


@dataclass(frozen=True)
class Bench:
    """What a cell is judged with."""

    candidate: Candidate
    capability: Capability
    tolerances: Tolerances
    drawing: Drawing = Drawing()
    level: str = LEVELS[-1]  # what the run asks for

    def counts(self, level: str) -> bool:
        """Whether a requirement of this level is asked for and claimed."""
        return within(level, self.level) and within(level, self.capability.level)


@dataclass(frozen=True)
class Cell:
    """One op, check, dtype and device."""

    spec: OpSpec
    check: str
    dtype: str
    device: str

    @property
    def test_id(self) -> str:
        return f"{self.spec.key}-{self.device}-{self.dtype}"

    @property
    def id(self) -> str:
        return f"{self.check}:{self.test_id}"


class Check(Protocol):
    """What each module of `checks` offers."""

    KIND: str
    NUMBER: str
    LEVEL: str
    DEVICES: tuple[str, ...]

    def inapplicable(self, spec: OpSpec, dtype: str) -> str | None:
        """Why the check says nothing about this op and dtype, or None."""

    def check(self, cell: Cell, bench: Bench) -> list[Finding]:
        """Judge one cell."""


@dataclass(frozen=True)
class StaticVerdict:
    """A cell that needs no run."""

    cell: Cell
    verdict: str
    reason: str


def enumerate_cells(
    check: Check, specs: Iterable[OpSpec], capability: Capability, level: str = LEVELS[-1]
) -> Iterator[Cell | StaticVerdict]:
    """Every cell of one check, judged by rule where a rule decides: those beyond `level` too."""
    for spec in specs:
        for device in DEVICES:
            for dtype in DTYPES:
                cell = Cell(spec, check.KIND, dtype, device)
                yield _by_rule(check, cell, capability, level) or replace(
                    cell, spec=capability.offered(spec)
                )


def _by_rule(check: Check, cell: Cell, capability: Capability, level: str) -> StaticVerdict | None:
    spec, dtype = cell.spec, cell.dtype
    if dtype not in spec.dtypes["cpu"]:
        return StaticVerdict(cell, NOT_APPLICABLE, f"{spec.key} isn't defined for {dtype}")
    if cell.device not in check.DEVICES:
        return StaticVerdict(cell, NOT_APPLICABLE, f"{check.KIND} reads values; meta has none")
    if cell.device == "meta" and "data_dependent" in spec.tags:
        return StaticVerdict(cell, NOT_APPLICABLE, "the result depends on values; meta has none")
    reason = check.inapplicable(spec, dtype)
    if reason is not None:
        return StaticVerdict(cell, NOT_APPLICABLE, reason)
    if not within(check.LEVEL, level):
        reason = f"{check.KIND} is a {check.LEVEL}; this run asks for {level} only"
        return StaticVerdict(cell, NOT_APPLICABLE, reason)
    reason = capability.unsupported(spec, dtype, cell.device)
    if reason is None and not within(check.LEVEL, capability.level):
        reason = f"{check.KIND} is a {check.LEVEL}; {capability.implementation} claims less"
    for device in getattr(check, "NEEDS", ()) if reason is None else ():
        if device not in capability.devices:
            reason = f"{capability.implementation} declares no device {device} to compare with"
    for feature in getattr(check, "FEATURES", ()) if reason is None else ():
        if feature not in capability.features:
            reason = f"{capability.implementation} declares no {feature}"
    if reason is None and check.inapplicable(capability.offered(spec), dtype) is not None:
        absent = sorted(set(spec.variants) - set(capability.variants))
        reason = f"{capability.implementation} declares no variant {' or '.join(absent)}"
    return None if reason is None else StaticVerdict(cell, UNSUPPORTED, reason)
