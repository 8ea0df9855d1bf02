"""From the findings of a cell and the known deviations to one verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .capability import Deviation
from .cells import EXPECTED_FAIL, FAIL, PASS, Bench, Cell, Check

if TYPE_CHECKING:
    from .checks.common import Finding


@dataclass(frozen=True)
class Verdict:
    """The outcome of a judged cell, and the text of a failure."""

    verdict: str
    reason: str = ""


def judge_cell(check: Check, cell: Cell, bench: Bench) -> Verdict:
    """Run the check. A known deviation must show in each cell that it names, and explains only
    the findings that its pattern matches."""
    served = bench.candidate.served
    findings = check.check(cell, bench)
    if bench.candidate.served == served:
        return Verdict(FAIL, f"{cell.id}: the check found nothing to run; say why by its rule")
    deviations = bench.capability.deviations_of(cell.id)
    unexplained = [
        found
        for found in findings
        if bench.counts(_level(check, found)) and not _explained(found, deviations)
    ]
    if unexplained:
        return Verdict(FAIL, _report(check, cell, unexplained[0], len(unexplained)))
    silent = [
        deviation
        for deviation in deviations
        if not any(deviation.explains(str(found)) for found in findings)
    ]
    if silent:
        return Verdict(
            FAIL,
            f"{cell.id}: a known deviation no longer shows (unexpected pass): {silent[0].reason}",
        )
    if deviations:
        return Verdict(EXPECTED_FAIL, f"{deviations[0].kind}: {deviations[0].reason}")
    looser = bench.tolerances.looser(cell.spec.key, cell.dtype, cell.device)
    return Verdict(PASS, f"looser tolerance: {looser:g} ULP" if looser else "")


def _level(check: Check, found: Finding) -> str:
    """That of its check, unless the check says that such a finding is less."""
    levels: dict[str, str] = getattr(check, "FINDING_LEVELS", {})
    return levels.get(found.what, check.LEVEL)


def _explained(found: Finding, deviations: list[Deviation]) -> bool:
    return any(deviation.explains(str(found)) for deviation in deviations)


def _report(check: Check, cell: Cell, found: Finding, count: int) -> str:
    lines = [
        f"{cell.spec.key} · {check.NUMBER} {check.KIND} · {cell.dtype} · {cell.device}",
        str(found),
    ]
    if count > 1:
        lines.append(f"({count} findings in this cell; this is the first)")
    if found.snippet:
        lines += ["reproduce:", found.snippet]
    return "\n".join(lines)
