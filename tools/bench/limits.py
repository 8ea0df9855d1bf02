"""Machine limits, independent of every framework."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import timeit
from array import array
from pathlib import Path
from typing import Any

PROBE = Path(__file__).with_name("limits.c")


def build(folder: str) -> str | None:
    """The path of the compiled probe, or None where there is no C compiler."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        return None
    probe = str(Path(folder, "limits"))
    flags = ["-O3", "-march=native", "-pthread"]
    subprocess.run([compiler, *flags, str(PROBE), "-o", probe], check=True)
    return probe


def measure(probe: str | None, threads: int) -> dict[str, float]:
    """What the machine can do at best.

    bytes/s (copy, read), flop/s (fp32, fp64, bf16), and `call`: the seconds of the least allocating
    two-operand call that Python can make, joining two arrays of one float.
    """
    a = array("f", [1.0])
    call = min(timeit.repeat("a + a", globals={"a": a}, number=100_000, repeat=5)) / 100_000
    found = {"call": call}
    if probe:
        out = subprocess.run([probe, str(threads)], check=True, capture_output=True, text=True)
        found.update(json.loads(out.stdout))
    return found


def better(a: dict[str, float], b: dict[str, float]) -> dict[str, float]:
    """The better of two measurements, limit by limit."""
    return {k: min(a[k], b[k]) if k == "call" else max(a[k], b[k]) for k in a}


def least_time(facts: dict[str, Any], limits: dict[str, float]) -> float | None:
    """The least seconds the machine allows for a workload, or None if that is not known."""
    times: list[float] = []
    if facts.get("calls"):
        times.append(facts["calls"] * limits["call"])
    if facts.get("bytes") and "copy" in limits:
        rate = max(limits["copy"], limits["read"]) if facts["reads"] else limits["copy"]
        times.append(facts["bytes"] / rate)
    if facts.get("flops") and facts["peak"] in limits:
        times.append(facts["flops"] / limits[facts["peak"]])
    return max(times, default=None)
