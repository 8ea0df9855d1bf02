"""Runs the drawn checks of one implementation over many seeds and prints what they found.

    python -m cepheid_conformance.seeds --impl torch --candidate-python PYTHON --seeds 20

A finding on an implementation that is right is a false alarm of the judge.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from . import capability, tolerances
from .candidate import Candidate
from .cells import FAIL, Bench, Cell, Drawing, StaticVerdict, enumerate_cells
from .checks import load
from .op_spec import load_specs
from .verdict import judge_cell


@dataclass(frozen=True)
class Task:
    """One process's part of one seed."""

    implementation: str
    python: str
    capabilities: str | None
    keyword: str
    drawing: Drawing
    part: int
    parts: int


@dataclass(frozen=True)
class Tally:
    """What one part gave."""

    cells: int
    calls: int
    seconds: float
    verdicts: dict[str, int]
    failures: tuple[str, ...]


def cells_of(claims: capability.Capability, keyword: str) -> Iterator[Cell]:
    """The drawn cells that a run is about."""
    for cell in enumerate_cells(load("drawn"), load_specs().values(), claims):
        if not isinstance(cell, StaticVerdict) and keyword in cell.test_id:
            yield cell


def run_part(task: Task) -> Tally:
    """Judge every n-th cell."""
    claims = capability.load(capability.find(task.implementation, task.capabilities))
    check = load("drawn")
    chosen = list(cells_of(claims, task.keyword))[task.part :: task.parts]
    verdicts: dict[str, int] = {}
    failures = []
    start = time.monotonic()
    with Candidate(task.implementation, task.python, built_on=claims.built_on) as candidate:
        table = tolerances.load().with_overrides(claims.tolerances)
        bench = Bench(candidate, claims, table, task.drawing)
        for cell in chosen:
            verdict = judge_cell(check, cell, bench)
            verdicts[verdict.verdict] = verdicts.get(verdict.verdict, 0) + 1
            if verdict.verdict == FAIL:
                failures.append(verdict.reason)
        served = candidate.served
    return Tally(len(chosen), served, time.monotonic() - start, verdicts, tuple(failures))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the seeds, print a line for each and then every failure; 1 if there is one."""
    options = _parse(arguments)
    claims = capability.load(capability.find(options.impl, options.capabilities))
    if options.seeds < 1 or not any(cells_of(claims, options.keyword)):
        print(f"{options.impl}: no seed, or no drawn cell whose name has {options.keyword!r}")
        return 1
    failures: list[str] = []
    print(f"{'seed':>6} {'cells':>6} {'calls':>7} {'pass':>6} {'xfail':>6} {'fail':>5} {'s':>7}")
    fresh = multiprocessing.get_context("spawn")
    # An executor, not a pool: it raises where a worker dies.
    with ProcessPoolExecutor(options.jobs, mp_context=fresh) as pool:
        for seed in range(options.first, options.first + options.seeds):
            tasks = [_task(options, seed, part) for part in range(options.jobs)]
            start = time.monotonic()
            tallies = list(pool.map(run_part, tasks))
            _line(seed, tallies, time.monotonic() - start)
            failures += [f"seed {seed}: {text}" for tally in tallies for text in tally.failures]
    for text in failures:
        print(f"\n{text}")
    print(f"\n{options.impl}: {options.seeds} seeds, {len(failures)} failures")
    return 1 if failures else 0


def _line(seed: int, tallies: list[Tally], seconds: float) -> None:
    counts = {
        name: sum(tally.verdicts.get(name, 0) for tally in tallies)
        for name in ("pass", "xfail", "fail")
    }
    cells, calls = sum(t.cells for t in tallies), sum(t.calls for t in tallies)
    columns = f"{counts['pass']:>6} {counts['xfail']:>6} {counts['fail']:>5} {seconds:>7.1f}"
    print(f"{seed:>6} {cells:>6} {calls:>7} {columns}", flush=True)


def _task(options: argparse.Namespace, seed: int, part: int) -> Task:
    return Task(
        options.impl,
        options.candidate_python,
        options.capabilities,
        options.keyword,
        Drawing(seed, options.draws),
        part,
        options.jobs,
    )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cepheid_conformance.seeds", description=__doc__)
    parser.add_argument("--impl", default="cepheid")
    parser.add_argument("--candidate-python", default=sys.executable)
    parser.add_argument("--capabilities")
    parser.add_argument("-k", dest="keyword", default="", help="part of the cells' names")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--draws", type=int, default=Drawing.count, help="calls per cell")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
