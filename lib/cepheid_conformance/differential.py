"""An implementation, a peer and the oracle, three ways, on drawn and on fixed inputs.

    python -m cepheid_conformance.differential --impl cepheid --against torch \\
        --against-python PYTHON -k add --draws 50 --per-op 200 --json FILE

The rule that names who differs:

- ours: the implementation fails the oracle's accept rule, the peer meets it;
- peer: the peer fails it, the implementation meets it;
- oracle: both fail it and give the same result, so the judge is in question;
- all: both fail it, each in its own way;
- unspecified: both meet it and yet differ in what it leaves open: the strides, the sign of a zero,
  the order of ties, values that are not determined. Rounding within the budget is no difference.
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import capability, tolerances
from .candidate import Candidate
from .cells import Bench, Cell, Drawing
from .checks.common import failure, judge_outcome, run_scripts, script_for
from .doors import plain_variant
from .drawn import engine
from .drawn.calls import Call, calls, describe, draw_calls, seed_of
from .expected import BOUND, ULP
from .facts import Outcome, Result
from .families import expected_of, samples_of
from .op_spec import OpSpec, load_specs
from .proof import judging_snippet
from .sample import CLASSES

OURS, PEER, ORACLE, ALL, UNSPECIFIED = "ours", "peer", "oracle", "all", "unspecified"
_SHOWN = 2  # disagreements of one cell and class that are kept and shrunk
_USAGE = 2  # exit status: nothing was compared, for a name that is none
_FIXED = 40  # fixed inputs of one class and cell
KIND = "differential"


@dataclass(frozen=True)
class Disagreement:
    """One input on which the three differ."""

    op: str
    dtype: str
    who: str
    input: str
    ours: str
    peer: str
    known: str
    snippet: str


@dataclass(frozen=True)
class Sides:
    """Both implementations with what their capability files say."""

    ours: Bench
    peer: Bench


def classify(ours: bool, peer: bool, same: bool) -> str | None:
    """Who differs, from whether each meets the oracle and whether their results are the same."""
    if ours and peer:
        return None if same else UNSPECIFIED
    if ours or peer:
        return PEER if ours else OURS
    return ORACLE if same else ALL


def compare_call(cell: Cell, sides: Sides, call: Call) -> Disagreement | None:
    """One input, three ways."""
    (found,) = compare_calls(cell, sides, [call])
    return found


def compare_calls(
    cell: Cell, sides: Sides, chosen: Sequence[Call]
) -> Iterator[Disagreement | None]:
    """Inputs in one round trip to each side."""
    scripts = [script_for(cell, call.sample, call.variant) for call in chosen]
    ours, peers = (run_scripts(bench, scripts) for bench in (sides.ours, sides.peer))
    for call, script, one, two in zip(chosen, scripts, ours, peers, strict=True):
        wrong = judge_outcome(cell, sides.ours, call.sample, one)
        if wrong is None and _identical(one, two):
            yield None
            continue
        peer = judge_outcome(cell, sides.peer, call.sample, two)
        same = _same(cell.spec, call, one, two)
        who = classify(wrong is None, peer is None, same is None)
        if who is None:
            yield None
            continue
        shown, outcome = (peer, two) if wrong is None and peer is not None else (wrong, one)
        what, text = shown or ("result", f"the results differ in {same}")
        yield Disagreement(
            cell.spec.key,
            cell.dtype,
            who,
            call.sample.note or describe(call.sample.values),
            wrong[1] if wrong else f"meets the oracle{_but(same)}",
            peer[1] if peer else f"meets the oracle{_but(same)}",
            _known(cell, sides, call, peer[1] if peer else ""),
            judging_snippet(script, what, text, outcome),
        )


def _identical(one: Outcome, two: Outcome) -> bool:
    """Whether two outcomes are the same to the last bit, so that one verdict serves for both."""
    if failure(one) or failure(two):
        return False
    first, second = one.reports[0], two.reports[0]
    return first.container == second.container and [
        (a.kind, a.fields, a.raw) for a in first.values
    ] == [(b.kind, b.fields, b.raw) for b in second.values]


def _but(same: str | None) -> str:
    return f"; differs in {same}" if same else ""


def _known(cell: Cell, sides: Sides, call: Call, text: str) -> str:
    """The reason of the peer's deviation, in whatever cells of this op it is declared."""
    told = f"[{call.sample.note}] {text}"
    for deviation in sides.peer.capability.deviations if text else ():
        ids = [pattern.partition(":")[2] for pattern in deviation.cells.split()]
        covered = any(deviation.covers_by(pattern, cell.test_id) for pattern in ids)
        if covered and deviation.explains(told):
            return deviation.reason
    return ""


def _same(spec: OpSpec, call: Call, one: Outcome, two: Outcome) -> str | None:
    """In what two outcomes differ beyond rounding, or None."""
    failed = failure(one), failure(two)
    if any(failed):
        return None if all(failed) else "whether the call is refused"
    wanted = expected_of(spec, call.sample)
    first, second = one.reports[0].values, two.reports[0].values
    if len(first) != len(second):
        return "the number of results"
    for expected, a, b in zip(wanted, first, second, strict=False):
        rounding = expected.rung in (ULP, BOUND)
        differs = _results_differ(a, b, rounding)
        if differs is not None:
            return differs
    return None


def _results_differ(a: Result, b: Result, rounding: bool) -> str | None:
    if a.kind != b.kind:
        return "type"
    if a.kind != "tensor":
        return None if repr(a.python_value()) == repr(b.python_value()) else "values"
    for name in ("dtype", "shape"):
        if a.fields[name] != b.fields[name]:
            return name
    if 0 not in a.shape and _steps(a) != _steps(b):
        return "strides"
    return _values_differ(a.array(), b.array(), rounding)


def _steps(result: Result) -> list[int]:
    pairs = zip(result.shape, result.strides, strict=True)
    return [stride for size, stride in pairs if size > 1]


def _values_differ(one: Any, two: Any, rounding: bool) -> str | None:
    if one.dtype.kind not in "fc":
        return None if np.array_equal(one, two) else "values"
    if not np.array_equal(np.isnan(one), np.isnan(two)):
        return "NaN positions"
    calm = ~np.isnan(one)
    if not rounding and not np.array_equal(one[calm], two[calm]):
        return "values"
    zeros = calm & (one == 0) & (two == 0)
    parts = ((one.real, two.real), (one.imag, two.imag)) if one.dtype.kind == "c" else ((one, two),)
    signs = all(np.array_equal(np.signbit(a[zeros]), np.signbit(b[zeros])) for a, b in parts)
    return None if signs else "signs of zero"


def fixed_calls(spec: OpSpec, dtype: str) -> list[Call]:
    """The inputs of the other check kinds."""
    variant = plain_variant(spec)
    return [
        Call(sample, variant)
        for kind in CLASSES
        for sample in samples_of(spec, dtype, kind)[:_FIXED]
    ]


def compare_cell(
    cell: Cell, sides: Sides, drawing: Drawing, counts: Counter[str] | None = None
) -> list[Disagreement]:
    """Every input of one op and dtype; of each class of disagreement the smallest ones. Adds the
    drawn calls inside the op's domain to `counts`."""
    drawn = draw_calls(cell.spec, cell.dtype, drawing.seed, drawing.count)
    chosen = fixed_calls(cell.spec, cell.dtype) + [call for call in drawn if call is not None]
    if counts is not None:
        counts[cell.spec.key] += sum(call is not None for call in drawn)
    found: list[Disagreement] = []
    for number, item in enumerate(compare_calls(cell, sides, chosen)):
        if item is None or sum(other.who == item.who for other in found) >= _SHOWN:
            continue
        is_drawn = number >= len(chosen) - sum(call is not None for call in drawn)
        found.append(_smallest(cell, sides, drawing, item) if is_drawn else item)
    return found


def _smallest(cell: Cell, sides: Sides, drawing: Drawing, item: Disagreement) -> Disagreement:
    smallest = item

    def shows(call: Call | None) -> bool:
        nonlocal smallest
        again = compare_call(cell, sides, call) if call is not None else None
        if again is None or (again.who, again.known) != (item.who, item.known):
            return False
        smallest = again
        return True

    seed = seed_of(cell.spec, cell.dtype, drawing.seed)
    engine.shrink(calls(cell.spec, cell.dtype), seed, drawing.count, shows)
    return smallest


@dataclass(frozen=True)
class Tally:
    """What a run, or one process's part of it, gave."""

    cells: int
    drawn: Counter[str]  # calls by op
    found: list[Disagreement]


def report(tally: Tally, stream: Any = sys.stdout) -> None:
    """The disagreements as text, one paragraph each, and two lines of counts."""
    for item in tally.found:
        known = f"\n  known: {item.known}" if item.known else ""
        stream.write(
            f"{item.op} · {item.dtype} · differs: {item.who}\n  input: {item.input}\n"
            f"  ours: {item.ours}\n  peer: {item.peer}{known}\n{item.snippet}\n\n"
        )
    counts = Counter(item.who for item in tally.found)
    text = ", ".join(f"{counts[who]} {who}" for who in (OURS, PEER, ORACLE, ALL, UNSPECIFIED))
    explained = sum(bool(item.known) for item in tally.found)
    calls, least = sum(tally.drawn.values()), min(tally.drawn.values(), default=0)
    stream.write(
        f"{len(tally.drawn)} ops: {calls} drawn calls, of each {least} or more\n"
        f"{tally.cells} cells: {text}; {explained} known deviations of the peer\n"
    )


def run_part(options: argparse.Namespace, part: int) -> Tally:
    """Compare every n-th cell, with an implementation and a peer of this process's own."""
    claims = _claims(options)
    table = tolerances.load()
    cells, found = 0, []
    drawn: Counter[str] = Counter()
    with (
        Candidate(options.impl, options.candidate_python, built_on=claims[0].built_on) as ours,
        Candidate(options.against, options.against_python, built_on=claims[1].built_on) as peer,
    ):
        sides = Sides(
            *(
                Bench(side, claim, table.with_overrides(claim.tolerances))
                for side, claim in zip((ours, peer), claims, strict=True)
            )
        )
        for cell in list(_cells(claims, options.keyword))[part :: options.jobs]:
            share = -(-options.per_op // len(cell.spec.dtypes["cpu"]))
            drawing = Drawing(options.seed, max(options.draws, share))
            found += compare_cell(cell, sides, drawing, drawn)
            cells += 1
    return Tally(cells, drawn, found)


def _claims(options: argparse.Namespace) -> list[capability.Capability]:
    return [capability.load(capability.find(name)) for name in (options.impl, options.against)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print, write; 1 where the implementation or the oracle is in question."""
    options = _parse(arguments)
    try:
        _claims(options)
    except (FileNotFoundError, ValueError) as error:  # a name, or a file, that is no implementation
        print(f"differential: {error}", file=sys.stderr)
        return _USAGE
    start = time.monotonic()
    fresh = multiprocessing.get_context("spawn")
    # An executor, not a pool: it raises where a worker dies.
    with ProcessPoolExecutor(options.jobs, mp_context=fresh) as pool:
        parts = list(pool.map(functools.partial(run_part, options), range(options.jobs)))
    tally = Tally(
        sum(part.cells for part in parts),
        sum((part.drawn for part in parts), Counter()),
        [item for part in parts for item in part.found],
    )
    report(tally)
    print(f"{time.monotonic() - start:.0f} s in {options.jobs} processes")
    if options.json is not None:
        _write(options.json, options, tally)
    blamed = any(item.who in (OURS, ORACLE, ALL) for item in tally.found)
    return 1 if blamed or not tally.cells else 0  # nothing compared is no agreement


def _cells(claims: Sequence[capability.Capability], keyword: str) -> Iterator[Cell]:
    for spec in load_specs().values():
        for dtype in spec.dtypes["cpu"]:
            cell = Cell(spec, KIND, dtype, "cpu")
            missing = any(claim.unsupported(spec, dtype, "cpu") for claim in claims)
            if keyword in cell.test_id and not missing:
                yield cell


def _write(path: Path, options: argparse.Namespace, tally: Tally) -> None:
    content = {
        "format": 1,
        "impl": options.impl,
        "against": options.against,
        "seed": options.seed,
        "draws": options.draws,
        "cells": tally.cells,
        "drawn": tally.drawn,
        "disagreements": [vars(item) for item in tally.found],
    }
    path.write_text(json.dumps(content, indent=1) + "\n")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="cepheid_conformance.differential",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--impl", default="cepheid")
    parser.add_argument("--candidate-python", default=sys.executable)
    parser.add_argument("--against", default="torch")
    parser.add_argument("--against-python", default=sys.executable)
    parser.add_argument("-k", dest="keyword", default="", help="part of the cells' names")
    parser.add_argument("--seed", type=int, default=Drawing.seed)
    parser.add_argument("--draws", type=int, default=Drawing.count, help="calls per op and dtype")
    parser.add_argument(
        "--per-op", type=int, default=0, help="calls per op at least: more in each of few dtypes"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with both sides")
    parser.add_argument("--json", type=Path, help="write the disagreements here too")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
