"""Makes the map from the build with mutants: `python -m tools.targets.measure`.

tools/mutate/reach.py must have measured that build, tools/mutate/run.py its mutants.
"""

from __future__ import annotations

import datetime
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache

from tools.mutate import reach as measured
from tools.mutate.paths import TABLE
from tools.mutate.rewrite import Site
from tools.mutate.run import KILLED, Result, read_results, read_table
from tools.mutate.score import source_hash
from tools.targets.cells import CellName
from tools.targets.changes import Change, Text
from tools.targets.functions import digests, functions
from tools.targets.reach import FILE, ROOT, Reached, ReachMap, write

_POINTWISE = "csrc/ops/pointwise.yaml"
_RULES = re.compile(r"generated/rules/(\w+)\.cpp")
_SCHEMA = re.compile(r"^// ([\w.]+)\(", re.MULTILINE)


def make() -> ReachMap:
    """The map of the build as it was measured last."""
    reach, sites, results = measured.read(), read_table(), read_results()
    _check_same_build(reach, sites, results)
    cells = [CellName.of_cell(cell) for cell in reach.ids]
    places: dict[tuple[str, str], set[int]] = defaultdict(set)
    for site in sites:
        places[subject_of(site)].update(reach.cells_of(site.number))
    spent: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for cell, seconds in zip(cells, reach.seconds, strict=True):
        spent[cell.op][cell.kind].append(float(seconds))
    return ReachMap(
        source_hash=source_hash(),
        date=datetime.date.today().isoformat(),
        functions={
            f"{file}:{name}": (_reached(cells, rows), _digests(file).get(name, ""))
            for (file, name), rows in places.items()
        },
        seconds={
            op: {kind: round(sum(s) / len(s), 4) for kind, s in sorted(kinds.items())}
            for op, kinds in spent.items()
        },
        kills=kills_of(results.values()),
    )


def _check_same_build(
    reach: measured.Reach, sites: Iterable[Site], results: dict[str, Result]
) -> None:
    """A cell that killed a mutant must have reached it: else the files are of two builds."""
    places = {cell: place for place, cell in enumerate(reach.ids)}
    killed = [
        (site.number, places[results[site.key].killed_by])
        for site in sites
        if site.key in results and results[site.key].killed_by in places
    ]
    strange = sum(
        not reach.sites[place, number // 8] >> (7 - number % 8) & 1 for number, place in killed
    )
    if strange > len(killed) // 100:
        raise ValueError(
            f"targets: reach.npz must be of the same build as the results; {strange} of "
            f"{len(killed)} mutants are killed by cells that don't reach them: measure it again"
        )


def _reached(cells: list[CellName], rows: Iterable[int]) -> Reached:
    found = [cells[row] for row in rows]
    pairs = frozenset((cell.op, cell.kind) for cell in found)
    return Reached(pairs, frozenset(cell.dtype for cell in found))


def kills_of(results: Iterable[Result]) -> dict[str, dict[str, int]]:
    """How many mutants cells of each kind and dtype noticed first."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for result in filter(noticed_by_cell, results):
        cell = CellName.of_cell(result.killed_by)
        found[cell.kind][cell.dtype] += 1
    return {kind: dict(counts.most_common()) for kind, counts in sorted(found.items())}


def noticed_by_cell(result: Result) -> bool:
    """Whether a cell of the suite killed the mutant."""
    return result.verdict == KILLED and not result.killed_by.startswith("cpp:")


def subject_of(site: Site) -> tuple[str, str]:
    """File and function, or op entry, whose change a mutant stands for."""
    if rules := _RULES.fullmatch(site.file):
        return f"csrc/ops/rules/{rules.group(1)}.py", site.function
    if site.file.startswith("generated/pointwise/"):
        above = "".join(_mutated(site.file).splitlines(keepends=True)[: site.line])
        return _POINTWISE, _SCHEMA.findall(above)[-1]
    return site.file, site.function


def change_of(site: Site) -> Change:
    """The mutant as a change of the source: of its line, or of what its line is generated from."""
    file, name = subject_of(site)
    if file == site.file:
        return Change(file, after=Text(_mutated(file), frozenset({site.line})))
    source = (ROOT / file).read_text()
    lines = {each.last for each in functions(file, source) if each.name == name}
    return Change(file, after=Text(source, frozenset(lines)))


@cache
def _mutated(file: str) -> str:
    """A source with switches; every line is where it is in the source itself."""
    return (TABLE.parent / file).read_text()


@cache
def _digests(file: str) -> dict[str, str]:
    path = ROOT / file
    return digests(file, path.read_text()) if path.is_file() else {}


if __name__ == "__main__":
    made = make()
    write(made)
    print(f"{FILE.name}: {len(made.functions)} functions, {len(made.seconds)} ops")
    sys.exit(0)
