"""The conformance matrix as the page holds it: one character a cell, runs of equal references.

A matrix of 70,000 cells takes about 300 kB so, and the page reads any cell by its index.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tools.runner.cells import VERDICTS, Cell, CellTable

BLANK = "blank"
TONES = {"pass": "good", "fail": "bad", "xfail": "known", "unsupported": "quiet", "n/a": "none"}
ORDER = (*VERDICTS, BLANK)
"""In ascending order of weight: a box shows the heaviest verdict below it."""

_FIRST = ord("a")


def verdict_kinds() -> list[dict[str, str]]:
    """Name and tone of each verdict; one that is new here looks bad."""
    return [{"name": name, "tone": TONES.get(name, "bad")} for name in ORDER]


def grids(table: CellTable, tests: Mapping[str, int]) -> dict[str, Any]:
    """One grid for each implementation. `tests` gives the number of a test by its id."""
    reasons: dict[str, int] = {"": 0}
    made = [_grid(table, name, tests, reasons) for name in table.values("impl")]
    return {"reasons": list(reasons), "grids": made}


def _grid(
    table: CellTable, implementation: str, tests: Mapping[str, int], reasons: dict[str, int]
) -> dict[str, Any]:
    keys = [key for key in table.cells if key[4] == implementation]
    axes = [sorted({key[axis] for key in keys}) for axis in range(4)]
    places = itertools.product(*axes)
    cells = [
        table.cells.get((op, check, dtype, device, implementation))
        for op, check, dtype, device in places
    ]
    texts = [cell.reason if cell is not None else "" for cell in cells]
    return {
        "impl": implementation,
        "ops": axes[0],
        "checks": axes[1],
        "levels": _levels(table, implementation, axes[1]),
        "dtypes": axes[2],
        "devices": axes[3],
        "verdicts": "".join(map(_letter, cells)),
        "reasons": runs(reasons.setdefault(text, len(reasons)) for text in texts),
        "tests": runs(tests.get(cell.test, -1) + 1 if cell is not None else 0 for cell in cells),
    }


def _levels(table: CellTable, implementation: str, checks: Sequence[str]) -> list[str]:
    """The level of each check kind; empty where its cells don't say it."""
    own = ((key[1], cell.level) for key, cell in table.cells.items() if key[4] == implementation)
    found = {check: level for check, level in own if level}
    return [found.get(check, "") for check in checks]


def _letter(cell: Cell | None) -> str:
    return chr(_FIRST + ORDER.index(BLANK if cell is None else cell.verdict))


def runs(values: Iterable[int]) -> list[int]:
    """Value and count of each run of equal values, one after the other."""
    return [
        number
        for value, same in itertools.groupby(values)
        for number in (value, sum(1 for _ in same))
    ]


def shared_prefixes(names: Sequence[str]) -> list[int | str]:
    """Each name as the number of characters shared with the name before, and the rest."""
    return list(_shared(names))


def _shared(names: Sequence[str]) -> Iterator[int | str]:
    before = ""
    for name in names:
        pairs = zip(before, name, strict=False)
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        yield from (same, name[same:])
        before = name
