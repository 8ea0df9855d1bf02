"""Shard reports become one run only when each test of the plan has one outcome in them."""

import json
import shutil
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.runner import exit_codes, merge, run_this_file
from tools.runner.events import (
    Attempt,
    CellSummary,
    Event,
    Outcome,
    PlanMade,
    RunFinished,
    RunStarted,
    TestFinished,
    from_json,
)
from tools.runner.merge import MergeError
from tools.sharding.durations import Durations
from tools.sharding.plan import make_plan

OUTCOMES = (Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED, Outcome.FLAKY, Outcome.XFAILED)


@dataclass(frozen=True)
class Shard:
    """What one shard writes."""

    plan: PlanMade
    outcomes: tuple[TestFinished, ...]
    implementation: str = "cepheid"
    end: bool = True

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True)
        events: list[Event] = [
            RunStarted(folder.name, self.implementation, "run_test.py", "/"),
            self.plan,
            *self.outcomes,
            CellSummary(0),
        ]
        if self.end:
            events.append(RunFinished({}, 0, 0, 0, 1.0, 0, ""))
        lines = [json.dumps(event.to_json()) for event in events]
        (folder / merge.EVENTS_FILE).write_text("\n".join(lines) + "\n")
        return folder


def ended(test: str, outcome: Outcome) -> TestFinished:
    return TestFinished(test, outcome, 0.5, (Attempt(outcome, 0.5),))


def make(ids: Sequence[str], outcomes: Sequence[Outcome], count: int) -> list[Shard]:
    made = make_plan(ids, Durations(), count)
    by_id = dict(zip(ids, outcomes, strict=True))
    return [
        Shard(
            PlanMade(made.hash, number, count, part, tuple(sorted(ids))),
            tuple(ended(test, by_id[test]) for test in part),
        )
        for number, part in enumerate(made.shards, 1)
    ]


def merged(shards: Sequence[Shard]) -> RunFinished:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        folders = [shard.write(root / str(number)) for number, shard in enumerate(shards)]
        return merge.merge([merge.read_shard(folder) for folder in folders], root / "out")


@st.composite
def runs(draw: st.DrawFn) -> list[Shard]:
    ids = draw(st.lists(st.from_regex(r"t/[a-c]\.py::[a-z]{1,6}", fullmatch=True), unique=True))
    outcomes = draw(st.lists(st.sampled_from(OUTCOMES), min_size=len(ids), max_size=len(ids)))
    return make(ids, outcomes, draw(st.integers(1, 6)))


LARGE = settings(max_examples=60)


@LARGE
@given(runs())
def test_whole_runs_merge_to_their_sums(shards: list[Shard]) -> None:
    ends = [end.outcome for shard in shards for end in shard.outcomes]
    finished = merged(shards)
    assert sum(finished.counts.values()) == len(ends)
    assert finished.passed == ends.count(Outcome.PASSED) + ends.count(Outcome.XFAILED)
    assert finished.skipped == ends.count(Outcome.SKIPPED)
    expected = exit_codes.PASSED
    if Outcome.FAILED in ends:
        expected = exit_codes.FAILED
    elif Outcome.FLAKY in ends:
        expected = exit_codes.FLAKY
    assert finished.exit_code == expected


def lose_shard(shards: list[Shard], at: int) -> list[Shard]:
    return shards[:at] + shards[at + 1 :]


def double_shard(shards: list[Shard], at: int) -> list[Shard]:
    return [*shards, shards[at]]


def other_plan(shards: list[Shard], at: int) -> list[Shard]:
    plan = replace(shards[at].plan, plan_hash="another")
    return [*shards[:at], replace(shards[at], plan=plan), *shards[at + 1 :]]


def foreign_shard(shards: list[Shard], at: int) -> list[Shard]:
    return [*shards, *make(["x.py::x"], [Outcome.PASSED], 1)]


def other_implementation(shards: list[Shard], at: int) -> list[Shard]:
    return [*shards[:at], replace(shards[at], implementation="other"), *shards[at + 1 :]]


def unfinished(shards: list[Shard], at: int) -> list[Shard]:
    return [*shards[:at], replace(shards[at], end=False), *shards[at + 1 :]]


def with_outcomes(shards: list[Shard], at: int, *outcomes: TestFinished) -> list[Shard]:
    return [*shards[:at], replace(shards[at], outcomes=outcomes), *shards[at + 1 :]]


def unplanned_outcome(shards: list[Shard], at: int) -> list[Shard]:
    return with_outcomes(shards, at, *shards[at].outcomes, ended("x.py::x", Outcome.PASSED))


SHARD_FAULTS = [
    lose_shard,
    double_shard,
    other_plan,
    foreign_shard,
    other_implementation,
    unfinished,
    unplanned_outcome,
]


@pytest.mark.parametrize("fault", SHARD_FAULTS)
def test_faulty_sets_of_shards_are_refused(fault: object) -> None:
    assert callable(fault)

    @settings(max_examples=25)
    @given(runs(), st.data())
    def refused(shards: list[Shard], data: st.DataObject) -> None:
        if len(shards) == 1 and fault in (other_plan, other_implementation):
            return  # one shard agrees with itself
        at = data.draw(st.integers(0, len(shards) - 1))
        with pytest.raises(MergeError):
            merged(fault(shards, at))

    refused()


@pytest.mark.parametrize("kind", ["lost", "repeated", "moved"])
def test_faulty_outcomes_are_refused(kind: str) -> None:
    @settings(max_examples=25)
    @given(runs(), st.data())
    def refused(shards: list[Shard], data: st.DataObject) -> None:
        full = [number for number, shard in enumerate(shards) if shard.outcomes]
        if not full or len(shards) == 1:
            return
        at = data.draw(st.sampled_from(full))
        first, *rest = shards[at].outcomes
        match kind:
            case "lost":
                faulty = with_outcomes(shards, at, *rest)
            case "repeated":
                faulty = with_outcomes(shards, at, first, first, *rest)
            case _:
                to = (at + 1) % len(shards)
                faulty = with_outcomes(shards, at, *rest)
                faulty = with_outcomes(faulty, to, *shards[to].outcomes, first)
        with pytest.raises(MergeError, match=first.id):
            merged(faulty)

    refused()


@pytest.mark.parametrize(
    "event",
    [
        PlanMade("h", 1, 2, ("a",), ("a", "b"), 3, True),
        TestFinished(
            "a",
            Outcome.FLAKY,
            1.0,
            (Attempt(Outcome.FAILED, how="alone"), Attempt(Outcome.PASSED)),
            properties=(("cell", {"op": "add"}), ("n", 1)),
            quarantined="why",
        ),
        RunFinished({"passed": 1}, 1, 0, 0, 1.0, 0, "", ("expired",)),
    ],
)
def test_event_survives_the_report(event: Event) -> None:
    back = from_json(json.loads(json.dumps(event.to_json())))
    assert type(back) is type(event)
    assert asdict(back) == asdict(event)


def test_folder_without_a_report_is_named(tmp_path: Path) -> None:
    with pytest.raises(MergeError, match=r"nothing: expected a report's events.jsonl"):
        merge.read_shard(tmp_path / "nothing")


def test_command_writes_all_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = [f"t/a.py::t{number}" for number in range(5)]
    shards = make(ids, [Outcome.PASSED] * 4 + [Outcome.FAILED], 2)
    folders = [str(shard.write(tmp_path / str(n))) for n, shard in enumerate(shards)]
    out = tmp_path / "merged"
    assert merge.main([*folders, "--out", str(out)]) == exit_codes.FAILED
    assert capsys.readouterr().out.splitlines()[-1] == "4 passed, 1 failed, 0 skipped"
    cases = ElementTree.parse(out / "junit.xml").getroot().iter("testcase")
    assert {f"{case.get('classname')}::{case.get('name')}" for case in cases} == set(ids)
    again = merge.read_shard(out)
    assert again.problems() == [] and len(again.tests) == 5
    shutil.rmtree(folders[0])
    assert merge.main([*folders, "--out", str(out)]) == exit_codes.MERGE


if __name__ == "__main__":
    run_this_file()
