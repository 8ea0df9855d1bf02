"""Judges ops of one floating tensor at every float32, and at hard points of float64 by mpmath.

    python -m cepheid_conformance.sweep --impl torch --candidate-python PYTHON --part 1/256

A block holds every n-th bit pattern, so that a part of the blocks is a sample of all magnitudes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from . import capability, hard_points, tolerances
from .blocks import Judged, judge_values
from .candidate import Candidate
from .cells import Bench, Cell
from .checks.common import MAX_FINDINGS
from .dtypes import Array
from .families import expected_of
from .op_spec import OpSpec, load_specs
from .sample import Sample
from .tensors import Tensor
from .wide import HAS_LONG_DOUBLE, MPMATH

DTYPES = ("float32", "float64")
BLOCKS = 1 << 12  # of 2**20 patterns each
_POINTS = 10_000  # of float64 in one call


@dataclass(frozen=True)
class Part:
    """Every `count`-th block or point from `first` on."""

    first: int
    count: int

    def within(self, first: int, count: int) -> Part:
        """A part of this part."""
        return Part(self.first + first * self.count, self.count * count)


@dataclass(frozen=True)
class Task:
    """One process's part of one op and dtype."""

    implementation: str
    python: str
    capabilities: str | None
    op: str
    dtype: str
    part: Part


def ops_of(claims: capability.Capability, dtype: str, names: Sequence[str]) -> list[OpSpec]:
    """The pointwise ops of one tensor that an implementation has; all, or those named."""
    found = [
        claims.offered(spec)
        for spec in load_specs().values()
        if spec.family == "pointwise"
        and [argument.type for argument in spec.args] == ["Tensor"]
        and dtype in spec.dtypes["cpu"]
        and (dtype != "float64" or spec.key in MPMATH)
        and claims.unsupported(spec, dtype, "cpu") is None
    ]
    return [spec for spec in found if not names or spec.key in names]


def patterns(block: int, blocks: int = BLOCKS) -> Array:
    """The float32 values of one block: every `blocks`-th bit pattern."""
    return np.arange(block, 1 << 32, blocks, dtype=np.uint32).view(np.float32)


def sweep_blocks(cell: Cell, bench: Bench, part: Part, blocks: int = BLOCKS) -> Iterator[Judged]:
    """Judge float32 block by block, up to enough findings."""
    findings = 0
    for block in range(part.first, blocks, part.count):
        judged = judge_values(cell, bench, patterns(block, blocks))
        yield judged
        findings += len(judged.findings)
        if findings >= MAX_FINDINGS:
            return


def sweep_points(cell: Cell, bench: Bench, values: Array) -> Iterator[Judged]:
    """Judge points of float64 by mpmath."""
    name = cell.spec.key
    one = Sample({cell.spec.args[0].name: Tensor("float64", np.ones(1))})
    rung = expected_of(cell.spec, one)[0].rung
    for start in range(0, values.size, _POINTS):
        chunk = values[start : start + _POINTS]
        yield judge_values(cell, bench, chunk, hard_points.expected_at(name, chunk, rung))


def run_task(task: Task) -> Judged:
    """Judge one part with a candidate of its own."""
    claims = capability.load(capability.find(task.implementation, task.capabilities))
    cell = Cell(claims.offered(load_specs()[task.op]), "accuracy", task.dtype, "cpu")
    with Candidate(task.implementation, task.python, built_on=claims.built_on) as candidate:
        table = tolerances.load().with_overrides(claims.tolerances)
        bench = Bench(candidate, claims, table)
        if task.dtype == "float32":
            return sum(sweep_blocks(cell, bench, task.part), Judged())
        values = hard_points.points(task.op)[task.part.first :: task.part.count]
        return sum(sweep_points(cell, bench, values), Judged())


def main(arguments: Sequence[str] | None = None) -> int:
    """Sweep, print a line for each op and dtype and then the failures; 1 if there is one."""
    options = _parse(arguments)
    claims = capability.load(capability.find(options.impl, options.capabilities))
    dtypes = [options.dtype] if options.dtype else [*DTYPES]
    chosen = [(spec.key, dtype) for dtype in dtypes for spec in ops_of(claims, dtype, options.ops)]
    refused = _refusal(options, claims, dtypes, [op for op, _ in chosen])
    if refused:
        print(f"sweep: {refused}")
        return 1
    print(f"{'op':<12} {'dtype':<8} {'values':>11} {'ULP':>7} {'known':>8} {'fail':>5} {'s':>8}")
    failures: list[str] = []
    values = 0
    fresh = multiprocessing.get_context("spawn")
    # An executor, not a pool: it raises where a worker dies.
    with ProcessPoolExecutor(options.jobs, mp_context=fresh) as pool:
        for op, dtype in chosen:
            tasks = [_task(options, op, dtype, number) for number in range(options.jobs)]
            start = time.monotonic()
            judged = sum(pool.map(run_task, tasks), Judged())
            _line(op, dtype, judged, time.monotonic() - start)
            values += judged.count
            failures += judged.findings
            if not judged.count:
                failures.append(f"{op} {dtype}: no value was judged")
    for text in failures:
        print(f"\n{text}")
    print(f"\n{options.impl}: {len(chosen)} sweeps, {values} values, {len(failures)} failures")
    return 1 if failures else 0


def _refusal(
    options: argparse.Namespace,
    claims: capability.Capability,
    dtypes: list[str],
    chosen: list[str],
) -> str:
    """Why nothing can be judged, or not all that is asked for."""
    unknown = sorted(set(options.ops) - set(chosen))
    if unknown or not chosen:
        there = " ".join(dict.fromkeys(s.key for d in dtypes for s in ops_of(claims, d, ())))
        return f"ops must be of {options.impl}'s, which are: {there}; got {' '.join(unknown)}"
    if "float64" in dtypes and not HAS_LONG_DOUBLE:
        return "float64 needs a long double of 64 bits, to hold what mpmath gives"
    return ""


def _line(op: str, dtype: str, judged: Judged, seconds: float) -> None:
    columns = f"{judged.count:>11} {judged.worst:>7.3f} {judged.known:>8}"
    print(f"{op:<12} {dtype:<8} {columns} {len(judged.findings):>5} {seconds:>8.1f}", flush=True)


def _task(options: argparse.Namespace, op: str, dtype: str, number: int) -> Task:
    part = options.part.within(number, options.jobs)
    return Task(options.impl, options.candidate_python, options.capabilities, op, dtype, part)


def _part(text: str) -> Part:
    """K/N, counted from 1."""
    first, _, count = text.partition("/")
    if not (first.isdecimal() and count.isdecimal() and 1 <= int(first) <= int(count) <= BLOCKS):
        message = f"must be K/N with 1 <= K <= N <= {BLOCKS}; got {text}"
        raise argparse.ArgumentTypeError(message)
    return Part(int(first) - 1, int(count))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cepheid_conformance.sweep", description=__doc__)
    parser.add_argument("--impl", default="cepheid")
    parser.add_argument("--candidate-python", default=sys.executable)
    parser.add_argument("--capabilities")
    parser.add_argument("--ops", nargs="+", default=[], help="all of one floating tensor if absent")
    parser.add_argument("--dtype", choices=DTYPES, help="both if absent")
    parser.add_argument("--part", type=_part, default=Part(0, 1), help="K/N of the values")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
