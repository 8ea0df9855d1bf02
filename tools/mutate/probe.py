"""Tries mutants on chosen cells: `python -m tools.mutate.probe KEY ... --ops mm --kinds sizes`.

For writing the input that notices a survivor: it looks at no record of what reaches the mutant, and
keeps none but the kills, which go to build/mutants/results.jsonl.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase

from tools.mutate import reach
from tools.mutate.cells import all_cells, bench_of, first_kill
from tools.mutate.run import KILLED, RESULTS, Result, read_table


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge each mutant by all chosen cells; 1 when one lives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("keys", nargs="+", metavar="KEY")
    parser.add_argument("--ops", nargs="*", default=["*"], help="patterns of op names")
    parser.add_argument("--kinds", nargs="*", default=["*"], help="patterns of check kinds")
    parser.add_argument("--dtypes", nargs="*", default=["*"])
    given = parser.parse_args(arguments)
    cells = [
        cell
        for cell in all_cells("cepheid")
        if _matches(cell.spec.key, given.ops)
        and _matches(cell.check, given.kinds)
        and _matches(cell.dtype, given.dtypes)
    ]
    by_key = {site.key: site for site in read_table()}
    living = 0
    with reach.candidate() as mutants, RESULTS.open("a") as results:
        bench = bench_of(mutants, "cepheid")
        for key in given.keys:
            site = by_key[key]
            mutants.become(str(site.number))
            kill, judged = first_kill(bench, cells)
            mutants.end()
            living += kill is None
            print(f"{key} {site.file}:{site.line} {site.rule}: {site.before} -> {site.after}")
            print(f"  {kill.cell.id if kill else f'lives through {judged} cells'}")
            if kill is not None:
                said = " ".join(kill.said.split())[:200]
                own = (kill.cell.spec.key,)
                result = Result(
                    key, KILLED, kill.cell.id, kill.cell.check, said, 0.0, judged, judged, own
                )
                results.write(json.dumps(asdict(result)) + "\n")
                results.flush()
    return 1 if living else 0


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


if __name__ == "__main__":
    sys.exit(main())
