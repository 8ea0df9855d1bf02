"""Measure one workload, or the import, of every implementation in turns."""

from __future__ import annotations

import json
import math
import resource
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.bench.implementations import Failure, Impl, environment

FOOTPRINT = Path(__file__).with_name("footprint.py")
IMPORT_UNITS = {
    "process": "s",
    "statement": "s",
    "rss": "B",
    "size": "B",
    "size_with_required": "B",
}

Result = dict[str, Any]
"""{facts of the case, run: [s], run_cpu: [s], ref: ...} or {error, kind}."""


class Plan:
    """How long a sample lasts, how many there are and how long a workload may take, in seconds."""

    def __init__(self, quick: bool) -> None:
        self.sample, self.rounds, self.budget = (0.01, 5, 0.2) if quick else (0.1, 15, 10.0)


def measure(key: str, impls: Sequence[Impl], plan: Plan) -> dict[str, Result]:
    """The result of one workload by implementation; they take turns at one sample each."""
    found: dict[str, Result] = {}
    samples: dict[str, list[dict[str, Any]]] = {}
    slowest = 0.0
    for impl in impls:
        samples[impl.name] = []
        try:
            found[impl.name], lasts = _prepare(key, impl, plan, samples[impl.name])
            slowest = max(slowest, lasts)
        except Failure as failure:
            found[impl.name] = _failed(failure)
    for _ in range(max(3, min(plan.rounds, int(plan.budget / (slowest or 1))))):
        for impl in impls:
            if "error" in found[impl.name]:
                continue
            try:
                _take_turn(impl, samples[impl.name], found[impl.name])
            except Failure as failure:
                found[impl.name] = _failed(failure)
    for impl in impls:
        if "error" not in found[impl.name]:
            try:
                impl.ask("drop")
            except Failure:
                pass  # it has its result; a new worker starts for the next
    return found


def _failed(failure: Failure) -> Result:
    return {"error": str(failure), "kind": failure.kind}


def _prepare(
    key: str, impl: Impl, plan: Plan, samples: list[dict[str, Any]]
) -> tuple[Result, float]:
    """Load the workload and fill `samples`; the empty result and how long a sample lasts."""
    result: Result = {"facts": impl.ask("load", key=key, port=free_port())}
    slowest = 0.0
    for what in ["run"] + ["ref"] * result["facts"]["ref"]:
        result[what], result[what + "_cpu"] = [], []
        sample, lasts = calibrate(impl, what, plan)
        samples.append(sample)
        slowest = max(slowest, lasts)
    return result, slowest


def _take_turn(impl: Impl, samples: list[dict[str, Any]], result: Result) -> None:
    for sample in samples:
        wall, busy = impl.ask("time", **sample)
        result[sample["what"]].append(wall)
        if impl.world == 1:  # else most of the time may be spent elsewhere
            result[sample["what"] + "_cpu"].append(busy)


def calibrate(impl: Impl, what: str, plan: Plan) -> tuple[dict[str, Any], float]:
    """How to ask for one sample that lasts long enough, and how long it then lasts.

    Threads that have slept are slow to wake, so untimed calls go first, unless they take long.
    """
    count, each = 1, math.inf
    for _ in range(3):
        each = min(each, impl.ask("time", what=what, count=1, warm=1)[0])
        if each > plan.sample:
            break
    while count * each < plan.sample / 4:
        count = min(10 * count, math.ceil(plan.sample / max(each, 1e-9)))
        each, _ = impl.ask("time", what=what, count=count, warm=1)
    count = max(1, round(plan.sample / each))
    return {"what": what, "count": count, "warm": int(each < 0.2)}, count * each


def free_port() -> int:
    """A port of this machine that nobody uses now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


def measure_import(impls: Sequence[Impl], plan: Plan) -> dict[str, dict[str, Result]]:
    """row -> name -> {run: [...]} or {error, kind}; times also have run_cpu."""
    rows: dict[str, dict[str, Result]] = {
        row: {impl.name: {"run": []} for impl in impls} for row in IMPORT_UNITS
    }
    for turn in range(1 + plan.rounds // 2):  # the first warms the file cache
        for impl in impls:
            if "error" in rows["process"][impl.name]:
                continue
            try:
                for row, values in import_once(impl).items():
                    for what, value in zip(("run", "run_cpu"), values, strict=False):
                        if turn:
                            rows[row][impl.name].setdefault(what, []).append(value)
            except (subprocess.SubprocessError, OSError, ValueError) as error:
                lines = (getattr(error, "stderr", "") or "").strip().splitlines() or [str(error)]
                for results in rows.values():
                    results[impl.name] = _failed(Failure("unsupported", lines[-1]))
    return rows


def import_once(impl: Impl) -> dict[str, list[float]]:
    """row -> [value] or [wall time, processor time]."""

    def python(*arguments: str) -> str:
        return subprocess.run(
            [impl.python, *arguments],
            check=True,
            capture_output=True,
            text=True,
            timeout=impl.timeout,
            env=environment(),
        ).stdout

    def children_busy() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    start, busy = time.perf_counter(), children_busy()
    python("-c", f"import {impl.module}")
    process = [time.perf_counter() - start, children_busy() - busy]
    found: dict[str, list[float]] = json.loads(python(str(FOOTPRINT), impl.module))
    return {**found, "process": process}
