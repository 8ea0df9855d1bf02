"""Printed snippets, pasted into a fresh process: the failure shows there, and only there."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from cepheid_conformance import checks
from cepheid_conformance.cells import Cell

pytestmark = pytest.mark.slow

PLANTED = runpy.run_path(str(Path(__file__).with_name("test_checks.py")))["PLANTED"]
LEAST_SHARE = 0.95
_RUN = """
import sys
import fake_torch
sys.modules["torch"] = fake_torch
exec(compile(sys.stdin.read(), "snippet", "exec"), {})
"""


def paste(snippet, fault):
    """The exit status and the errors of a process that runs the snippet."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "FAKE_FAULT": fault}
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        input=snippet,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


def findings(specs, fake_bench):
    for kind, op, dtype, fault, _ in PLANTED:
        found = checks.load(kind).check(Cell(specs[op], kind, dtype, "cpu"), fake_bench(fault))
        yield from ((kind, fault, item) for item in found[:3])


@pytest.mark.timeout(600)
def test_snippets_reproduce_their_failure(specs, fake_bench):
    lost, alarms, count = [], [], 0
    for kind, fault, found in findings(specs, fake_bench):
        count += 1
        status, errors = paste(found.snippet, fault)
        if status == 0:
            lost.append(f"{kind}, {fault}: {found}")
        right, errors = paste(found.snippet, "")
        if right != 0 and fault != "crash":
            alarms.append(f"{kind}, {fault}: {found}\n{errors[-600:]}\n{found.snippet}")
    share = 1 - len(lost) / count
    print(f"{count} snippets, {share:.1%} reproduce, {len(alarms)} fail on a right candidate")
    assert share >= LEAST_SHARE, "\n".join(lost)
    assert len(alarms) <= (1 - LEAST_SHARE) * count, "\n\n".join(alarms)
