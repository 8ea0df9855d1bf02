"""`python -m tools.mutate`: build, measure the reach, run every mutant, print the score.

Source mutants first go through the cells of the suite, what lives then through the C++ tests;
wrapper mutants and re-made bugs through the cells on the ordinary build.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tools.mutate import build, cpp_tests, reach, run, score, wrappers


def main(arguments: Sequence[str] | None = None) -> int:
    """All steps of `tox -e mutation`; results of an earlier build count for unchanged mutants."""
    parser = argparse.ArgumentParser(prog="tools.mutate", description=__doc__)
    parser.add_argument("--cells", type=int, default=1000, help="at most, for one mutant")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--write", action="store_true", help="record the score")
    given = parser.parse_args(arguments)
    build.build()
    measured = reach.measure(given.jobs)
    measured.save()
    if measured.failed:
        print(f"mutate: cells that fail without a mutant: {measured.failed}")
        return 1
    if given.fresh:
        run.RESULTS.unlink(missing_ok=True)
        score.WRAPPERS.unlink(missing_ok=True)
    jobs = ["--jobs", str(given.jobs)]
    run.main(["--cells", str(given.cells), *jobs])
    if cpp_tests.main(given.jobs):
        return 1
    if wrappers.main(["--quiet", "--missing", "--json", str(score.WRAPPERS), *jobs]):
        return 1
    return score.main(["--write"] if given.write else [])


if __name__ == "__main__":
    sys.exit(main())
