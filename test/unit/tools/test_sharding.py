"""Shard plans: whole, disjoint, equal everywhere; durations; the check of merged reports."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.runner import run_this_file
from tools.sharding import cli
from tools.sharding.check import ShardReport, problems
from tools.sharding.durations import DEFAULT_SECONDS, Durations, family, read, write
from tools.sharding.plan import make_plan, parse_shard, read_plan, write_plan

REPOSITORY = Path(__file__).resolve().parents[3]
IDS = st.lists(
    st.builds(
        "test/{}.py::test_{}".format,
        st.sampled_from("abcd"),
        st.text(st.sampled_from("xyz_[]é"), min_size=1, max_size=6),
    ),
    unique=True,
    max_size=40,
)
SECONDS = st.floats(0, 1e4)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[str], Durations]:
    ids = draw(IDS)
    known = draw(st.lists(st.sampled_from(ids), unique=True)) if ids else []
    tests = {test: draw(SECONDS) for test in known}
    return ids, Durations(tests, draw(st.dictionaries(st.just("test/a.py"), SECONDS)))


@pytest.mark.slow
@settings(max_examples=1000)
@given(cases())
def test_union_is_the_whole_and_disjoint(case: tuple[list[str], Durations]) -> None:
    ids, durations = case
    for shards in range(1, 65):
        plan = make_plan(ids, durations, shards)
        assert len(plan.shards) == shards
        assert Counter(test for shard in plan.shards for test in shard) == Counter(ids)


@settings(max_examples=100)
@given(cases(), st.integers(1, 64))
def test_family_that_is_whole_is_in_one_shard(
    case: tuple[list[str], Durations], shards: int
) -> None:
    ids, durations = case
    plan = make_plan(ids, durations, shards, {"test/a.py", "test/b.py"})
    assert Counter(plan.ids()) == Counter(ids)
    for file in ("test/a.py", "test/b.py"):
        holders = [s for s in plan.shards if any(family(test) == file for test in s)]
        assert len(holders) <= 1


@settings(max_examples=200)
@given(cases(), st.integers(1, 64), st.randoms(use_true_random=False))
def test_plan_does_not_depend_on_order(
    case: tuple[list[str], Durations], shards: int, random: Random
) -> None:
    ids, durations = case
    mixed = list(ids)
    random.shuffle(mixed)
    entries = list(durations.tests.items())
    random.shuffle(entries)
    other = make_plan(mixed, Durations(dict(entries), durations.families), shards)
    assert other.hash == make_plan(ids, durations, shards).hash


@settings(max_examples=200)
@given(cases(), st.integers(1, 64))
def test_no_shard_exceeds_the_bound_of_list_scheduling(
    case: tuple[list[str], Durations], shards: int
) -> None:
    ids, durations = case
    weights = {test: round(durations.seconds(test) * 1e6) for test in ids}
    loads = [sum(weights[test] for test in s) for s in make_plan(ids, durations, shards).shards]
    # List scheduling: whoever ends last began when no other shard had less work.
    assert max(loads) <= sum(weights.values()) / shards + max(weights.values(), default=0)


HASHES = """
import hashlib
from tools.sharding.durations import Durations
from tools.sharding.plan import make_plan
ids = {f"test/{name}.py::test_{number}" for name in "abc" for number in range(50)}
durations = Durations({test: len(test) * 0.37 for test in ids if "7" in test})
plans = "".join(make_plan(sorted(ids), durations, n).hash for n in range(1, 65))
print(hashlib.sha256(plans.encode()).hexdigest())
"""


def test_plans_are_equal_for_every_hash_seed() -> None:
    found = set()
    for seed in ("0", "1", "2", "12345", "random"):
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", HASHES]
        done = subprocess.run(command, env=environment, capture_output=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1 and len(found.pop().strip()) == hashlib.sha256().digest_size * 2


def test_longest_first_ties_by_id() -> None:
    durations = Durations({"f::a": 3.0, "f::b": 2.0, "f::c": 2.0, "f::d": 1.0})
    plan = make_plan(["f::d", "f::c", "f::b", "f::a"], durations, 2)
    assert plan.shards == (("f::a", "f::d"), ("f::b", "f::c"))


@pytest.mark.parametrize(
    ("ids", "shards", "message"),
    [(["a"], 0, "at least 1 shard; got 0"), (["a", "b", "a"], 1, "'a' more than once")],
)
def test_make_plan_refuses(ids: list[str], shards: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_plan(ids, Durations(), shards)


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b"])
def test_parse_shard_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="expected I/N"):
        parse_shard(text)


def test_parse_shard() -> None:
    assert parse_shard("3/12") == (3, 12)


def test_plan_file_round_trip_and_tampering(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    plan = make_plan(["a", "b", "c"], Durations(), 2)
    write_plan(path, plan)
    assert read_plan(path) == plan
    path.write_text(path.read_text().replace('"a"', '"z"'))
    with pytest.raises(ValueError, match=f"expected plan {plan.hash}; its content is"):
        read_plan(path)


def test_seconds_of_a_known_test_its_family_and_a_stranger() -> None:
    durations = Durations({"a::x": 9.0}, {"a": 1.0, "b": 3.0, "c": 7.0})
    assert [durations.seconds(test) for test in ("a::x", "a::y", "d::z")] == [9.0, 1.0, 3.0]
    assert Durations().seconds("a::x") == DEFAULT_SECONDS


def test_merge_keeps_single_tests_only_where_they_matter() -> None:
    before = Durations({"a::slow": 5.0, "b::old": 2.0}, {"a": 1.0, "b": 1.0})
    merged = before.merge({"a::x": 0.1, "a::y": 0.1, "a::slow": 0.2, "a::new": 4.0})
    assert merged.families == {"a": 0.15, "b": 1.0}
    assert merged.tests == {"b::old": 2.0, "a::new": 4.0}
    assert merged.keep(["a::new"]) == Durations({"a::new": 4.0}, {"a": 0.15})


def test_durations_file(tmp_path: Path) -> None:
    path = tmp_path / "durations.json"
    assert read(path) == Durations()
    table = Durations({"a::x": 1.5}, {"a": 0.5})
    write(path, table)
    assert read(path) == table
    path.write_text("[]")
    with pytest.raises(ValueError, match="expected an object with version 1"):
        read(path)


def report(shard: int, planned: tuple[str, ...]) -> ShardReport:
    return ShardReport(f"r{shard}", "h", shard, 2, planned, ("a", "b", "c"), planned)


def test_check_accepts_a_whole_run() -> None:
    assert problems([report(2, ("c",)), report(1, ("a", "b"))]) == []


@pytest.mark.parametrize(
    ("reports", "problem"),
    [
        ([], "no report given"),
        ([report(1, ("a",)), replace(report(2, ()), plan_hash="g")], "plans differ: g, h"),
        ([report(1, ("a", "b", "c"))], "shards: expected [1, 2]; got [1]"),
        ([report(1, ("a", "b")), report(2, ("b", "c"))], "b: in more than one shard"),
        ([report(1, ("a",)), report(2, ("c",))], "b: in no shard"),
        (
            [report(1, ("a", "b", "x")), report(2, ("c",))],
            "x: in a shard, but not in the plan",
        ),
        (
            [replace(report(1, ("a", "b")), finished=("a",)), report(2, ("c",))],
            "b: expected one outcome in r1; got 0",
        ),
        (
            [replace(report(1, ("a", "b")), finished=("a", "b", "b")), report(2, ("c",))],
            "b: expected one outcome in r1; got 2",
        ),
        (
            [replace(report(1, ("a", "b")), finished=("a", "b", "c")), report(2, ("c",))],
            "c: an outcome in r1 without being planned there",
        ),
    ],
)
def test_check_names_the_problem(reports: list[ShardReport], problem: str) -> None:
    assert problem in problems(reports)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids, plan = tmp_path / "ids", tmp_path / "plan.json"
    table, measured = tmp_path / "durations.json", tmp_path / "measured.json"
    ids.write_text("f::a\nf::b\nf::c\n")
    measured.write_text(json.dumps({"f::a": 1.0, "f::b": 3.0, "f::c": 1.0}))
    assert cli.main(["--durations", str(table), "durations", str(measured)]) == 0
    assert read(table) == Durations({"f::b": 3.0}, {"f": 1.0})
    assert cli.main(["--durations", str(table), "plan", str(ids), "2", str(plan)]) == 0
    assert read_plan(plan).shards == (("f::b",), ("f::a", "f::c"))
    assert f"plan {read_plan(plan).hash}: 3 tests in 2 shards" in capsys.readouterr().out


if __name__ == "__main__":
    run_this_file()
