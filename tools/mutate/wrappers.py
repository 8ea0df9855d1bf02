"""Judges wrapper mutants of an implementation: `python -m tools.mutate.wrappers --impl torch`.

Each mutant is a forked child of a warm driver; its op's cells are judged, the likeliest first,
up to the first that fails. A cell counts only if the implementation itself passes it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cepheid_mutants
from cepheid_conformance import capability, tolerances
from cepheid_conformance.cells import FAIL, Bench
from cepheid_conformance.op_spec import SCHEMAS_VARIABLE, find_schemas, load_specs
from cepheid_conformance.verdict import judge_cell
from cepheid_mutants import BrokenMutant, Mutant

from .candidate import MutantCandidate
from .wrapper_cells import CheckedCell, cells_of, in_order
from .wrapper_records import BROKEN, EQUIVALENT, KILLED, SURVIVED, Record, summary


@dataclass
class Judge:
    """Judges mutants one after another, and knows what the unmutated implementation does."""

    bench: Bench
    candidate: MutantCandidate
    limit: float
    sound: dict[str, bool] = field(default_factory=dict)
    cells: dict[str, list[CheckedCell]] = field(default_factory=dict)

    def judge(self, mutant: Mutant) -> Record:
        """Kill one mutant, or say that it survived."""
        started = time.monotonic()
        if mutant.equivalent:
            return _record(mutant, EQUIVALENT, None, started, mutant.equivalent, 0)
        judged = 0
        self.candidate.become(mutant.id)
        for checked in in_order(self._cells(mutant.op), mutant):
            judged += 1
            reason = self._kills(mutant, checked)
            if reason is not None:
                broken = BrokenMutant.__name__ in reason
                verdict = BROKEN if broken else KILLED
                return _record(mutant, verdict, checked, started, reason, judged)
            if time.monotonic() - started > self.limit:
                break
        return _record(mutant, SURVIVED, None, started, f"after {judged} cells", judged)

    def _cells(self, op: str) -> list[CheckedCell]:
        if op not in self.cells:
            self.cells = {op: cells_of(load_specs()[op], self.bench.capability)}
        return self.cells[op]

    def _kills(self, mutant: Mutant, checked: CheckedCell) -> str | None:
        """Why a cell fails under the mutant, if it does and passes without."""
        check, cell = checked
        verdict = judge_cell(check, cell, self.bench)
        if verdict.verdict != FAIL:
            return None
        if BrokenMutant.__name__ in verdict.reason:
            return verdict.reason
        if cell.id not in self.sound:
            self.candidate.become(cepheid_mutants.SOUND)
            self.sound[cell.id] = judge_cell(check, cell, self.bench).verdict != FAIL
            self.candidate.become(mutant.id)
        return verdict.reason if self.sound[cell.id] else None


def _record(
    mutant: Mutant,
    verdict: str,
    checked: CheckedCell | None,
    started: float,
    reason: str,
    cells: int,
) -> Record:
    lines = [line for line in reason.splitlines() if line.strip()]
    return Record(
        id=mutant.id,
        kind="real" if mutant.source else "wrapper",
        fault_class=mutant.fault_class,
        rule=mutant.rule,
        op=mutant.op,
        what=mutant.what,
        verdict=verdict,
        killed_by=checked[1].id if checked else None,
        check=checked[0].KIND if checked else None,
        seconds=round(time.monotonic() - started, 3),
        reason="; ".join(lines[:2] if verdict != BROKEN else lines)[-400:],
        cells=cells,
        source=mutant.source,
        held_out=mutant.held_out,
    )


def chosen_mutants(arguments: argparse.Namespace) -> list[Mutant]:
    """Those that the command line asks for: of all where it names some, else of the scored."""
    schemas = json.loads(find_schemas().read_text())
    named = arguments.k or arguments.op
    listed = cepheid_mutants.every_mutant if named else cepheid_mutants.list_mutants
    mutants = listed(schemas)
    if arguments.kind:
        real = arguments.kind == "real"
        mutants = [mutant for mutant in mutants if bool(mutant.source) == real]
    for part in arguments.k or []:
        mutants = [mutant for mutant in mutants if part in f"{mutant.id}/"]
    if arguments.op:
        mutants = [mutant for mutant in mutants if mutant.op in arguments.op]
    share = float(arguments.sample.removesuffix("%")) / 100
    return [mutant for mutant in mutants if _in_sample(mutant.id, share, arguments.seed)]


def _in_sample(mutant: str, share: float, seed: int) -> bool:
    """A share of the mutants, the same for the same seed."""
    return zlib.crc32(f"{seed}/{mutant}".encode()) < share * 2**32


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutate.wrappers", description=__doc__)
    parser.add_argument("--impl", default="cepheid")
    parser.add_argument("--candidate-python", default=sys.executable)
    parser.add_argument("-k", action="append", help="part of the mutant's id; all must be in it")
    parser.add_argument("--op", action="append", help="op key; may be given again")
    parser.add_argument("--kind", choices=("wrapper", "real"))
    parser.add_argument("--sample", default="100%", help="share of the mutants, such as 5%%")
    parser.add_argument("--seed", type=int, default=0, help="which share")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one mutant")
    parser.add_argument("--json", type=Path, help="where to write the records")
    parser.add_argument(
        "--missing", action="store_true", help="only what FILE of --json lacks, or says lives"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quiet", action="store_true", help="no line per mutant")
    return parser.parse_args(words)


def candidate_of(implementation: str, python: str, folder: Path) -> MutantCandidate:
    """A candidate whose process finds the mutants, and nothing else of this source tree."""
    package = Path(cepheid_mutants.__file__).parent
    (folder / package.name).symlink_to(package, target_is_directory=True)
    environment = {"PYTHONPATH": str(folder), SCHEMAS_VARIABLE: str(find_schemas())}
    environment |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    built_on = capability.load(capability.find(implementation)).built_on
    return MutantCandidate(implementation, python, environment=environment, built_on=built_on)


def judged(arguments: argparse.Namespace, mutants: list[Mutant]) -> Iterator[Record]:
    """One record per mutant."""
    claims = capability.load(capability.find(arguments.impl, None))
    budgets = tolerances.load().with_overrides(claims.tolerances)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        candidate = candidate_of(arguments.impl, arguments.candidate_python, Path(folder))
        stack.callback(candidate.close)
        judge = Judge(Bench(candidate, claims, budgets), candidate, arguments.limit)
        for mutant in mutants:
            yield judge.judge(mutant)


def judged_op(arguments: argparse.Namespace, op: str, left: frozenset[str]) -> list[Record]:
    """The records of one op's mutants, in a process of its own."""
    mutants = [each for each in chosen_mutants(arguments) if each.op == op and each.id in left]
    return list(judged(arguments, mutants))


def judged_by_several(arguments: argparse.Namespace, left: Sequence[Mutant]) -> Iterator[Record]:
    """Records in the order in which ops get done; those with the most mutants begin."""
    ids = frozenset(mutant.id for mutant in left)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        ops = [op for op, _ in Counter(mutant.op for mutant in left).most_common()]
        futures = [pool.submit(judged_op, arguments, op, ids) for op in ops]
        for future in as_completed(futures):
            yield from future.result()


def settled(path: Path | None) -> list[dict[str, Any]]:
    """What a file of records holds of mutants that were killed or are equivalent."""
    if path is None or not path.exists():
        return []
    found: list[dict[str, Any]] = json.loads(path.read_text())["mutants"]
    return [row for row in found if row["verdict"] in (KILLED, EQUIVALENT)]


def main(words: list[str] | None = None) -> int:
    """Judge, print and write. Exit status 1: a fault failed by an error of its own."""
    arguments = _arguments(words)
    mutants = chosen_mutants(arguments)
    kept = settled(arguments.json) if arguments.missing else []
    done = {row["id"] for row in kept}
    records = []
    for record in judged_by_several(arguments, [each for each in mutants if each.id not in done]):
        records.append(record)
        if not arguments.quiet:
            by = record.killed_by or record.reason
            print(f"{record.seconds:7.2f} {record.verdict:10s} {record.id}  {by}", flush=True)
    print(summary(records))
    if arguments.json:
        rows = [*kept, *(record.as_json() for record in records)]
        arguments.json.write_text(json.dumps({"format": 1, "mutants": rows}, indent=1) + "\n")
    return int(any(record.verdict == BROKEN for record in records))


if __name__ == "__main__":
    sys.exit(main())
