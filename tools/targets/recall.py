"""How much of what fails the selection keeps: `python -m tools.targets.recall`.

Each killed mutant of the build is a change of its line. It is detected when the cell that killed it
is in the selection, or else when the selection, judged on the mutant, has another that fails. What
the order knows of kills comes from the mutants of the other half. Then, for some mutants drawn at
random, every cell that reaches the mutant is judged: how many of those that fail are selected?
"""

from __future__ import annotations

import argparse
import datetime
import json
import random
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from cepheid_conformance.cells import FAIL
from cepheid_conformance.checks import load
from cepheid_conformance.verdict import judge_cell
from tools.mutate import reach as measured
from tools.mutate.candidate import MutantCandidate
from tools.mutate.cells import all_cells, bench_of, first_kill
from tools.mutate.rewrite import Site
from tools.mutate.run import Result, read_results, read_table
from tools.mutate.score import source_hash
from tools.targets.cells import CellName
from tools.targets.graph import Graph
from tools.targets.measure import change_of, kills_of, make, noticed_by_cell, subject_of
from tools.targets.reach import ROOT, ReachMap
from tools.targets.scope import Scopes
from tools.targets.select import Suite
from tools.targets.share import SHARE

FILE = Path(__file__).with_name("recall.json")
LEAST = 0.99


@dataclass(frozen=True)
class Detection:
    """What the selection for one mutant is worth: `share` of the suite's judged seconds, detected
    `by` a cell or nothing. `unmeasured`: its killer is selected even if its function had been left
    out of the map."""

    key: str
    subject: str
    cells: int
    share: float
    by: str | None
    recorded: bool
    unmeasured: bool


@dataclass(frozen=True)
class FullRecall:
    """`selected` of `failing` cells, of `judged` ones drawn from the `reaching`."""

    key: str
    subject: str
    reaching: int
    judged: int
    failing: int
    selected: int


class Study:
    """The mutants of the build that a cell has killed, and what is selected for each."""

    def __init__(self, reach: ReachMap) -> None:
        self.measured = measured.read()
        self.seconds: dict[str, float] = dict(
            zip(self.measured.ids, map(float, self.measured.seconds), strict=True)
        )
        self.cells = {cell.id: cell for cell in all_cells("cepheid")}
        results = read_results()
        sites = [site for site in read_table() if site.key in results]
        self.killed = [(s, results[s.key]) for s in sites if noticed_by_cell(results[s.key])]
        self._suite = Suite(map(CellName.of_cell, self.measured.ids), reach, lambda _: 0.05)
        self._reach = reach
        self._scopes = Scopes(ROOT, reach, Graph())  # only cells are looked for
        self._kills = [kills_of(r for s, r in self.killed if _half(s) != h) for h in (0, 1)]
        self._chosen: dict[tuple[str, int, bool], list[str]] = {}

    def selected(self, site: Site, function_measured: bool = True) -> list[str]:
        """Ids of the cells that run when the mutant's line changes, the most useful first."""
        subject = ":".join(subject_of(site))
        key = subject, _half(site), function_measured
        if key not in self._chosen:
            scopes = self._scopes if function_measured else self._scopes_without(subject)
            patterns = scopes.of(change_of(site)).cells
            chosen = self._suite.choose(patterns, self._kills[_half(site)], SHARE)
            self._chosen[key] = [cell.id for cell in chosen]
        return self._chosen[key]

    def _scopes_without(self, subject: str) -> Scopes:
        rest = {key: entry for key, entry in self._reach.functions.items() if key != subject}
        return Scopes(ROOT, replace(self._reach, functions=rest), Graph())

    def share(self, cells: Iterable[str]) -> float:
        """Of the judged seconds of all cells."""
        return sum(self.seconds[cell] for cell in cells) / sum(self.seconds.values())

    def detect(self, mutants: MutantCandidate, site: Site, result: Result) -> Detection:
        """Whether the selection for a mutant notices it; by the recorded killer, if it can."""
        chosen = self.selected(site)
        recorded = result.killed_by in chosen
        by = result.killed_by if recorded else self._noticed(mutants, site, chosen)
        return Detection(
            key=site.key,
            subject=":".join(subject_of(site)),
            cells=len(chosen),
            share=round(self.share(chosen), 4),
            by=by,
            recorded=recorded,
            unmeasured=result.killed_by in self.selected(site, function_measured=False),
        )

    def _noticed(self, mutants: MutantCandidate, site: Site, chosen: Sequence[str]) -> str | None:
        mutants.become(str(site.number))
        kill, _ = first_kill(bench_of(mutants, "cepheid"), [self.cells[name] for name in chosen])
        mutants.end()
        return None if kill is None else kill.cell.id

    def full(self, mutants: MutantCandidate, site: Site, most: int, seconds: float) -> FullRecall:
        """Judge the cells that reach a mutant, in random order, as many as asked for (0: all) and
        as the time allows: where a mutant hangs, each cell takes its whole time limit."""
        reaching = [self.measured.ids[place] for place in self.measured.cells_of(site.number)]
        random.Random(site.number).shuffle(reaching)
        bench = bench_of(mutants, "cepheid")
        failing: set[str] = set()
        judged, begun = 0, time.monotonic()
        mutants.become(str(site.number))
        for name in reaching[: most or None]:
            if judged and time.monotonic() - begun > seconds:
                break
            cell = self.cells[name]
            judged += 1
            if judge_cell(load(cell.check), cell, bench).verdict == FAIL:
                failing.add(name)
        mutants.end()
        kept = len(failing & set(self.selected(site)))
        subject = ":".join(subject_of(site))
        return FullRecall(site.key, subject, len(reaching), judged, len(failing), kept)


def _half(site: Site) -> int:
    return int(site.key, 16) % 2


def totals(detections: Sequence[Detection], full: Sequence[FullRecall]) -> dict[str, Any]:
    """The figures of the study."""
    count = len(detections)
    shares = sorted(each.share for each in detections)
    failing = sum(each.failing for each in full)
    kept = [each.selected / each.failing for each in full if each.failing]
    return {
        "mutants": count,
        "detected": sum(each.by is not None for each in detections),
        "by_recorded_killer": sum(each.recorded for each in detections),
        "killer_kept_if_function_unmeasured": sum(each.unmeasured for each in detections),
        "largest_share": shares[-1],
        "median_share": shares[count // 2],
        "full_mutants": len(full),
        "full_failing": failing,
        "full_selected": sum(each.selected for each in full),
        "full_mean": round(sum(kept) / len(kept), 4) if kept else None,
        "full_whole": sum(each.judged == each.reaching for each in full),
    }


def write(
    figures: dict[str, Any], detections: Sequence[Detection], full: Sequence[FullRecall]
) -> None:
    """The committed result: figures, what was missed, the mutants judged in full."""
    head = {
        "format": 1,
        "date": datetime.date.today().isoformat(),
        "source_hash": source_hash(),
        "bound": {"share": SHARE, "detected": LEAST},
        "totals": figures,
        "missed": [asdict(each) for each in detections if each.by is None],
    }
    lines = ",\n".join(json.dumps(asdict(each)) for each in full)
    FILE.write_text(f'{json.dumps(head, indent=1)[:-2]},\n "full": [\n{lines}\n]}}\n')


def problems(figures: dict[str, Any]) -> list[str]:
    """What is below its bound."""
    found = []
    if figures["mutants"] < 500:
        found.append(f"at least 500 mutants must be tried; got {figures['mutants']}")
    if figures["detected"] < LEAST * figures["mutants"]:
        found.append(f"at least {LEAST:.0%} must be detected: {figures}")
    if figures["largest_share"] > SHARE:
        found.append(f"a selection takes at most {SHARE:.0%}; got {figures['largest_share']:.1%}")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Study the build's mutants; 1 when a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", type=int, default=30, help="mutants to judge in full")
    parser.add_argument("--write", action="store_true", help=f"record the result in {FILE.name}")
    parser.add_argument("--cells", type=int, default=0, help="at most for one of them; 0: all")
    parser.add_argument("--seconds", type=float, default=120.0, help="at most for one of them")
    given = parser.parse_args(arguments)
    study = Study(make())
    with measured.candidate() as mutants:
        detections = []
        for site, result in study.killed:
            detections.append(study.detect(mutants, site, result))
            if not detections[-1].recorded:
                print(detections[-1], flush=True)
        print(totals(detections, ()), flush=True)
        drawn = random.Random(20).sample(study.killed, min(given.full, len(study.killed)))
        full = []
        for site, _ in drawn:
            full.append(study.full(mutants, site, given.cells, given.seconds))
            print(full[-1], flush=True)
    figures = totals(detections, full)
    for name, value in figures.items():
        print(f"{name:36} {value}")
    for each in detections:
        if each.by is None:
            print("missed", each)
    if given.write:
        write(figures, detections, full)
    found = problems(figures)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
