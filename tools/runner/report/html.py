"""One self-contained HTML page of a run: `report.html`, with its data inside."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from tools.runner.cells import CellTable
from tools.runner.events import (
    CellSummary,
    Event,
    PlanMade,
    RunFinished,
    RunStarted,
    Stage,
    TestFinished,
)
from tools.runner.report import mutation
from tools.runner.report.columns import columns, outcome_kinds
from tools.runner.report.grid import grids, verdict_kinds

ASSETS = Path(__file__).with_name("page")
SCRIPTS = (
    *("core.js", "views.js", "text.js", "overview.js", "failures.js", "matrix.js", "cell.js"),
    *("mutants.js", "coverage.js", "tests.js", "main.js"),
)
COVERAGE_FILE = "coverage.json"


class Html:
    """Collects the events and writes `report.html` at the end."""

    def __init__(self, folder: Path, cells: CellTable) -> None:
        self.path = folder / "report.html"
        self._cells = cells
        self._tests: list[TestFinished] = []
        self._stages: dict[str, str] = {}
        self._facts: dict[type[Event], Event] = {}

    def take(self, event: Event) -> None:
        """Note an event; write on RunFinished."""
        match event:
            case TestFinished():
                self._tests.append(event)
            case Stage():
                self._stages[event.name] = event.absent
            case RunStarted() | PlanMade() | CellSummary():
                self._facts[type(event)] = event
            case RunFinished():
                self._facts[RunFinished] = event
                self.path.write_text(run_page(self.data()))

    def data(self) -> dict[str, Any]:
        """Everything that the page shows."""
        started = self._facts[RunStarted]
        assert isinstance(started, RunStarted)
        tests = sorted(self._tests, key=lambda test: test.id)
        numbers = {test.id: number for number, test in enumerate(tests)}
        return {
            "run": {**started.to_json(), "stages": self._stages},
            "plan": self._plan(),
            "finished": self._facts[RunFinished].to_json(),
            "summary": self._facts[CellSummary].to_json(),
            "outcomes": outcome_kinds(),
            "verdicts": verdict_kinds(),
            "tests": columns(tests, started.implementation),
            "cells": grids(self._cells, numbers),
            "mutation": mutation.read_score(Path(started.root)),
            "coverage": read_coverage(self.path.parent),
        }

    def _plan(self) -> dict[str, Any]:
        """The plan without its ids, which the tests name already."""
        plan = self._facts[PlanMade]
        assert isinstance(plan, PlanMade)
        return {
            "hash": plan.plan_hash,
            "shard": plan.shard,
            "shards": plan.shards,
            "tests": len(plan.ids),
            "deselected": plan.deselected,
        }


def read_coverage(folder: Path) -> dict[str, Any] | None:
    """The coverage that the run left in its folder; None where it was not measured."""
    path = folder / COVERAGE_FILE
    if not path.is_file():
        return None
    data: dict[str, Any] = json.loads(path.read_text())
    return data


def run_page(data: dict[str, Any]) -> str:
    """The page of one run as text."""
    finished, run = data["finished"], data["run"]
    totals = "{passed} passed, {failed} failed, {skipped} skipped".format_map(finished)
    title = f"{totals}: {run['implementation']}"
    return page("run.html.j2", SCRIPTS, title=title, data=data)


def page(template: str, scripts: Sequence[str], title: str, data: dict[str, Any]) -> str:
    """A template with its style, scripts and data put in."""
    loader = jinja2.FileSystemLoader(ASSETS)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template(template).render(
        title=title,
        style=(ASSETS / "page.css").read_text(),
        script="\n".join((ASSETS / name).read_text() for name in scripts),
        json=script_json(data),
        data=data,
    )


def script_json(value: Any) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
