"""The books of a run: every planned test has one outcome, and the exit status follows from that."""

from collections import Counter
from dataclasses import dataclass

from tools.runner import exit_codes
from tools.runner.events import CellSummary, Outcome, PlanMade, RunFinished, TestFinished

_PASSED = (Outcome.PASSED, Outcome.XFAILED)
_OWN_STATUS = {
    Outcome.ORDER_DEPENDENT: (exit_codes.ORDER_DEPENDENT, "depend on what ran before them"),
    Outcome.INFRASTRUCTURE: (exit_codes.INFRASTRUCTURE, "met a fault of the machine"),
    Outcome.FLAKY: (exit_codes.FLAKY, "both failed and passed"),
}


class LedgerError(Exception):
    """An outcome without a plan, or a second one: the runner is wrong, not a test."""


@dataclass(frozen=True)
class Closing:
    """What, besides the outcomes, decides the exit status."""

    interrupted: bool
    cells: CellSummary
    whole_conformance: bool
    quarantine: tuple[str, ...] = ()  # its entries that are expired or name nothing


class Ledger:
    """Planned ids on one side, outcomes on the other."""

    def __init__(self, plan: PlanMade) -> None:
        self._planned = frozenset(plan.ids)
        self._outcomes: dict[str, Outcome] = {}
        self._quarantined: set[str] = set()

    def enter(self, event: TestFinished) -> None:
        """Write one outcome. Raises LedgerError when it is not planned or not the first."""
        if event.id not in self._planned:
            raise LedgerError(f"{event.id}: an outcome, but not in the plan")
        if event.id in self._outcomes:
            raise LedgerError(f"{event.id}: a second outcome ({event.outcome})")
        self._outcomes[event.id] = event.outcome
        if event.quarantined:
            self._quarantined.add(event.id)

    def missing(self) -> list[str]:
        """Planned tests without an outcome."""
        return sorted(self._planned - self._outcomes.keys())

    def close(self, closing: Closing, seconds: float) -> RunFinished:
        """Sum up. Raises LedgerError when a planned test has no outcome."""
        if missing := self.missing():
            raise LedgerError(f"{len(missing)} planned tests without an outcome: {missing[:5]}")
        counts = Counter(self._outcomes.values())
        passed = sum(counts[outcome] for outcome in _PASSED)
        skipped = counts[Outcome.SKIPPED] + len(self._quarantined)
        counted = (end for test, end in self._outcomes.items() if test not in self._quarantined)
        code, reason = self._verdict(Counter(counted), closing)
        if closing.quarantine and code != exit_codes.QUARANTINE:
            reason += f"; quarantine: {'; '.join(closing.quarantine)}"
        if self._quarantined:
            reason += f"; {len(self._quarantined)} in quarantine did not pass"
        return RunFinished(
            counts={outcome.value: counts[outcome] for outcome in Outcome if counts[outcome]},
            passed=passed,
            failed=len(self._planned) - passed - skipped,
            skipped=skipped,
            seconds=seconds,
            exit_code=code,
            reason=reason,
            quarantine=closing.quarantine,
        )

    def _verdict(self, counts: Counter[Outcome], closing: Closing) -> tuple[int, str]:
        if closing.interrupted:
            return exit_codes.INTERRUPTED, f"stopped; {counts[Outcome.NOT_RUN]} tests did not run"
        bad = sum(counts.values()) - sum(counts[o] for o in (*_PASSED, Outcome.SKIPPED))
        if bad > sum(counts[outcome] for outcome in _OWN_STATUS):
            return exit_codes.FAILED, f"{bad} of {len(self._planned)} tests have no passing outcome"
        if failed := closing.cells.verdicts.get("fail", 0):
            return exit_codes.FAILED, f"{failed} conformance cells failed"
        for outcome, (code, reason) in _OWN_STATUS.items():
            if counts[outcome]:
                return code, f"{counts[outcome]} tests {reason}"
        if closing.quarantine:
            return exit_codes.QUARANTINE, f"quarantine: {'; '.join(closing.quarantine)}"
        if closing.whole_conformance and closing.cells.blank:
            return exit_codes.BLANK_CELLS, f"{closing.cells.blank} cells have no verdict"
        if closing.whole_conformance and not closing.cells.judged:
            return exit_codes.BLANK_CELLS, "the conformance group judged no cell"
        return exit_codes.PASSED, "every planned test passed"
