"""One framework in one process: builds and times workloads as `run.py` tells it to.

usage: python -m tools.bench.worker MODULE RANK WORLD
Commands come on stdin, replies go to stdout, as JSON lines.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib
import json
import os
import sys
import tempfile
import time
import timeit
from typing import Any

from tools.bench import workloads


def timer(target: Any) -> timeit.Timer:
    """A timer of a callable or of (statement, its globals)."""
    if callable(target):
        return timeit.Timer(target)
    statement, names = target
    return timeit.Timer(statement, globals=names)


class Server:
    """What the commands act on."""

    def __init__(self, module: str, rank: int, world: int) -> None:
        self.torch = importlib.import_module(module)
        gc.freeze()  # what the import left need not be looked through between workloads
        self.rank, self.world = rank, world
        self.timers: dict[str, timeit.Timer] = {}
        self.folder: tempfile.TemporaryDirectory[str] | None = None

    def hello(self, threads: int | None) -> dict[str, Any]:
        """Set the number of threads; version and number of threads, None if it can't tell."""
        if threads:
            self.torch.set_num_threads(threads)
        count = getattr(self.torch, "get_num_threads", None)
        version = str(getattr(self.torch, "__version__", "?"))
        return {"version": version, "threads": count() if count else None}

    def load(self, key: str, port: int) -> dict[str, Any]:
        """Build one workload in place of the present one; its facts."""
        self.timers.clear()
        gc.collect()
        self.folder = tempfile.TemporaryDirectory()
        context = workloads.Context(self.folder.name, self.rank, self.world, port)
        case = workloads.WORKLOADS[key](self.torch, context)
        self.timers["run"] = timer(case.run)
        if case.ref:
            self.timers["ref"] = timer(case.ref)
        facts = {f.name: getattr(case, f.name) for f in dataclasses.fields(case)}
        facts["ref"] = case.ref is not None
        del facts["run"]
        return facts

    def time(self, what: str, count: int, warm: int) -> tuple[float, float]:
        """Seconds per call: on the clock, and of processor time over all threads."""
        self.timers[what].timeit(warm)
        busy = time.process_time()
        wall = self.timers[what].timeit(count)
        return wall / count, (time.process_time() - busy) / count

    def drop(self) -> None:
        """Let the present workload go."""
        self.timers.clear()
        if self.folder:
            self.folder.cleanup()
        gc.collect()


def describe(error: Exception) -> dict[str, Any]:
    """The reply that says what went wrong."""
    reason = " ".join(str(error).split())[:200]
    return {"error": f"{type(error).__name__}: {reason}"}


def main(module: str, rank: str, world: str) -> None:
    """Answer commands until stdin ends."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what workloads print must not mix with the replies
    server, reply = None, {}
    try:
        server = Server(module, int(rank), int(world))
    except Exception as error:  # noqa: BLE001 - whatever a framework raises is its result
        reply = describe(error)
    for line in sys.stdin:
        command = json.loads(line)
        if server:  # otherwise the reply stays what it is
            try:
                reply = {"ok": getattr(server, command.pop("do"))(**command)}
            except Exception as error:  # noqa: BLE001 - whatever a framework raises is its result
                reply = describe(error)
        print(json.dumps(reply), file=replies, flush=True)


main(*sys.argv[1:])
