"""The cells that can judge a mutant, in the order in which they are likely to notice it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from cepheid_conformance import capability, tolerances
from cepheid_conformance.candidate import Candidate
from cepheid_conformance.cells import (
    FAIL,
    Bench,
    Cell,
    Drawing,
    StaticVerdict,
    enumerate_cells,
)
from cepheid_conformance.checks import KINDS, load
from cepheid_conformance.op_spec import load_specs
from cepheid_conformance.verdict import judge_cell


@dataclass(frozen=True)
class Kill:
    """The cell that noticed a mutant, and what it said."""

    cell: Cell
    said: str


def bench_of(candidate: Candidate, claims_name: str) -> Bench:
    """What cells are judged with, by the claims of an implementation."""
    claims = capability.load(capability.find(claims_name))
    budgets = tolerances.load().with_overrides(claims.tolerances)
    return Bench(candidate, claims, budgets, Drawing(shrink=False))


@cache
def all_cells(claims_name: str) -> tuple[Cell, ...]:
    """Every cell of the suite that is judged by running it."""
    claims = capability.load(capability.find(claims_name))
    found: list[Cell] = []
    for kind in KINDS:
        cells = enumerate_cells(load(kind), load_specs().values(), claims)
        found += [cell for cell in cells if not isinstance(cell, StaticVerdict)]
    return tuple(found)


def one_of_each(cells: Sequence[Cell]) -> list[Cell]:
    """A cell of each op and kind, and of each op the values in every dtype."""
    first: dict[tuple[str, str, str], Cell] = {}
    for cell in sorted(cells, key=_dtype_rank):
        dtype = cell.dtype if cell.check == "values" else ""
        first.setdefault((cell.spec.key, cell.check, dtype), cell)
    return list(first.values())


def first_kill(bench: Bench, cells: Iterable[Cell]) -> tuple[Kill | None, int]:
    """Judge cells up to the first that fails; the kill, and how many were judged."""
    judged = 0
    for cell in cells:
        judged += 1
        verdict = judge_cell(load(cell.check), cell, bench)
        if verdict.verdict == FAIL:
            return Kill(cell, verdict.reason.partition("reproduce:")[0].strip()), judged
    return None, judged


class Order:
    """Sorts cells by what has noticed mutants so far, each op, dtype and kind early once."""

    def __init__(self) -> None:
        self._kills: Counter[str] = Counter()

    def note(self, kill: Kill) -> None:
        """Remember a kill."""
        self._kills[kill.cell.check] += 1

    def sorted(self, cells: Sequence[Cell]) -> list[Cell]:
        """Rounds over (kind, op): the first cell of each, then the second, ..."""
        groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
        for cell in sorted(cells, key=_dtype_rank):
            groups[cell.check, cell.spec.key].append(cell)
        ranked: list[tuple[Any, Cell]] = []
        seen: Counter[str] = Counter()
        for (kind, _), members in groups.items():
            seen[kind] += 1
            for turn, cell in enumerate(members):
                rank = (turn + seen[kind] // 4, -self._kills[kind], KINDS.index(kind), turn)
                ranked.append((rank, cell))
        ranked.sort(key=lambda pair: pair[0])
        return [cell for _, cell in ranked]


_FIRST = ("float32", "int64", "float64", "complex64", "bool", "float16", "uint8", "int8")


def _dtype_rank(cell: Cell) -> tuple[int, str]:
    rank = _FIRST.index(cell.dtype) if cell.dtype in _FIRST else len(_FIRST)
    return (rank, cell.dtype)
