"""Run one program, show its output as it comes, keep its lines."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ci.counts import Counts, of_output

ROOT = Path(__file__).resolve().parents[1]


def run(command: Sequence[str | Path], variables: Mapping[str, str] | None = None) -> Counts:
    """The counts of a program that was run in the repository's root."""
    words = [str(word) for word in command]
    print("$ " + " ".join(_short(word) for word in words), flush=True)
    process = subprocess.Popen(
        words,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(variables or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        lines.append(line)
    return of_output(lines, process.wait())


def _short(word: str) -> str:
    return word.removeprefix(f"{ROOT}/")
