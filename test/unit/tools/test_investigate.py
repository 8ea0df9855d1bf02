"""Verdicts on failures, from simulated tests whose behaviour is known."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tools.runner import run_this_file
from tools.runner.events import Attempt, Outcome
from tools.runner.investigate import Case, Investigation
from tools.runner.settings import Limits, load_groups

LIMITS: Limits = load_groups(Path(__file__).parents[3] / "tools/runner/groups.toml").limits

Behaviour = Callable[[tuple[str, ...]], bool]
"""From the tests that ran before to: passes."""


class World:
    """A file of tests; every process starts without a memory."""

    def __init__(self, **tests: Behaviour) -> None:
        self.tests = tests
        self.processes: list[tuple[str, ...]] = []

    def run(self, ids: tuple[str, ...]) -> Mapping[str, Attempt]:
        self.processes.append(ids)
        return {
            test: Attempt(Outcome.PASSED if self.tests[test](ids[:place]) else Outcome.FAILED, 0.01)
            for place, test in enumerate(ids)
        }

    def judge(self, limits: Limits = LIMITS) -> dict[str, Case]:
        ids = tuple(self.tests)
        session = self.run(ids)
        cases = [Case(test, [session[test]], ids[:n]) for n, test in enumerate(ids)]
        Investigation(self.run, limits, lambda: False).conclude(cases)
        return {case.test: case for case in cases}


def passes(_: tuple[str, ...]) -> bool:
    return True


def fails(_: tuple[str, ...]) -> bool:
    return False


def scripted(*results: bool) -> Behaviour:
    left = list(results)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def test_failure_every_time_is_one() -> None:
    case = World(good=passes, bad=fails, more=passes).judge()["bad"]
    assert case.outcome is Outcome.FAILED
    assert [attempt.how for attempt in case.attempts] == ["in its session", *3 * ["alone"]]


@pytest.mark.parametrize("results", [(False, True, True), (False, False, True), (False, True)])
def test_failure_that_passes_after_the_same_tests_is_flaky(results: tuple[bool, ...]) -> None:
    case = World(good=passes, flake=scripted(*results)).judge()["flake"]
    assert case.outcome is Outcome.FLAKY
    assert case.note == ""


def test_flake_without_predecessors_needs_one_retry() -> None:
    assert len(World(flake=scripted(False, True)).judge()["flake"].attempts) == 2


@pytest.mark.parametrize("place", range(9))
def test_polluter_is_named(place: int) -> None:
    tests: dict[str, Behaviour] = {f"t{n}": passes for n in range(9)}
    world = World(**tests, victim=lambda before: f"t{place}" not in before)
    case = world.judge()["victim"]
    assert case.outcome is Outcome.ORDER_DEPENDENT
    assert case.note == f"passes alone, fails after t{place}"
    assert case.attempts[-1].how == f"after t{place}"


def test_two_polluters_that_only_work_together_are_both_named() -> None:
    tests = {f"t{n}": passes for n in range(4)}
    case = World(**tests, victim=lambda before: not {"t0", "t3"} <= set(before)).judge()["victim"]
    assert case.outcome is Outcome.ORDER_DEPENDENT
    assert "t0" in case.note and "t3" in case.note


def test_enabler_of_a_brittle_test_is_named() -> None:
    tests = {f"t{n}": passes for n in range(6)}
    case = World(brittle=lambda before: "t4" in before, **tests).judge()["brittle"]
    assert case.outcome is Outcome.ORDER_DEPENDENT
    assert case.note == "fails alone, passes after t4"


def test_one_process_looks_for_enablers_of_all_failures() -> None:
    world = World(a=fails, b=fails, c=fails, good=passes)
    world.judge()
    assert sum("good" in ids for ids in world.processes[1:]) == 1


def test_fault_of_the_machine_is_not_the_tests() -> None:
    case = Case("t", [Attempt(Outcome.INFRASTRUCTURE)])
    Investigation(lambda ids: {"t": Attempt(Outcome.PASSED)}, LIMITS, lambda: False).conclude(
        [case]
    )
    assert case.outcome is Outcome.INFRASTRUCTURE
    assert len(case.attempts) == 2


def test_failure_beside_a_fault_of_the_machine_counts() -> None:
    case = Case("t", [Attempt(Outcome.INFRASTRUCTURE), Attempt(Outcome.FAILED)])
    assert case.outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("later", "expected"),
    [(Outcome.PASSED, Outcome.INFRASTRUCTURE), (Outcome.CRASHED, Outcome.CRASHED)],
)
def test_lost_supervisor(later: Outcome, expected: Outcome) -> None:
    lost = Attempt(Outcome.CRASHED, cause="supervisor")
    cause = "supervisor" if later is Outcome.CRASHED else ""
    assert Case("t", [lost, Attempt(later, cause=cause)]).outcome is expected


def test_file_that_is_gone_tells_nothing_about_its_failure() -> None:
    case = Case("t", [Attempt(Outcome.CRASHED)])
    gone = {"t": Attempt(Outcome.MISSING)}
    Investigation(lambda ids: gone, LIMITS, lambda: False).conclude([case])
    assert case.outcome is Outcome.CRASHED and len(case.attempts) == 1


def test_many_failures_are_left_alone() -> None:
    world = World(**{f"t{n}": fails for n in range(LIMITS.retry_limit + 1)})
    world.judge()
    assert len(world.processes) == 1


def test_stopped_run_is_not_investigated() -> None:
    case = Case("t", [Attempt(Outcome.FAILED)])
    Investigation(World(t=passes).run, LIMITS, lambda: True).conclude([case])
    assert case.outcome is Outcome.FAILED and len(case.attempts) == 1


def test_victim_whose_predecessors_are_slow_is_not_bisected() -> None:
    cases = [
        Case("slow", [Attempt(Outcome.PASSED, LIMITS.order_s + 1)]),
        Case("t", [Attempt(Outcome.FAILED)], ("slow",)),
    ]
    world = World(slow=passes, t=lambda before: "slow" not in before)
    Investigation(world.run, LIMITS, lambda: False).conclude(cases)
    assert cases[1].outcome is Outcome.FLAKY
    assert world.processes == [("t",)]


RATES = (0.05, 0.1, 0.2, 0.3, 0.5)


def drawn(rate: float, draws: random.Random) -> Behaviour:
    """A flake that has failed once and now fails at `rate`."""
    first = iter([False])
    return lambda _: next(first, draws.random() >= rate)


@pytest.mark.parametrize("seed", range(5))
def test_flakes_of_many_rates_are_told_from_order_dependence(seed: int) -> None:
    draws = random.Random(seed)
    right = 0
    for _ in range(40):
        for rate in RATES:
            world = World(a=passes, b=passes, c=passes, flake=drawn(rate, draws))
            right += world.judge()["flake"].outcome is Outcome.FLAKY
    assert right >= 0.95 * 40 * len(RATES)


if __name__ == "__main__":
    run_this_file()
