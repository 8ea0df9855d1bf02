"""The pipeline: every stage runs, a missing build fails what needs it, the end tells the truth."""

import pytest

from ci import pipeline
from ci.counts import Counts
from ci.stages import STAGES, Stage
from tools.runner import run_this_file
from tools.runner.bootstrap import BootstrapError


def stage(name, counts, ran, **options):
    def action():
        ran.append(name)
        if isinstance(counts, Exception):
            raise counts
        return counts

    return Stage(name, 1, "for this test", action, **options)


def run(*stages):
    rows = pipeline.run_stages(stages)
    return [counts for _, counts, _ in rows], pipeline.summary(rows)


def test_a_failed_stage_does_not_stop_the_others(capsys):
    ran = []
    _, status = run(
        stage("lint", Counts(2, 1, 0), ran, needs_build=False),
        stage("build", Counts(1, 0, 0), ran, needs_build=False),
        stage("unit", Counts(5, 0, 1), ran),
    )
    assert ran == ["lint", "build", "unit"]
    assert status == 1
    assert capsys.readouterr().out.splitlines()[-1] == "8 passed, 1 failed, 1 skipped"


@pytest.mark.parametrize("failure", [Counts(0, 1, 0), BootstrapError("no compiler")])
def test_without_a_build_what_needs_it_counts_as_failed(failure):
    ran = []
    counts, status = run(
        stage("build", failure, ran, needs_build=False), stage("unit", Counts(5, 0, 0), ran)
    )
    assert ran == ["build"]
    assert counts[1] == Counts(0, 1, 0)
    assert status == 1


def test_what_failed_is_named_at_the_end(capsys):
    many = tuple(f"FAILED t{number}" for number in range(20))
    run(stage("lint", Counts(1, 1), []), stage("unit", Counts(3, 20, 0, many), []))
    said = capsys.readouterr().out.splitlines()
    assert said[-15:] == [
        "lint: 1 failed",
        *(f"unit: FAILED t{number}" for number in range(12)),
        "unit: and 8 more",
        "4 passed, 21 failed, 0 skipped",
    ]


def test_everything_passed_is_success():
    assert run(stage("unit", Counts(5, 0, 0), []))[1] == 0


def test_nothing_that_passed_is_no_success():
    assert run(stage("unit", Counts(), []))[1] == 1


def test_a_wrong_name_is_refused(capsys):
    with pytest.raises(SystemExit):
        pipeline.main(["untl"])
    assert "no stage is named untl" in capsys.readouterr().err


def test_the_budgets_keep_their_sum():
    usual = [stage for stage in STAGES if not stage.only_by_name]
    assert sum(stage.minutes for stage in usual) <= 34.5  # of the 40 that a run may take


if __name__ == "__main__":
    run_this_file()
