"""Judges what no cell of the suite notices by the C++ tests: code that no op reaches, or reaches
without a difference that an op shows.

`python -m tools.mutate.cpp_tests` runs the mutants that live in build/mutants/results.jsonl.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace

from tools.mutate.generate import ISA
from tools.mutate.paths import BUILD
from tools.mutate.rewrite import Site
from tools.mutate.run import KILLED, RESULTS, Result, read_results, read_table

CHECK = "cpp"
_TIMEOUT = 60.0
_FAILED = re.compile(r"^FAILED (\S+)", re.MULTILINE)


def binaries() -> list[str]:
    """The test binaries of the build, the quickest first."""
    folder = BUILD / "cpp_tests"
    return [str(folder / f"test_{name}") for name in ("base", "ops", "core", "kernels")]


def first_failure(number: int | None) -> str:
    """The first C++ test that fails with a mutant on; empty where none does."""
    switch = {} if number is None else {"MUTANT": str(number)}
    environment = {**os.environ, "CEPHEID_ISA": ISA, **switch}
    for binary in binaries():
        name = binary.rpartition("_")[2]
        try:
            done = subprocess.run(
                [binary],
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"cpp:{name}: hang"
        if done.returncode != 0:
            found = _FAILED.search(done.stdout)
            return f"cpp:{found.group(1) if found else f'{name}: exit {done.returncode}'}"
    return ""


def run(jobs: int) -> Iterator[Result]:
    """New results of the mutants that live."""
    results = read_results()
    living = [
        site for site in read_table() if site.key in results and results[site.key].verdict != KILLED
    ]

    def judge(site: Site) -> Result | None:
        begun = time.monotonic()
        failed = first_failure(site.number)
        if not failed:
            return None
        seconds = round(time.monotonic() - begun, 3)
        known = results[site.key]
        return replace(
            known, verdict=KILLED, killed_by=failed, check=CHECK, said="", seconds=seconds
        )

    with ThreadPoolExecutor(jobs) as pool:
        yield from (result for result in pool.map(judge, living) if result is not None)


def main(jobs: int = 2) -> int:
    """Append what the C++ tests notice to the results."""
    if failed := first_failure(None):
        print(f"mutate: a C++ test fails without a mutant: {failed}")
        return 1
    count = 0
    with RESULTS.open("a") as file:
        for result in run(jobs):
            file.write(json.dumps(asdict(result)) + "\n")
            file.flush()
            count += 1
    print(f"{count} mutants noticed by the C++ tests alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
