"""`run_test.py merge FOLDER...`: the reports of all shards become those of one run.

Nothing is merged unless each test of the plan has exactly one final outcome in them.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.runner import exit_codes
from tools.runner.cells import STATIC_FOLDER, CellTable
from tools.runner.events import Event, PlanMade, RunFinished, RunStarted, TestFinished, from_json
from tools.runner.ledger import Closing, Ledger
from tools.runner.report.html import Html
from tools.runner.report.json_lines import JsonLines
from tools.runner.report.junit import JUnit
from tools.sharding.check import ShardReport, problems

EVENTS_FILE = "events.jsonl"


class MergeError(Exception):
    """The reports are not one whole run; one line for each reason."""


@dataclass
class Shard:
    """The events of one report folder that count."""

    folder: Path
    started: list[RunStarted] = field(default_factory=list)
    plans: list[PlanMade] = field(default_factory=list)
    tests: list[TestFinished] = field(default_factory=list)
    ends: list[RunFinished] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Keep an event that counts."""
        match event:
            case RunStarted():
                self.started.append(event)
            case PlanMade():
                self.plans.append(event)
            case TestFinished():
                self.tests.append(event)
            case RunFinished():
                self.ends.append(event)

    def problems(self) -> list[str]:
        """Why this is not the report of one finished run."""
        counts = {
            "RunStarted": len(self.started),
            "PlanMade": len(self.plans),
            "RunFinished": len(self.ends),
        }
        return [
            f"{self.folder}: expected one {name} event; got {count}"
            for name, count in counts.items()
            if count != 1
        ]

    def report(self) -> ShardReport:
        """As tools.sharding checks it."""
        (plan,) = self.plans
        return ShardReport(
            name=str(self.folder),
            plan_hash=plan.plan_hash,
            shard=plan.shard,
            shards=plan.shards,
            planned=plan.ids,
            everything=plan.all_ids or plan.ids,
            finished=tuple(event.id for event in self.tests),
        )


def read_shard(folder: Path) -> Shard:
    """Read a report folder. Raises MergeError when it is none."""
    shard = Shard(folder)
    try:
        lines = (folder / EVENTS_FILE).read_text().splitlines()
        for line in lines:
            shard.take(from_json(json.loads(line)))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MergeError(f"{folder}: expected a report's {EVENTS_FILE}; {error!r}") from error
    return shard


def merge(shards: Sequence[Shard], out: Path) -> RunFinished:
    """Write the reports of the whole run into `out`. Raises MergeError."""
    check(shards)
    out.mkdir(parents=True, exist_ok=True)
    cells = CellTable()
    plan = _whole_plan(shards)
    books = Ledger(plan)
    events: list[Event] = [_start(shards, out), plan]
    for shard in shards:
        cells.add_static(shard.folder / STATIC_FOLDER)
        for event in shard.tests:
            books.enter(event)
            cells.add_test(event)
            events.append(event)
    summary = cells.summary()
    ends = [shard.ends[0] for shard in shards]
    closing = Closing(
        interrupted=any(end.exit_code == exit_codes.INTERRUPTED for end in ends),
        cells=summary,
        whole_conformance=plan.whole,
        quarantine=tuple(dict.fromkeys(line for end in ends for line in end.quarantine)),
    )
    finished = books.close(closing, max(end.seconds for end in ends))
    _write([*events, summary, finished], out, cells)
    return finished


def check(shards: Sequence[Shard]) -> None:
    """Raise MergeError unless each test of one plan has one outcome in one shard."""
    found = [line for shard in shards for line in shard.problems()]
    if not found:
        found = problems([shard.report() for shard in shards])
        judged = sorted({shard.started[0].implementation for shard in shards})
        found += [f"implementations differ: {', '.join(judged)}"] if len(judged) > 1 else []
    if found:
        raise MergeError("\n".join(found))


def _whole_plan(shards: Sequence[Shard]) -> PlanMade:
    first = shards[0].plans[0]
    ids = tuple(test for shard in shards for test in shard.plans[0].ids)
    return PlanMade(
        plan_hash=first.plan_hash,
        shard=1,
        shards=1,
        ids=ids,
        deselected=first.deselected,
        whole=first.whole,
    )


def _start(shards: Sequence[Shard], out: Path) -> RunStarted:
    first = shards[0].started[0]
    folders = " ".join(str(shard.folder) for shard in shards)
    command = f"python3 run_test.py merge {folders}"
    return RunStarted(out.name, first.implementation, command, first.root)


def _write(events: Sequence[Event], out: Path, cells: CellTable) -> None:
    for report in (JsonLines(out), JUnit(out), Html(out, cells)):
        for event in events:
            report.take(event)


def main(argv: Sequence[str]) -> int:
    """Merge; the exit status is that of the whole run, or exit_codes.MERGE."""
    parser = argparse.ArgumentParser(prog="run_test.py merge", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="report folder of each shard")
    parser.add_argument("--out", type=Path, default=Path("build/reports/merged"))
    parser.add_argument("--no-bootstrap", action="store_true", help="use this interpreter")
    arguments = parser.parse_args(argv)
    try:
        finished = merge([read_shard(folder) for folder in arguments.folders], arguments.out)
    except MergeError as error:
        sys.stderr.write(f"run_test.py merge: {error}\n")
        return exit_codes.MERGE
    sys.stdout.write(f"{finished.reason}\nreport: {arguments.out / 'report.html'}\n")
    sys.stdout.write(
        f"{finished.passed} passed, {finished.failed} failed, {finished.skipped} skipped\n"
    )
    return finished.exit_code
