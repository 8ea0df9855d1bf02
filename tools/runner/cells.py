"""The conformance matrix: one verdict for each op x check x dtype x device x implementation.

A judged cell is the entry ("cell", {...}) of a test's user_properties; a cell that needs no test is
a line of `static_cells/*.jsonl` in the run's folder. Both have the keys of CELL_KEYS, `verdict` and
`reason`, and may say the `level` of its check (LEVELS). A cell declared before its test runs may
leave the verdict out: the outcome decides.
"""

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.runner.events import GOOD, CellSummary, Outcome, TestFinished

CELL_KEYS = ("op", "check", "dtype", "device", "impl")
VERDICTS = ("n/a", "unsupported", "pass", "xfail", "fail")
"""In ascending order of weight: of several verdicts for one cell the last counts."""

LEVELS = ("must", "should", "may")
"""What a cell's requirement rests on, the strictest first; those of the judge."""

JUDGED = frozenset({"pass", "xfail", "fail"})
LOOSER = "looser tolerance"
"""How the reason of a pass begins that the usual tolerance would refuse, or might."""

STATIC_FOLDER = "static_cells"
_EXAMPLES = 20

Key = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class Cell:
    """A verdict, why, and the test that gave it (empty for a static cell)."""

    verdict: str
    reason: str = ""
    test: str = ""
    level: str = ""


class CellTable:
    """All cells of a run."""

    def __init__(self) -> None:
        self.cells: dict[Key, Cell] = {}

    def add_test(self, event: TestFinished) -> None:
        """Take the cells that a test judged."""
        given = [dict(value) for name, value in event.properties if name == "cell"]
        failed = event.outcome not in GOOD
        named = any(cell.get("verdict") == "fail" for cell in given)
        for cell in given:
            if failed and not named:
                detail = event.attempts[-1].detail.strip().splitlines()
                cell |= {"verdict": "fail", "reason": f"{event.outcome}: {(detail or [''])[-1]}"}
            elif "verdict" not in cell:
                cell |= _by_outcome(event.outcome)
            self._add(cell, event.id)

    def add_static(self, folder: Path) -> None:
        """Take the cells that need no test. Raises ValueError for a line that is no cell."""
        for path in sorted(folder.glob("*.jsonl")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                try:
                    self._add(json.loads(line), "")
                except (ValueError, KeyError) as error:
                    raise ValueError(f"{path}:{number}: expected a cell; {error!r}") from error

    def summary(self) -> CellSummary:
        """Counts for the report."""
        verdicts = Counter(cell.verdict for cell in self.cells.values())
        blank = list(self.blanks())
        return CellSummary(
            judged=sum(verdicts[name] for name in JUDGED),
            verdicts={name: verdicts[name] for name in VERDICTS},
            blank=len(blank),
            blank_examples=tuple("/".join(key) for key in blank[:_EXAMPLES]),
            looser=sum(
                cell.verdict == "pass" and cell.reason.startswith(LOOSER)
                for cell in self.cells.values()
            ),
            levels={level: counts for level in LEVELS if (counts := self._judged(level))},
        )

    def _judged(self, level: str) -> dict[str, int]:
        """Judged cells of a level by their verdict."""
        found = Counter(cell.verdict for cell in self.cells.values() if cell.level == level)
        return {name: found[name] for name in VERDICTS if name in JUDGED and found[name]}

    def blanks(self) -> Iterator[Key]:
        """Combinations of the values seen for an implementation that have no verdict."""
        for implementation in self.values("impl"):
            keys = [key for key in self.cells if key[4] == implementation]
            seen = [sorted({key[axis] for key in keys}) for axis in range(4)]
            for op, check, dtype, device in itertools.product(*seen):
                key = (op, check, dtype, device, implementation)
                if key not in self.cells:
                    yield key

    def values(self, name: str) -> list[str]:
        """Sorted values seen for one key."""
        return _values(self.cells, CELL_KEYS.index(name))

    def _add(self, cell: Mapping[str, Any], test: str) -> None:
        op, check, dtype, device, implementation = (str(cell[name]) for name in CELL_KEYS)
        key = (op, check, dtype, device, implementation)
        verdict, reason = str(cell["verdict"]), str(cell.get("reason") or "")
        if verdict not in VERDICTS:
            verdict, reason = "fail", f"expected a verdict of {VERDICTS}; got {verdict!r}"
        before = self.cells.get(key)
        if before is None or VERDICTS.index(verdict) > VERDICTS.index(before.verdict):
            self.cells[key] = Cell(verdict, reason, test, str(cell.get("level") or ""))


def _by_outcome(outcome: Outcome) -> dict[str, str]:
    match outcome:
        case Outcome.PASSED:
            return {"verdict": "pass"}
        case Outcome.XFAILED:
            return {"verdict": "xfail"}
    return {"verdict": "fail", "reason": "skipped without a verdict"}


def _values(keys: Iterable[Key], axis: int) -> list[str]:
    return sorted({key[axis] for key in keys})
