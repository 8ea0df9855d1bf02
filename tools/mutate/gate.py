"""The gate of CI: `python -m tools.mutate.gate [--parts N]`.

Mutants of files that changed since the score was recorded, mutants that the record does not know,
and a twentieth (one of `--parts`) of the others, another one for each commit, are run. What was
killed must be killed again, by the cell that did it or by any other, and the score may not fall.
New mutants are judged by the cells near them: what lives there is judged by all at night.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace

from cepheid_conformance.cells import Bench, Cell
from tools.mutate import build, cpp_tests, reach, run, score
from tools.mutate.candidate import MutantCandidate
from tools.mutate.cells import Order, all_cells, bench_of, first_kill, one_of_each
from tools.mutate.paths import ROOT
from tools.mutate.rewrite import Site
from tools.mutate.score import Entry

_PARTS = 20
_CELLS = 1000
# Cells of a mutant's own ops, where the recorded one does not notice it: what reads memory that
# nobody wrote may fall on another cell's input.
_NEIGHBOURS = 200


@dataclass(frozen=True)
class Chosen:
    """What this run judges: mutants with a record, and new ones."""

    known: tuple[Site, ...]
    new: tuple[Site, ...]


def choose(sites: Sequence[Site], record: score.Record, turn: str, parts: int) -> Chosen:
    """Changed, unknown, and the part whose turn it is. `turn` names the commit."""
    changed = record.changed_files()
    known, new = [], []
    for site in sites:
        if site.key not in record.by_key:
            if site.key not in record.absent or site.file in changed:
                new.append(site)
        elif site.file in changed or _has_turn(site.key, turn, parts):
            known.append(site)
    return Chosen(tuple(known), tuple(new))


def _has_turn(key: str, turn: str, parts: int) -> bool:
    return int(hashlib.sha256(f"{turn}{key}".encode()).hexdigest(), 16) % parts == 0


def come_back(sites: Sequence[Site], record: score.Record, jobs: int = 2) -> list[Site]:
    """Those whose record says killed and which no cell of their ops notices any more."""
    killed = [s for s in sites if record.by_key[s.key]["verdict"] == run.KILLED]
    tasks = [[(site, record.by_key[site.key]) for site in killed[at::16]] for at in range(16)]
    with ProcessPoolExecutor(jobs) as pool:
        return [site for part in pool.map(_come_back, tasks) for site in part]


def _come_back(tasks: Sequence[tuple[Site, Entry]]) -> list[Site]:
    with reach.candidate() as mutants:
        bench = bench_of(mutants, "cepheid")
        return [site for site, entry in tasks if not _noticed(mutants, bench, site, entry)]


def _noticed(mutants: MutantCandidate, bench: Bench, site: Site, entry: Entry) -> bool:
    if entry["check"] == cpp_tests.CHECK:
        return bool(cpp_tests.first_failure(site.number))
    recorded = [cell for cell in all_cells("cepheid") if cell.id == entry["killed_by"]]
    ops = {*entry["ops"], *(cell.spec.key for cell in recorded)}
    others = [cell for cell in all_cells("cepheid") if cell.spec.key in ops]
    mutants.become(str(site.number))
    kill, _ = first_kill(bench, [*recorded, *Order().sorted(others)[:_NEIGHBOURS]])
    mutants.end()
    return kill is not None


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the chosen mutants; 1 when one came back to life or the score fell."""
    parser = argparse.ArgumentParser(prog="tools.mutate.gate", description=__doc__)
    parser.add_argument("--parts", type=int, default=_PARTS, help="1: every mutant")
    parts = parser.parse_args(arguments).parts
    build.build()
    record = score.read_record()
    sites = run.read_table()
    chosen = choose(sites, record, _commit(), parts)
    again = come_back(chosen.known, record)
    judging = [*again, *chosen.new]
    fresh: dict[str, Entry] = {}
    if judging:
        fresh = _judge(judging, cells_near(judging, record))
    if lost := [s for s in again if s.key in fresh and fresh[s.key]["verdict"] != run.KILLED]:
        fresh |= _judge(lost, all_cells("cepheid"))
    judged = len(chosen.known) + len(chosen.new)
    print(f"mutate: {judged} mutants judged, {len(chosen.new)} of them new")
    kept = _of_build(record, sites)
    return _verdict(kept, fresh, again, judged)


def _of_build(record: score.Record, sites: Sequence[Site]) -> score.Record:
    """The record without mutants of code that has gone."""
    there = {site.key for site in sites}
    mutants = (e for e in record.mutants if e["kind"] != "source" or e["id"] in there)
    return replace(record, mutants=tuple(mutants))


def cells_near(sites: Iterable[Site], record: score.Record) -> list[Cell]:
    """Every cell of the ops that reached the code around these sites, and of ops that the record
    doesn't know; of the other ops, which code that is shared by many needs, one of each kind."""
    known = {op for entry in record.mutants for op in entry["ops"]}
    near: set[str] = set()
    for site in sites:
        own = [entry for entry in record.source if entry["file"] == site.file]
        around = [entry for entry in own if entry["function"] == site.function] or own
        near |= {op for entry in around for op in entry["ops"]}
    cells = all_cells("cepheid")
    whole = [cell for cell in cells if cell.spec.key in near or cell.spec.key not in known]
    chosen = {cell.id: cell for cell in [*whole, *one_of_each(cells)]}
    return list(chosen.values())


def _judge(sites: Sequence[Site], cells: Sequence[Cell]) -> dict[str, Entry]:
    """Run mutants against those of the cells that reach them, the C++ tests last."""
    reach.measure(cells=cells).save()
    run.RESULTS.unlink(missing_ok=True)
    with run.RESULTS.open("a") as file:
        for result in run.run(sites, _CELLS, 2):
            file.write(json.dumps(asdict(result)) + "\n")
    cpp_tests.main()
    results = run.read_results()
    equivalents = score.read_equivalents()
    entries = [score.entry_of(site, results[site.key], equivalents) for site in sites]
    return {entry["id"]: entry for entry in entries if entry is not None}


def _verdict(
    record: score.Record, fresh: dict[str, Entry], again: Sequence[Site], judged: int
) -> int:
    judged_again = [fresh[site.key] for site in again if site.key in fresh]
    lost = [entry for entry in judged_again if entry["verdict"] != run.KILLED]
    for entry in lost:
        place = f"{entry['file']}:{entry['line']}"
        print(f"mutate: no longer noticed: {entry['id']} {place} {entry['before']}")
    merged = {**{entry["id"]: entry for entry in record.mutants}, **fresh}.values()
    below = [*score.problems(list(merged)), *score.fallen(list(merged), record)]
    for text in below:
        print(f"mutate: {text}")
    passed, failed = judged - len(lost), len(lost) + len(below)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
