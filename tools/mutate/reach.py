"""Which cells reach which mutation sites: one run of the suite, or of a part, on the unchanged
build."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cepheid_conformance.cells import EXPECTED_FAIL, PASS, Cell
from cepheid_conformance.checks import load
from cepheid_conformance.verdict import judge_cell
from tools.mutate.candidate import MutantCandidate
from tools.mutate.cells import all_cells, bench_of
from tools.mutate.generate import ISA
from tools.mutate.paths import BUILD, PYTHON

FILE = BUILD / "reach.npz"


@dataclass(frozen=True)
class Reach:
    """`sites[i]` tells for cell `ids[i]` which sites it reached (a bit each), `seconds[i]` how
    long it took. Cells that fail on the unchanged build are left out and named in `failed`."""

    ids: tuple[str, ...]
    seconds: NDArray[np.float64]
    sites: NDArray[np.uint8]
    failed: tuple[str, ...]

    def cells_of(self, site: int) -> list[int]:
        """Places of the cells that reach a site."""
        column = self.sites[:, site // 8] >> (7 - site % 8) & 1
        return [int(place) for place in np.nonzero(column)[0]]

    def save(self, path: Path = FILE) -> None:
        """Write it beside the build."""
        ids, failed = np.array(json.dumps(self.ids)), np.array(json.dumps(self.failed))
        np.savez_compressed(path, seconds=self.seconds, sites=self.sites, ids=ids, failed=failed)


def read(path: Path = FILE) -> Reach:
    """Read what `measure` wrote."""
    with np.load(path) as content:
        ids, failed = (tuple(json.loads(str(content[name]))) for name in ("ids", "failed"))
        return Reach(ids, content["seconds"], content["sites"], failed)


def candidate() -> MutantCandidate:
    """The build with mutants."""
    return MutantCandidate("cepheid", str(PYTHON), timeout=10, environment={"CEPHEID_ISA": ISA})


def measure(jobs: int = 2, cells: Sequence[Cell] | None = None) -> Reach:
    """Judge cells, all unless some are given, on the unchanged build and note what each reached."""
    cells = all_cells("cepheid") if cells is None else cells
    chunks = [cells[at : at + 200] for at in range(0, len(cells), 200)]
    with ProcessPoolExecutor(jobs) as pool:
        rows = [row for part in pool.map(_measure_part, chunks) for row in part]
    good = [(name, seconds, bits) for name, seconds, bits, verdict in rows if verdict == PASS]
    failed = tuple(row[0] for row in rows if row[3] not in (PASS, EXPECTED_FAIL))
    return Reach(
        ids=tuple(name for name, *_ in good),
        seconds=np.array([seconds for _, seconds, _ in good]),
        sites=np.stack([np.frombuffer(bits, np.uint8) for *_, bits in good]),
        failed=failed,
    )


def _measure_part(cells: Sequence[Cell]) -> list[tuple[str, float, bytes, str]]:
    rows = []
    with candidate() as mutants:
        bench = bench_of(mutants, "cepheid")
        for cell in cells:
            mutants.reached()
            begun = time.monotonic()
            verdict = judge_cell(load(cell.check), cell, bench)
            seconds = time.monotonic() - begun
            bits = np.packbits(np.frombuffer(mutants.reached(), np.uint8)).tobytes()
            rows.append((cell.id, seconds, bits, verdict.verdict))
    return rows


if __name__ == "__main__":
    measured = measure()
    measured.save()
    print(f"{len(measured.ids)} cells, {measured.seconds.sum():.0f} s, failed: {measured.failed}")
    sys.exit(1 if measured.failed else 0)
