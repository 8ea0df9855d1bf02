"""Which committed measurements are of other sources than those of this tree: a report, no check.

A record is made anew by a long run, so that every change of the sources makes some of them stale;
how old the figures are that a page quotes should be seen all the same.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

# By the program whose source_hash they have.
_RECORDS = {
    "tools.drill.__main__": ("ci/fault_drill.json", "ci/verdicts.json"),
    "tools.mutate.score": (
        "test/mutation/score.json",
        "tools/targets/recall.json",
        "tools/targets/reach.json",
    ),
}


def lines(root: Path) -> list[str]:
    """A line for the stale records of each kind, or that they could not be compared."""
    try:
        # Here, since an environment of lint alone has not what the measuring programs import.
        measuring = [importlib.import_module(name) for name in _RECORDS]
    except ImportError as error:
        return [f"not compared with the tree: {error}"]
    return [
        line
        for program, files in zip(measuring, _RECORDS.values(), strict=True)
        for line in stale(root, files, program.source_hash)
    ]


def stale(root: Path, files: tuple[str, ...], source_hash: Callable[[], str]) -> Iterator[str]:
    """Files whose hash is not that of the tree, with their dates, in one line; none if all are."""
    records = {name: json.loads((root / name).read_text()) for name in files}
    now = source_hash()
    old = [f"{name} of {r['date']}" for name, r in records.items() if r["source_hash"] != now]
    if old:
        yield f"measured on other sources: {', '.join(old)}"
