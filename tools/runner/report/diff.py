"""`python run_test.py diff BEFORE AFTER`: what changed between two runs, as text and as a page.

Each argument is a report folder. The page is written into the second one as `diff.html`.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tools.runner import exit_codes
from tools.runner.cells import STATIC_FOLDER, CellTable, Key
from tools.runner.events import GOOD, RunFinished, RunStarted, TestFinished, from_json
from tools.runner.report import html
from tools.runner.report.columns import describe, outcome_kinds
from tools.runner.report.grid import BLANK, verdict_kinds

EVENTS_FILE = "events.jsonl"
PAGE_FILE = "diff.html"
SCRIPTS = ("core.js", "views.js", "text.js", "diff.js")
SLOWER = 2.0
"""A test is slower when its time grew by this factor and by LEAST_S."""

LEAST_S = 0.2
_LINES = 40


@dataclass
class Run:
    """What counts of one report folder."""

    folder: Path
    name: str = ""
    implementation: str = ""
    finished: RunFinished | None = None
    tests: dict[str, TestFinished] = field(default_factory=dict)
    cells: CellTable = field(default_factory=CellTable)


@dataclass(frozen=True)
class Change:
    """One test or cell that differs: its name, then and now, and numbers where they say more."""

    name: str
    before: str
    after: str
    detail: str = ""


@dataclass(frozen=True)
class Diff:
    """All changes by kind, in the order in which they matter."""

    failures: list[Change]  # good before, or new, and bad now
    fixed: list[Change]
    otherwise: list[Change]  # bad before and now, in another way, or good in another way
    new: list[Change]
    removed: list[Change]
    verdicts: list[Change]  # cells
    slower: list[Change]
    faster: list[Change]


TITLES = {
    "failures": "New failures",
    "fixed": "Fixed",
    "otherwise": "Another outcome",
    "verdicts": "Cells with another verdict",
    "slower": "Slower",
    "faster": "Faster",
    "new": "New tests",
    "removed": "Tests that are gone",
}


def read_run(folder: Path) -> Run:
    """Read a report folder. Raises ValueError when it holds no finished run."""
    run = Run(folder)
    try:
        with (folder / EVENTS_FILE).open() as lines:
            for line in lines:
                _take(run, json.loads(line))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{folder}: expected a report's {EVENTS_FILE}; {error!r}") from error
    if run.finished is None:
        raise ValueError(f"{folder}: expected a finished run; its {EVENTS_FILE} has no end")
    run.cells.add_static(folder / STATIC_FOLDER)
    return run


def _take(run: Run, data: Mapping[str, Any]) -> None:
    if data["type"] not in (RunStarted.__name__, TestFinished.__name__, RunFinished.__name__):
        return
    match from_json(data):
        case RunStarted() as event:
            run.name, run.implementation = event.run, event.implementation
        case TestFinished() as event:
            run.tests[event.id] = event
            run.cells.add_test(event)
        case RunFinished() as event:
            run.finished = event


def compare(before: Run, after: Run) -> Diff:
    """Everything that differs."""
    both = sorted(before.tests.keys() & after.tests.keys())
    pairs = [(before.tests[name], after.tests[name]) for name in both]
    differing = [pair for pair in pairs if pair[0].outcome is not pair[1].outcome]
    new = [after.tests[name] for name in sorted(after.tests.keys() - before.tests.keys())]
    gone = [before.tests[name] for name in sorted(before.tests.keys() - after.tests.keys())]
    failed = [_changed(old, now) for old, now in differing if _good(old) and not _good(now)]
    failed += [Change(test.id, "", test.outcome, _said(test)) for test in new if not _good(test)]
    return Diff(
        failures=failed,
        fixed=[_changed(old, now) for old, now in differing if not _good(old) and _good(now)],
        otherwise=[_changed(old, now) for old, now in differing if _good(old) is _good(now)],
        new=[Change(test.id, "", test.outcome) for test in new],
        removed=[Change(test.id, test.outcome, "") for test in gone],
        verdicts=_verdicts(before.cells, after.cells),
        slower=_slower(pairs),
        faster=_slower((now, old) for old, now in pairs),
    )


def _good(test: TestFinished) -> bool:
    return test.outcome in GOOD


def _changed(old: TestFinished, now: TestFinished) -> Change:
    return Change(now.id, old.outcome, now.outcome, "" if _good(now) else _said(now))


def _said(test: TestFinished) -> str:
    return test.note or test.attempts[0].detail


def _slower(pairs: Iterable[tuple[TestFinished, TestFinished]]) -> list[Change]:
    """The second of each pair took longer; the greatest difference is first."""
    found = [
        (then, now)
        for then, now in pairs
        if _good(then)
        and _good(now)
        and now.seconds > SLOWER * then.seconds
        and now.seconds - then.seconds > LEAST_S
    ]
    found.sort(key=lambda pair: pair[0].seconds - pair[1].seconds)
    return [Change(now.id, f"{then.seconds:.2f} s", f"{now.seconds:.2f} s") for then, now in found]


def _verdicts(before: CellTable, after: CellTable) -> list[Change]:
    """Cells of both runs' implementations; those of another implementation go by their place."""
    old, new = _by_place(before), _by_place(after)
    changes = []
    for key in sorted(old.keys() | new.keys()):
        (then, _), (now, why) = old.get(key, (BLANK, "")), new.get(key, (BLANK, ""))
        if then != now:
            changes.append(Change(" / ".join(key), then, now, why))
    return changes


def _by_place(table: CellTable) -> dict[tuple[str, ...], tuple[str, str]]:
    several = len(table.values("impl")) > 1
    place = (lambda key: key) if several else _without_implementation
    return {place(key): (cell.verdict, cell.reason) for key, cell in table.cells.items()}


def _without_implementation(key: Key) -> tuple[str, ...]:
    return key[:4]


def as_text(before: Run, after: Run, diff: Diff) -> str:
    """The changes as lines for a terminal."""
    lines = [f"before: {_name(before)}", f"after:  {_name(after)}"]
    for kind, title in TITLES.items():
        changes: list[Change] = getattr(diff, kind)
        if not changes:
            continue
        lines.append(f"\n{title}: {len(changes)}")
        lines += [f"  {_line(change)}" for change in changes[:_LINES]]
        if len(changes) > _LINES:
            lines.append(f"  and {len(changes) - _LINES} more, in the page")
    sums = "; ".join(f"{TITLES[kind].lower()}: {len(getattr(diff, kind))}" for kind in TITLES)
    return "\n".join([*lines, f"\n{sums}"])


def _name(run: Run) -> str:
    assert run.finished is not None
    end = run.finished
    totals = f"{end.passed} passed, {end.failed} failed, {end.skipped} skipped"
    return f"{run.implementation}, {totals}, {end.seconds:.1f} s ({run.folder})"


def _line(change: Change) -> str:
    arrow = " -> ".join(filter(None, [change.before, change.after]))
    return f"{change.name}: {arrow}"


def diff_page(before: Run, after: Run, diff: Diff) -> str:
    """The changes as a self-contained page."""
    data = {
        "runs": [_name(before), _name(after)],
        "titles": TITLES,
        "changes": {kind: [_row(change) for change in getattr(diff, kind)] for kind in TITLES},
        "outcomes": outcome_kinds(),
        "verdicts": verdict_kinds(),
    }
    title = f"{len(diff.failures)} new failures, {len(diff.fixed)} fixed"
    return html.page("diff.html.j2", SCRIPTS, title=title, data=data)


def _row(change: Change) -> dict[str, str]:
    return {**asdict(change), **describe(change.detail)}


def main(argv: Sequence[str]) -> int:
    """Compare two runs; exit_codes.FAILED when something that was good is bad now."""
    parser = argparse.ArgumentParser(prog="run_test.py diff", description=__doc__)
    parser.add_argument("before", type=Path, help="report folder of the earlier run")
    parser.add_argument("after", type=Path, help="report folder of the later run")
    parser.add_argument("--out", type=Path, help="the page (diff.html in the second folder)")
    parser.add_argument("--no-bootstrap", action="store_true", help="use this interpreter")
    arguments = parser.parse_args(argv)
    try:
        before, after = read_run(arguments.before), read_run(arguments.after)
    except ValueError as error:
        sys.stderr.write(f"run_test.py diff: {error}\n")
        return exit_codes.USAGE
    diff = compare(before, after)
    out = arguments.out or arguments.after / PAGE_FILE
    out.write_text(diff_page(before, after, diff))
    sys.stdout.write(f"{as_text(before, after, diff)}\nreport: {out}\n")
    worse = diff.failures or any(change.after == "fail" for change in diff.verdicts)
    return exit_codes.FAILED if worse else exit_codes.PASSED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
