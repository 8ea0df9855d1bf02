"""`python -m ci.coverage [NAME ...]`: the coverage of C++ and Python by the tests of these names.

A build for gcov is made in a folder of its own (`build/cmake/coverage-*`); the first takes minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ci.command import run
from ci.stages import build_apart, build_folder, make_environment
from tools.runner.measure import BUILD_VARIABLE

GROUPS = ("tiny", "unit", "conformance")


def main(names: Sequence[str]) -> int:
    """Build, forget earlier counts, run the tests; the run's report has the sums."""
    if make_environment().failed:
        return 1
    env, built = build_apart("coverage", "-DCEPHEID_COVERAGE=ON")
    if built.failed:
        return 1
    folder = build_folder(env.name)
    for counts in folder.rglob("*.gcda"):
        counts.unlink()
    command = ["-P", "-m", "tools.runner", "--no-bootstrap", "--coverage", *(names or GROUPS)]
    found = run([env / "bin" / "python", *command], {BUILD_VARIABLE: str(folder)})
    return 1 if found.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
