"""No call ends the interpreter, whatever the arguments: random ones over all schemas, methods and
names of the binding, in child processes, so that a crash is a failure that shows its call."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tools.runner import run_this_file

CALLER = Path(__file__).with_name("caller.py")
CALLS = 2500
MEMORY = 2 << 30  # less than a tensor of 2**31 bytes, which would be made and take its time
SECONDS = 240  # a hundred times what it takes: only a call that hangs gets there


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@pytest.mark.parametrize("seed", range(8))
def test_no_call_crashes(seed: int, tmp_path: Path) -> None:
    log = tmp_path / "call"
    command = [sys.executable, str(CALLER), str(seed), str(CALLS), str(log)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            preexec_fn=limit_memory,
            check=False,
        )
    except subprocess.TimeoutExpired:
        pytest.fail(f"hangs in {log.read_text()}")
    last = log.read_text() if log.exists() else "(before the first call)"
    assert done.returncode == 0, f"exit {done.returncode} in {last}\n{done.stderr[-2000:]}"
    assert not done.stdout, done.stdout


def test_the_caller_reports_a_crash(tmp_path: Path) -> None:
    """The check itself: a call that kills the process is the last one in the log."""
    log = tmp_path / "call"
    program = (
        "import os, sys, runpy; sys.argv = sys.argv[1:]; sys.path.insert(0, os.path.dirname("
        "sys.argv[0])); import caller; caller.make = lambda call, draw: os.abort(); "
        "caller.main(1, 5, caller.Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(CALLER), str(log)], capture_output=True, check=False
    )
    assert done.returncode < 0
    assert log.read_text().startswith("seed 1, call ")


if __name__ == "__main__":
    run_this_file()
