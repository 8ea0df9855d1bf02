"""The tests that changes may break, cut to a share of the suite's time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.sharding.durations import read as read_durations
from tools.targets.cells import CellName, Pattern
from tools.targets.changes import Change
from tools.targets.order import Kills, fitting, in_turns, ranked
from tools.targets.reach import ReachMap, read
from tools.targets.scope import Scope, Scopes

# What a cut leaves free, because a cell's seconds are those of its op and kind on average.
RESERVE = 0.25


@dataclass(frozen=True)
class Targets:
    """Chosen ids, sorted, and what to tell people about the choice."""

    ids: tuple[str, ...]
    notes: tuple[str, ...]


class Suite:
    """Cells with their seconds: as measured with the map, or else as recorded by runs."""

    OVERHEAD = 0.004  # of pytest and the runner, for each cell

    def __init__(
        self, cells: Iterable[CellName], reach: ReachMap, recorded: Callable[[str], float]
    ) -> None:
        self.seconds: dict[CellName, float] = {}
        self._pairs: dict[tuple[str, str], list[CellName]] = defaultdict(list)
        for cell in cells:
            known = reach.seconds.get(cell.op, {}).get(cell.kind)
            self.seconds[cell] = recorded(cell.test) if known is None else known + self.OVERHEAD
            self._pairs[cell.op, cell.kind].append(cell)
        self.total = sum(self.seconds.values())

    def choose(self, patterns: Iterable[Pattern], kills: Kills, share: float) -> list[CellName]:
        """Cells that one of the patterns has, in the order in which they are worth their time, cut
        at a share of the time of all."""
        order = ranked(self._having(patterns), self.seconds, kills)
        if share == 1:
            return order
        return fitting(order, self.seconds, (1 - RESERVE) * share * self.total)

    def _having(self, patterns: Iterable[Pattern]) -> set[CellName]:
        found: set[CellName] = set()
        for pattern in set(patterns):
            pairs = self._pairs if pattern.pairs is None else pattern.pairs & self._pairs.keys()
            for pair in pairs:
                found.update(filter(pattern.has, self._pairs[pair]))
        return found


def determine(root: Path, changes: Sequence[Change], ids: Sequence[str], share: float) -> Targets:
    """Choose from `ids` what must run. Cells of the suite and other tests each keep within `share`
    of their own time; tests whose own file changed run in any case.

    Raises ValueError for a share that is none.
    """
    if not 0 < share <= 1:
        raise ValueError(f"--share: expected more than 0 and at most 1; got {share}")
    reach = read()
    recorded = read_durations(root / "ci" / "durations.json").seconds
    scopes = Scopes(root, reach)
    found = [(change, scopes.of(change)) for change in changes]
    cells = {test: cell for test in ids if (cell := CellName.of_test(test))}
    others = [test for test in ids if test not in cells]
    patterns = [pattern for _, scope in found for pattern in scope.cells]
    suite = Suite(cells.values(), reach, recorded)
    kept = set(suite.choose(patterns, reach.kills, share))
    chosen = [test for test, cell in cells.items() if cell in kept]
    chosen += _choose_others(found, others, recorded, share)
    notes = [f"{change.path}: {scope.why}" for change, scope in found]
    spent = sum(suite.seconds[cell] for cell in kept)
    notes.append(f"{len(kept)} of {len(cells)} cells, {spent:.0f} of {suite.total:.0f} s")
    notes.append(f"{len(chosen) - len(kept)} of {len(others)} other tests")
    return Targets(tuple(sorted(chosen)), tuple(notes))


def _choose_others(
    found: Sequence[tuple[Change, Scope]],
    others: Sequence[str],
    recorded: Callable[[str], float],
    share: float,
) -> list[str]:
    own = {change.path for change, _ in found}
    distance: dict[str, int] = {}
    for _, scope in found:
        for file, far in scope.files.items():
            distance[file] = min(far, distance.get(file, far))
    everything = any(scope.everything for _, scope in found)
    edited = [test for test in others if test.split("::")[0] in own]
    wanted = [
        test
        for test in others
        if (everything or test.split("::")[0] in distance) and test.split("::")[0] not in own
    ]
    seconds = {test: recorded(test) for test in others}
    budget = share * sum(seconds.values()) - sum(seconds[test] for test in edited)
    return edited + fitting(in_turns(wanted, distance), seconds, budget)
