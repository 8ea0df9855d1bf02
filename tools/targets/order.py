"""Which tests to take when not all fit: diverse first, then by what has noticed mutants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from tools.targets.cells import CellName

_LITTLE, _ROUNDING = 0.005, 1e-9
T = TypeVar("T")
Kills = Mapping[str, Mapping[str, int]]
"""How many mutants were noticed first by cells of a kind, in each dtype."""


def ranked(
    cells: Iterable[CellName], seconds: Mapping[CellName, float], kills: Kills
) -> list[CellName]:
    """In turns over (op, kind): one cell of each, then a second of each, ... In a turn, kinds that
    noticed most mutants for their time come first. A pair begins with the dtype that noticed most
    in its kind; then each pair goes on with another one."""
    pairs: dict[tuple[str, str], list[CellName]] = defaultdict(list)
    cost: dict[str, list[float]] = defaultdict(list)
    for cell in sorted(cells, key=lambda cell: (cell.device, cell.dtype)):
        pairs[cell.op, cell.kind].append(cell)
        cost[cell.kind].append(seconds[cell])
    worth = {
        kind: (sum(kills.get(kind, {}).values()) + 1) * len(spent) / (sum(spent) + _LITTLE)
        for kind, spent in cost.items()
    }
    found: list[tuple[int, float, str, str, CellName]] = []
    for number, ((op, kind), members) in enumerate(sorted(pairs.items())):
        for turn, cell in enumerate(_in_turn(members, kills.get(kind, {}), number)):
            found.append((turn, -worth[kind], kind, op, cell))
    return [cell for *_, cell in sorted(found)]


def _in_turn(members: Sequence[CellName], kills: Mapping[str, int], number: int) -> list[CellName]:
    first = max(members, key=lambda cell: kills.get(cell.dtype, 0))
    rest = [cell for cell in members if cell != first]
    start = number % len(rest) if rest else 0
    return [first, *rest[start:], *rest[:start]]


def fitting(items: Iterable[T], seconds: Mapping[T, float], budget: float) -> list[T]:
    """The first ones, as many as the budget pays; what is too dear is passed over."""
    kept: list[T] = []
    for item in items:
        if seconds[item] <= budget + _ROUNDING:
            budget -= seconds[item]
            kept.append(item)
    return kept


def in_turns(tests: Sequence[str], distance: Mapping[str, int]) -> list[str]:
    """Tests of near files first; in each distance in turns over the files."""
    turns: dict[str, int] = defaultdict(int)
    found: list[tuple[int, int, str]] = []
    for test in tests:
        file = test.split("::")[0]
        found.append((distance.get(file, 0), turns[file], test))
        turns[file] += 1
    return [test for *_, test in sorted(found)]
