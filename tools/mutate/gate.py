"""The gate of CI: `python -m tools.mutate.gate`.

Mutants of files that changed since the score was recorded, mutants that the record does not know,
and a twentieth of the others, another one for each commit, are run. What was killed must be killed
again, by the cell that did it or by any other, and the score may not fall.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tools.mutate import build, cpp_tests, reach, run, score
from tools.mutate.cells import all_cells, bench_of, first_kill
from tools.mutate.paths import ROOT
from tools.mutate.rewrite import Site
from tools.mutate.score import Entry

_PART = 20
_CELLS = 1000


@dataclass(frozen=True)
class Chosen:
    """What this run judges: mutants with a record, and new ones."""

    known: tuple[Site, ...]
    new: tuple[Site, ...]


def choose(sites: Sequence[Site], record: score.Record, turn: str) -> Chosen:
    """Changed, unknown, and the part whose turn it is. `turn` names the commit."""
    changed = record.changed_files()
    known, new = [], []
    for site in sites:
        if site.key not in record.by_key:
            new.append(site)
        elif site.file in changed or _has_turn(site.key, turn):
            known.append(site)
    return Chosen(tuple(known), tuple(new))


def _has_turn(key: str, turn: str) -> bool:
    return int(hashlib.sha256(f"{turn}{key}".encode()).hexdigest(), 16) % _PART == 0


def still_killed(sites: Sequence[Site], record: score.Record) -> list[Site]:
    """Those whose record says killed and which the recorded judge does not kill any more."""
    cells = {cell.id: cell for cell in all_cells("cepheid")}
    lost = []
    with reach.candidate() as mutants:
        bench = bench_of(mutants, "cepheid")
        for site in sites:
            entry = record.by_key[site.key]
            if entry["verdict"] != run.KILLED:
                continue
            if entry["check"] == cpp_tests.CHECK:
                if not cpp_tests.first_failure(site.number):
                    lost.append(site)
                continue
            cell = cells.get(entry["killed_by"])
            mutants.become(str(site.number))
            if cell is None or first_kill(bench, [cell])[0] is None:
                lost.append(site)
            mutants.end()
    return lost


def main() -> int:
    """Judge the chosen mutants; 1 when one came back to life or the score fell."""
    build.build()
    record = score.read_record()
    chosen = choose(run.read_table(), record, _commit())
    again = still_killed(chosen.known, record)
    pending = [*again, *chosen.new]
    fresh: list[Entry] = []
    if pending:
        fresh = _judge(pending)
    judged = len(chosen.known) + len(chosen.new)
    print(f"mutate: {judged} mutants judged, {len(chosen.new)} of them new")
    by_key = {entry["id"]: entry for entry in fresh}
    return _verdict(record, by_key, {site.key for site in again}, judged)


def _judge(sites: Sequence[Site]) -> list[Entry]:
    """Run mutants against all that reaches them, the C++ tests last."""
    reach.measure().save()
    run.RESULTS.unlink(missing_ok=True)
    with run.RESULTS.open("a") as file:
        for result in run.run(sites, _CELLS, 2):
            file.write(json.dumps(asdict(result)) + "\n")
    cpp_tests.main()
    results = run.read_results()
    equivalents = score.read_equivalents()
    entries = [score.entry_of(site, results[site.key], equivalents) for site in sites]
    return [entry for entry in entries if entry is not None]


def _verdict(record: score.Record, fresh: dict[str, Entry], again: set[str], judged: int) -> int:
    lost = [fresh[key] for key in again if key in fresh and fresh[key]["verdict"] != run.KILLED]
    for entry in lost:
        place = f"{entry['file']}:{entry['line']}"
        print(f"mutate: no longer noticed: {entry['id']} {place} {entry['before']}")
    before = score.tally(record.source)
    merged = {**{entry["id"]: entry for entry in record.source}, **fresh}
    after = score.tally(merged.values())
    print(f"mutate: recorded {before}; with this run {after}")
    fell = after.score < before.score
    passed = judged - len(lost)
    print(f"{passed} passed, {len(lost) + fell} failed, 0 skipped")
    return 1 if lost or fell else 0


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
