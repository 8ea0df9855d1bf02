"""Runs source mutants: each until the first cell that notices it.

`python -m tools.mutate.run [--cells N] [--only KEY ...] [--again VERDICT]` appends to
build/mutants/results.jsonl; mutants that stand there already are not run again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tools.mutate import reach
from tools.mutate.cells import Order, all_cells, bench_of, first_kill
from tools.mutate.paths import BUILD, TABLE
from tools.mutate.rewrite import Site

RESULTS = BUILD / "results.jsonl"
KILLED, SURVIVED, UNREACHED = "killed", "survived", "unreached"
# More ops than this share code that no op can call its own.
MOST_OPS = 12


@dataclass(frozen=True)
class Result:
    """What became of one mutant. `judged` of `reaching` cells were run."""

    key: str
    verdict: str
    killed_by: str
    check: str
    said: str
    seconds: float
    judged: int
    reaching: int
    ops: tuple[str, ...]


def read_table(path: Path = TABLE) -> list[Site]:
    """The sites of the build."""
    return [Site(**entry) for entry in json.loads(path.read_text())]


def read_results(path: Path = RESULTS) -> dict[str, Result]:
    """What is known of each mutant: that it was killed, or else the last result."""
    results: dict[str, Result] = {}
    lines = path.read_text().splitlines() if path.exists() else []
    for row in map(json.loads, lines):
        result = Result(**{**row, "ops": tuple(row["ops"])})
        known = results.get(result.key)
        if known is None or known.verdict != KILLED:
            results[result.key] = result
    return results


@cache
def _reach() -> reach.Reach:
    return reach.read()


@cache
def _order() -> Order:
    return Order()


def run_part(sites: Sequence[Site], most_cells: int) -> list[Result]:
    """Run mutants one after the other, in this process."""
    with reach.candidate() as mutants:
        return [_run_one(mutants, site, most_cells) for site in sites]


def _run_one(mutants: Any, site: Site, most_cells: int) -> Result:
    measured, order = _reach(), _order()
    by_id = {cell.id: cell for cell in all_cells("cepheid")}
    reaching = [by_id[measured.ids[place]] for place in measured.cells_of(site.number)]
    ops = sorted({cell.spec.key for cell in reaching})
    own = tuple(ops) if len(ops) <= MOST_OPS else ()
    if not reaching:
        return Result(site.key, UNREACHED, "", "", "", 0.0, 0, 0, own)
    begun = time.monotonic()
    mutants.become(str(site.number))
    kill, judged = first_kill(bench_of(mutants, "cepheid"), order.sorted(reaching)[:most_cells])
    mutants.end()
    seconds = round(time.monotonic() - begun, 3)
    if kill is None:
        return Result(site.key, SURVIVED, "", "", "", seconds, judged, len(reaching), own)
    order.note(kill)
    name, said = kill.cell.id, " ".join(kill.said.split())[:200]
    kind = kill.cell.check
    return Result(site.key, KILLED, name, kind, said, seconds, judged, len(reaching), own)


def run(sites: Sequence[Site], most_cells: int, jobs: int) -> Iterator[Result]:
    """Run mutants over several processes."""
    parts = [sites[at::64] for at in range(min(64, len(sites)))]
    with ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(run_part, part, most_cells) for part in parts]
        for future in as_completed(futures):
            yield from future.result()


def _chosen(only: set[str], again: set[str], deeper: bool) -> list[Site]:
    known = read_results()
    if only:
        return [site for site in read_table() if site.key in only]
    if deeper:
        lived = {r.key for r in known.values() if r.verdict == SURVIVED and r.judged < r.reaching}
        return [site for site in read_table() if site.key in lived]
    return [s for s in read_table() if s.key not in known or known[s.key].verdict in again]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for and not yet known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=300, help="at most, for one mutant")
    parser.add_argument("--only", nargs="*", metavar="KEY", help="these mutants")
    parser.add_argument("--again", nargs="*", default=(), help="also those with this verdict")
    parser.add_argument("--deeper", action="store_true", help="those that had more cells to judge")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args(arguments)
    sites = _chosen(set(given.only or ()), set(given.again), given.deeper)
    count = 0
    with RESULTS.open("a") as file:
        for result in run(sites, given.cells, given.jobs):
            file.write(json.dumps(asdict(result)) + "\n")
            file.flush()
            count += 1
    print(f"{count} mutants run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
