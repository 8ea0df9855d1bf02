"""After the run: the shards are parts of one plan, disjoint, complete, each test decided once."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class ShardReport:
    """What one shard's JSON lines say about its plan and its outcomes."""

    name: str
    plan_hash: str
    shard: int
    shards: int
    planned: tuple[str, ...]
    everything: tuple[str, ...]
    finished: tuple[str, ...]


def read_report(path: Path) -> ShardReport:
    """Read `events.jsonl` of a run; raises ValueError when it holds no plan."""
    events = [json.loads(line) for line in path.read_text().splitlines()]
    plans = [event for event in events if event["type"] == "PlanMade"]
    if len(plans) != 1:
        raise ValueError(f"{path}: expected one PlanMade event; got {len(plans)}")
    return _report(str(path), plans[0], events)


def _report(name: str, plan: dict[str, Any], events: Sequence[dict[str, Any]]) -> ShardReport:
    return ShardReport(
        name=name,
        plan_hash=plan["plan_hash"],
        shard=plan["shard"],
        shards=plan["shards"],
        planned=tuple(plan["ids"]),
        everything=tuple(plan["all_ids"] or plan["ids"]),
        finished=tuple(event["id"] for event in events if event["type"] == "TestFinished"),
    )


def problems(reports: Sequence[ShardReport]) -> list[str]:
    """Everything that keeps these reports from being one whole run; empty when they are."""
    if not reports:
        return ["no report given"]
    hashes = sorted({report.plan_hash for report in reports})
    if len(hashes) > 1:
        return [f"plans differ: {', '.join(hashes)}"]
    return [*_shard_numbers(reports), *_partition(reports), *_outcomes(reports)]


def _shard_numbers(reports: Sequence[ShardReport]) -> Iterator[str]:
    expected = list(range(1, reports[0].shards + 1))
    got = sorted(report.shard for report in reports)
    if got != expected:
        yield f"shards: expected {expected}; got {got}"


def _partition(reports: Sequence[ShardReport]) -> Iterator[str]:
    counts = Counter(test for report in reports for test in report.planned)
    for test in sorted(test for test, count in counts.items() if count > 1):
        yield f"{test}: in more than one shard"
    for test in sorted(set(reports[0].everything) - set(counts)):
        yield f"{test}: in no shard"
    for test in sorted(set(counts) - set(reports[0].everything)):
        yield f"{test}: in a shard, but not in the plan"


def _outcomes(reports: Sequence[ShardReport]) -> Iterator[str]:
    for report in reports:
        finished = Counter(report.finished)
        for test in report.planned:
            if finished[test] != 1:
                yield f"{test}: expected one outcome in {report.name}; got {finished[test]}"
        for test in sorted(set(finished) - set(report.planned)):
            yield f"{test}: an outcome in {report.name} without being planned there"
