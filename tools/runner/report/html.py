"""One self-contained HTML page: verdict, failures, and the conformance matrix."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from tools.runner.cells import VERDICTS, CellTable, Key
from tools.runner.events import (
    GOOD,
    CellSummary,
    Event,
    PlanMade,
    RunFinished,
    RunStarted,
    Stage,
    TestFinished,
)
from tools.runner.report.rerun import rerun_command

TEMPLATE = Path(__file__).with_name("page.html.j2")


@dataclass(frozen=True)
class Box:
    """One op x check of an implementation: all its dtypes and devices in one coloured box."""

    verdict: str  # the heaviest; "blank" when a combination has none
    counts: str
    index: int  # of its rows in the page's data


@dataclass(frozen=True)
class Matrix:
    """One implementation: ops down, check kinds across."""

    implementation: str
    checks: list[str]
    rows: list[tuple[str, list[Box | None]]]


class Html:
    """Collects the events and writes `report.html` at the end."""

    def __init__(self, folder: Path, cells: CellTable) -> None:
        self.path = folder / "report.html"
        self._cells = cells
        self._failures: list[TestFinished] = []
        self._slow: list[TestFinished] = []
        self._stages: list[Stage] = []
        self._facts: dict[type[Event], Event] = {}

    def take(self, event: Event) -> None:
        """Note an event; write on RunFinished."""
        match event:
            case TestFinished():
                if event.outcome not in GOOD:
                    self._failures.append(event)
                if event.slow:
                    self._slow.append(event)
            case Stage():
                self._stages.append(event)
            case RunStarted() | PlanMade() | CellSummary():
                self._facts[type(event)] = event
            case RunFinished():
                self.path.write_text(self._page(event))

    def _page(self, finished: RunFinished) -> str:
        started = self._facts[RunStarted]
        assert isinstance(started, RunStarted)
        details: list[list[list[str]]] = []
        environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
        return environment.from_string(TEMPLATE.read_text()).render(
            started=started,
            plan=self._facts[PlanMade],
            finished=finished,
            summary=self._facts[CellSummary],
            failures=self._failures,
            slow=self._slow,
            stages=dict.fromkeys((stage.name, stage.absent) for stage in self._stages),
            rerun=lambda test: rerun_command(test, started.implementation),
            verdicts=VERDICTS,
            matrices=self._matrices(details),
            details=_script_json(details),
        )

    def _matrices(self, details: list[list[list[str]]]) -> list[Matrix]:
        """All matrices; the rows behind each box are added to `details`."""
        boxes: dict[tuple[str, str, str], list[list[str]]] = {}
        for key, cell in self._cells.cells.items():
            op, check, dtype, device, implementation = key
            rows = boxes.setdefault((implementation, op, check), [])
            rows.append([dtype, device, cell.verdict, cell.reason, cell.test])
        for op, check, dtype, device, implementation in self._cells.blanks():
            rows = boxes.setdefault((implementation, op, check), [])
            rows.append([dtype, device, "blank", "no verdict", ""])
        return [
            self._matrix(implementation, boxes, details)
            for implementation in self._cells.values("impl")
        ]

    def _matrix(
        self,
        implementation: str,
        boxes: dict[tuple[str, str, str], list[list[str]]],
        details: list[list[list[str]]],
    ) -> Matrix:
        keys = [key for key in self._cells.cells if key[4] == implementation]
        ops, checks = _axis(keys, 0), _axis(keys, 1)
        rows: list[tuple[str, list[Box | None]]] = []
        for op in ops:
            row = [_box(boxes.get((implementation, op, check)), details) for check in checks]
            rows.append((op, row))
        return Matrix(implementation, checks, rows)


def _axis(keys: Iterable[Key], axis: int) -> list[str]:
    return sorted({key[axis] for key in keys})


def _box(rows: list[list[str]] | None, details: list[list[list[str]]]) -> Box | None:
    if rows is None:
        return None
    order = [*VERDICTS, "blank"]
    counts = Counter(row[2] for row in rows)
    details.append(sorted(rows))
    text = ", ".join(f"{counts[name]} {name}" for name in order if counts[name])
    return Box(max(counts, key=order.index), text, len(details) - 1)


def _script_json(value: Any) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
