"""What a failure means: failed, flaky, dependent on the order, or the machine's fault.

A failed test runs again, alone and after chosen tests, each time in a fresh process. A test that
depends on the order gives one result alone and the other after the same tests, every time; one
contradiction makes it flaky. README.md has the table of verdicts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tools.runner.events import GOOD, Attempt, Outcome
from tools.runner.settings import Limits

CONFIRMATIONS = 2
"""Further pairs of runs (alone, after the same tests) that must agree before a bisection."""

NO_RETRY = frozenset({Outcome.ERROR, Outcome.MISSING, Outcome.NOT_RUN})
_CHEAP = frozenset({Outcome.FAILED, Outcome.INFRASTRUCTURE})

Run = Callable[[tuple[str, ...]], Mapping[str, Attempt]]
"""Runs ids in the given order in one fresh process."""


@dataclass
class Case:
    """A test with its attempts: the first in its session, after the tests `before`."""

    test: str
    attempts: list[Attempt]
    before: tuple[str, ...] = ()
    note: str = ""
    alone: list[bool] = field(default_factory=list)

    @property
    def outcome(self) -> Outcome:
        """What the attempts say so far."""
        if self.note:
            return Outcome.ORDER_DEPENDENT
        own = [attempt for attempt in self.attempts if not _of_the_machine(attempt)]
        bad = [attempt for attempt in own if attempt.outcome not in GOOD]
        if bad:
            return bad[-1].outcome if len(bad) == len(own) else Outcome.FLAKY
        if own and len(own) < len(self.attempts):
            return Outcome.INFRASTRUCTURE
        return self.attempts[-1].outcome

    @property
    def text(self) -> str:
        """What makes an unsteady test so; empty for the others."""
        if self.outcome is not Outcome.FLAKY:
            return self.note
        bad = sum(attempt.outcome not in GOOD for attempt in self.attempts)
        return f"{bad} of {len(self.attempts)} attempts failed"

    @property
    def worth_a_retry(self) -> bool:
        """True for a failure that another run can tell more about."""
        first = self.attempts[0].outcome if self.attempts else Outcome.NOT_RUN
        return first not in GOOD | NO_RETRY


def _of_the_machine(attempt: Attempt) -> bool:
    """No verdict on the test. A supervisor that is lost every time is lost by the test's hand."""
    return attempt.outcome is Outcome.INFRASTRUCTURE or attempt.cause == "supervisor"


class Investigation:
    """The runs that follow the failures of one file."""

    def __init__(self, run: Run, limits: Limits, stopped: Callable[[], bool]) -> None:
        self._run = run
        self._limits = limits
        self._stopped = stopped

    def conclude(self, cases: Sequence[Case]) -> None:
        """Add attempts to those cases that failed, and a note to those that depend on the order.

        More than `retry_limit` failures are no flakiness; they stay as they are.
        """
        failed = [case for case in cases if case.worth_a_retry]
        if len(failed) > self._limits.retry_limit:
            return
        for case in failed:
            self._alone_until_it_passes(case)
            if case.alone == [True] and self._affordable(case.before, cases):
                self._depends(case, case.before)
        good = [case.test for case in cases if case.attempts and case.attempts[0].outcome in GOOD]
        self._enablers([case for case in failed if not any(case.alone)], good, cases)

    def _alone_until_it_passes(self, case: Case) -> None:
        """At least once; a hang or a crash costs too much to be repeated."""
        cheap = case.attempts[0].outcome in _CHEAP
        for _ in range(self._limits.retries if cheap else 1):
            spent = sum(attempt.seconds for attempt in case.attempts[1:])
            if self._stopped() or any(case.alone) or spent > self._limits.retry_s:
                return
            self._again(case, ())

    def _enablers(self, failed: Sequence[Case], good: Sequence[str], cases: Sequence[Case]) -> None:
        """Find tests that failed because another one of their file had not run before them."""
        failed = [case for case in failed if case.outcome is Outcome.FAILED and case.alone]
        failed = [case for case in failed if not set(good) <= set(case.before)]
        if not failed or not self._affordable(good, cases) or self._stopped():
            return
        found = self._run((*good, *(case.test for case in failed)))
        for case in failed:
            attempt = found.get(case.test)
            if attempt is not None and attempt.outcome in GOOD:
                self._depends(case, tuple(good))

    def _depends(self, case: Case, others: tuple[str, ...]) -> None:
        """Note it when the result after `others` is always the opposite of that alone."""
        alone = case.alone[-1]
        for _ in range(CONFIRMATIONS):
            if self._again(case, others) is not (not alone):
                return
            if self._again(case, ()) is not alone:
                return
        part = self._smallest_part(case, others, alone)
        if self._again(case, part) is not (not alone):
            return
        what = "passes alone, fails after" if alone else "fails alone, passes after"
        case.note = f"{what} {' and '.join(part)}"

    def _smallest_part(self, case: Case, others: tuple[str, ...], alone: bool) -> tuple[str, ...]:
        """Bisect to the test that changes the result; more of them when it takes several."""
        part = others
        while len(part) > 1:
            middle = len(part) // 2
            halves = (part[middle:], part[:middle])
            half = next((half for half in halves if self._again(case, half) is not alone), None)
            if half is None:
                break
            part = half
        return part

    def _again(self, case: Case, others: tuple[str, ...]) -> bool | None:
        """One more attempt, after `others`; None when it gives no result."""
        attempt = None if self._stopped() else self._run((*others, case.test)).get(case.test)
        if attempt is None or attempt.outcome in NO_RETRY:  # its file is gone meanwhile
            return None
        case.attempts.append(replace(attempt, how=describe(others)))
        good = attempt.outcome in GOOD
        if not others:
            case.alone.append(good)
        return good

    def _affordable(self, others: Sequence[str], cases: Sequence[Case]) -> bool:
        """True when there are tests to run before, and they are not too slow for a bisection."""
        wanted = set(others)
        seconds = sum(
            case.attempts[0].seconds for case in cases if case.attempts and case.test in wanted
        )
        return bool(others) and seconds <= self._limits.order_s


def describe(others: Sequence[str]) -> str:
    """How an attempt was made, for the reports."""
    match len(others):
        case 0:
            return "alone"
        case 1:
            return f"after {others[0]}"
    return f"after {len(others)} tests"
