"""Candidates that pass without being right are refused, and the honest twin passes.

Each cheat runs in a driver process of its own, on the checks that its table names: every one of
them has to find something.
"""

import os
from pathlib import Path

import cheats_of_process
import cheats_of_state
import cheats_of_values
import pytest

from cepheid_conformance import checks, tolerances
from cepheid_conformance.candidate import Candidate
from cepheid_conformance.capability import Deviation
from cepheid_conformance.cells import Bench, Cell
from cepheid_conformance.verdict import judge_cell
from tools.runner import run_this_file

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
PATH = os.pathsep.join(map(str, (HERE, HERE / "reference", HERE.parent / "conformance")))
MODULES = (cheats_of_values, cheats_of_state, cheats_of_process)
CHEATS = {
    f"{module.__name__}:{cheat.__name__}": kinds
    for module in MODULES
    for cheat, kinds in module.CHEATS.items()
}
TIMEOUT = 20.0
BRIEF = {"hangs": 0.5, "half_a_frame": 0.5}  # what never answers need not be waited for


@pytest.fixture
def bench_of(make_capability):
    """A function from an implementation to a bench; its process ends with the test."""
    started = []

    def make(implementation, **changes):
        timeout = BRIEF.get(implementation.partition(":")[2], TIMEOUT)
        candidate = Candidate(implementation, timeout=timeout, environment={"PYTHONPATH": PATH})
        started.append(candidate)
        return Bench(candidate, make_capability(**changes), tolerances.load())

    yield make
    for candidate in started:
        candidate.close()


def findings(kind, spec, bench):
    return checks.load(kind).check(Cell(spec, kind, "float32", "cpu"), bench)


@pytest.mark.parametrize("implementation", CHEATS)
def test_a_cheat_is_refused(implementation, specs, bench_of):
    bench = bench_of(implementation)
    missed = [kind for kind in CHEATS[implementation] if not findings(kind, specs["add"], bench)]
    assert missed == []


def test_the_honest_twin_passes(specs, bench_of):
    bench = bench_of("cheat:honest")
    for kind in sorted({kind for kinds in CHEATS.values() for kind in kinds}):
        assert [str(found) for found in findings(kind, specs["add"], bench)] == [], kind


def test_there_are_at_least_thirty():
    assert len(CHEATS) >= 30
    assert all(cheat.__doc__ for module in MODULES for cheat in module.CHEATS)


def test_an_op_that_is_promised_and_absent_fails(specs, bench_of):
    bench = bench_of("cheat:without_transpose")
    cell = Cell(specs["t"], "values", "float32", "cpu")
    assert judge_cell(checks.load("values"), cell, bench).verdict == "fail"


def test_a_deviation_that_hides_nothing_fails(specs, bench_of):
    """A capability file can't buy a pass in advance."""
    every = Deviation("*", ".*", "gap", "it may be wrong anywhere, we will see", "none")
    bench = bench_of("cheat:honest", deviations=(every,))
    cell = Cell(specs["add"], "values", "float32", "cpu")
    verdict = judge_cell(checks.load("values"), cell, bench)
    assert verdict.verdict == "fail"
    assert "unexpected pass" in verdict.reason


def test_no_version_counters_has_to_be_declared(specs, bench_of):
    assert findings("purity", specs["add"], bench_of("cheat:without_versions"))


if __name__ == "__main__":
    run_this_file()
