"""Lint, build and run every test: `ci/run [STAGE ...]`.

Stages run in order; one that fails does not stop the others, but without a build nothing that
needs it runs, and that counts as a failure of each. The end is a table of the stages, then what
failed by name; the last line counts everything.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from ci.counts import Counts
from ci.stages import STAGES, Stage
from tools.runner.bootstrap import BootstrapError

# Of a log that is cut to its end, the names must still be there.
_NAMES, _WIDTH = 12, 200

Row = tuple[Stage, Counts, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named stages, all of a usual run by default; 0 only if nothing failed."""
    names = [stage.name for stage in STAGES]
    parser = argparse.ArgumentParser(
        prog="ci/run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"  {stage.name:18} {stage.help}" for stage in STAGES),
    )
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=", ".join(names))
    chosen = parser.parse_args(arguments).stages
    if unknown := set(chosen) - set(names):
        parser.error(f"no stage is named {', '.join(sorted(unknown))}; there are {names}")
    rows = run_stages([stage for stage in STAGES if _is_meant(stage, chosen)])
    return summary(rows)


def _is_meant(stage: Stage, chosen: Sequence[str]) -> bool:
    return stage.name in chosen if chosen else not stage.only_by_name


def run_stages(stages: Sequence[Stage]) -> list[Row]:
    """What each stage found, and the seconds it took."""
    rows: list[Row] = []
    built = True
    for stage in stages:
        print(f"\n==== {stage.name}: {stage.help} (budget {stage.minutes:g} min)", flush=True)
        begun = time.monotonic()
        if stage.needs_build and not built:
            print("not run: there is no build")
            counts = Counts(failed=1)
        else:
            counts = _guarded(stage)
        if stage.name in ("environment", "build"):
            built = built and not counts.failed
        rows.append((stage, counts, time.monotonic() - begun))
    return rows


def _guarded(stage: Stage) -> Counts:
    try:
        return stage.action()
    except BootstrapError as error:
        print(error)
        return Counts(failed=1)


def summary(rows: Sequence[Row]) -> int:
    """Print the table, what failed, and the last line; the exit status."""
    print(f"\n{'stage':18} {'minutes':>8} {'budget':>7}  result")
    for stage, counts, seconds in rows:
        late = "  over budget" if seconds > 60 * stage.minutes else ""
        print(f"{stage.name:18} {seconds / 60:8.2f} {stage.minutes:7g}  {counts}{late}")
    minutes = sum(seconds for *_, seconds in rows) / 60
    print(f"{'all':18} {minutes:8.2f} {sum(stage.minutes for stage, *_ in rows):7g}")
    for stage, counts, _ in rows:
        _show_failures(stage.name, counts)
    total = sum((counts for _, counts, _ in rows), Counts())
    print(total, flush=True)
    return 1 if total.failed or not total.passed else 0


def _show_failures(stage: str, counts: Counts) -> None:
    if counts.failed and not counts.failures:
        print(f"{stage}: {counts.failed} failed")
    for line in counts.failures[:_NAMES]:
        print(f"{stage}: {line[:_WIDTH]}")
    if more := counts.failures[_NAMES:]:
        print(f"{stage}: and {len(more)} more")
