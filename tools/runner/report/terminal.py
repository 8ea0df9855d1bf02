"""Live progress, failures as they come, the verdict; the last line is for machines too."""

import time
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tools.runner.events import (
    GOOD,
    AttemptFinished,
    CellSummary,
    Event,
    FileStarted,
    Outcome,
    PlanMade,
    RunFinished,
    RunStarted,
    TestFinished,
    TestSlow,
)
from tools.runner.report.rerun import rerun_command

PLAIN_EVERY = 15.0
_DETAIL_LINES = 30
_NAME = 40


class Terminal:
    """A bar on a terminal, a line every few seconds elsewhere."""

    def __init__(self, stream: TextIO, report: Path) -> None:
        self._console = Console(file=stream, highlight=False, soft_wrap=True, markup=False)
        self._report = report
        self._implementation = ""
        self._total = 0
        self._seen: set[str] = set()
        self._failed: list[TestFinished] = []
        self._next_line = time.monotonic() + PLAIN_EVERY
        self._progress: Progress | None = None

    def take(self, event: Event) -> None:
        """Show an event."""
        match event:
            case RunStarted():
                self._implementation = event.implementation
                self._say(f"judging {event.implementation}")
            case PlanMade():
                self._plan(event)
            case AttemptFinished():
                self._advance(event.id)
            case FileStarted() if event.workers:
                self._say(f"{len(event.files)} files by {event.workers} pytest-xdist processes")
            case TestSlow():
                self._say(f"slow: {event.id} runs for {event.seconds:.0f} s")
            case TestFinished():
                self._test(event)
            case CellSummary():
                self._cells(event)
            case RunFinished():
                self._finish(event)

    def _plan(self, event: PlanMade) -> None:
        self._total = len(event.ids)
        shard = f", shard {event.shard}/{event.shards}" if event.shards > 1 else ""
        self._say(f"{self._total} tests planned{shard}, plan {event.plan_hash}")
        if self._console.is_terminal:
            self._progress = Progress(*_columns(), console=self._console)
            self._progress.start()
            self._progress.add_task("", total=self._total, rate="", failed="")

    def _test(self, event: TestFinished) -> None:
        self._advance(event.id)
        if event.outcome not in GOOD:
            self._failed.append(event)
            self._say(f"{event.outcome.upper()} {event.id}")

    def _advance(self, test: str) -> None:
        self._seen.add(test)
        if self._progress is not None:
            task = self._progress.tasks[0]
            rate = f"{task.speed:.1f} tests/s" if task.speed else ""
            done = len(self._seen)
            self._progress.update(task.id, completed=done, rate=rate, failed=self._bad())
        elif time.monotonic() > self._next_line:
            self._next_line = time.monotonic() + PLAIN_EVERY
            self._say(" ".join(filter(None, [f"[{len(self._seen)}/{self._total}]", self._bad()])))

    def _bad(self) -> str:
        """How many tests failed so far and the last of them, short enough for one line."""
        if not self._failed:
            return ""
        last = self._failed[-1].id.rpartition("::")[2]
        short = last if len(last) <= _NAME else f"{last[: _NAME - 3]}..."
        return f"{len(self._failed)} failed, last {short}"

    def _cells(self, event: CellSummary) -> None:
        self._stop_bar()
        if event.verdicts and sum(event.verdicts.values()):
            counts = _counted(event.verdicts)
            looser = f"; {event.looser} by a looser tolerance" if event.looser else ""
            self._say(f"cells: {event.judged} judged ({counts}); {event.blank} blank{looser}")
        if event.levels:
            levels = (f"{name} {_counted(found)}" for name, found in event.levels.items())
            self._say(f"levels: {'; '.join(levels)}")

    def _finish(self, event: RunFinished) -> None:
        self._stop_bar()
        for failure in self._failed:
            self._failure(failure)
        counts = ", ".join(f"{count} {name}" for name, count in event.counts.items())
        self._say(f"{event.reason} ({counts}; {event.seconds:.1f} s)")
        self._say(f"report: {self._report}")
        self._say(f"{event.passed} passed, {event.failed} failed, {event.skipped} skipped")

    def _failure(self, event: TestFinished) -> None:
        shown = event.attempts[0 if event.outcome is Outcome.FLAKY else -1]
        lines = shown.detail.strip().splitlines()
        self._say(f"\n{event.outcome.upper()} {event.id}")
        if len(lines) > _DETAIL_LINES:
            lines = ["...", *lines[-_DETAIL_LINES:]]
        self._say("\n".join(f"    {line}" for line in lines))
        self._say(f"  again: {rerun_command(event.id, self._implementation)}\n")

    def _stop_bar(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _say(self, text: str) -> None:
        self._console.print(text)


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in numbers.items() if count)


def _columns() -> tuple[ProgressColumn, ...]:
    """Bar, tests done, rate, time gone and left, and what failed; names are no markup."""
    texts = [TextColumn(f"{{task.fields[{name}]}}", markup=False) for name in ("rate", "failed")]
    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    return (BarColumn(bar_width=24), MofNCompleteColumn(), texts[0], *times, texts[1])
