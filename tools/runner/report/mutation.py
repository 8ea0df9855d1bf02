"""The committed mutation score (`test/mutation/score.json`) as the page shows it."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FILE = Path("test") / "mutation" / "score.json"
FORMAT = 1
KILLED, SURVIVED, EQUIVALENT = "killed", "survived", "equivalent"
_SHOWN = ("id", "kind", "class", "rule", "file", "line", "before", "after", "verdict", "reason")

Mutant = Mapping[str, Any]


def read_score(root: Path) -> dict[str, Any] | None:
    """The score of the tree at `root`; None where it has not been measured.

    Raises ValueError when the file is of another format.
    """
    path = root / FILE
    if not path.is_file():
        return None
    data = json.loads(path.read_text())
    if data.get("format") != FORMAT:
        raise ValueError(f"{path}: expected format {FORMAT}; got {data.get('format')}")
    return summarise(data)


def summarise(data: Mapping[str, Any]) -> dict[str, Any]:
    """Tallies by kind, class and op; kills by check kind; every mutant that was not killed."""
    mutants: Sequence[Mutant] = data["mutants"]
    alive = [mutant for mutant in mutants if mutant["verdict"] != KILLED]
    return {
        "date": data.get("date", ""),
        "source_hash": data.get("source_hash", ""),
        "total": _tally(mutants),
        "by": {
            "kind": _tallies(mutants, lambda mutant: [mutant["kind"]]),
            "class": _tallies(mutants, lambda mutant: [mutant["class"]]),
            "op": _tallies(mutants, _ops),
        },
        "kills": Counter(_killer(mutant) for mutant in mutants if mutant["verdict"] == KILLED),
        "alive": [_row(mutant) for mutant in alive],
    }


def _ops(mutant: Mutant) -> Iterable[str]:
    """The ops of a mutant, which its record gives as one name or as a list."""
    ops = mutant.get("ops") or mutant.get("op") or "(none)"
    return [ops] if isinstance(ops, str) else ops


def _killer(mutant: Mutant) -> str:
    return mutant.get("check") or "(not a cell)"


def _row(mutant: Mutant) -> dict[str, Any]:
    shown = {name: mutant[name] for name in _SHOWN if mutant.get(name) not in (None, "")}
    return {**shown, "ops": list(_ops(mutant))}


def _tallies(mutants: Iterable[Mutant], names: Callable[[Mutant], Iterable[str]]) -> dict[str, Any]:
    groups: dict[str, list[Mutant]] = {}
    for name, mutant in _pairs(mutants, names):
        groups.setdefault(name, []).append(mutant)
    return {name: _tally(group) for name, group in sorted(groups.items())}


def _pairs(
    mutants: Iterable[Mutant], names: Callable[[Mutant], Iterable[str]]
) -> Iterator[tuple[str, Mutant]]:
    for mutant in mutants:
        for name in names(mutant):
            yield name, mutant


def _tally(mutants: Iterable[Mutant]) -> dict[str, int]:
    """Number by verdict, most frequent first."""
    return dict(Counter(mutant["verdict"] for mutant in mutants).most_common())
