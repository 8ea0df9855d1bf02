"""One implementation of the torch API, and the worker processes that run it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[2]

# Settings of a library that one implementation bundles; they would tilt the comparison.
LEFT_OUT = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


class Failure(Exception):
    """A workload that one implementation did not get through; says how in `kind`."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"{kind}: {reason}")
        self.kind = kind


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process that is measured."""
    kept = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    return {**kept, **changes}


class Worker:
    """A process of worker.py, in a session of its own, with empty temporary and cache folders."""

    def __init__(self, impl: Impl, rank: int, world: int, threads: int | None) -> None:
        folder = tempfile.mkdtemp(dir=impl.scratch)
        env = environment(TMPDIR=folder, XDG_CACHE_HOME=folder, PYTHONPATH=str(ROOT))
        if threads:
            env["OMP_NUM_THREADS"] = str(threads)
        # Held as long as the process; stop() closes it.
        self.log = Path(folder, "log").open("w+", errors="replace")  # noqa: SIM115 - see above
        module = [impl.python, "-m", "tools.bench.worker", impl.module, str(rank), str(world)]
        self.process = subprocess.Popen(
            module,
            env=env,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            start_new_session=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.commands: IO[bytes] = self.process.stdin
        self.answers: IO[bytes] = self.process.stdout

    def send(self, command: dict[str, Any]) -> None:
        """Pass one command on; whether it arrived shows in the reply."""
        try:
            self.commands.write(json.dumps(command).encode() + b"\n")
        except BrokenPipeError:
            pass  # the reply, or rather its absence, will tell

    def receive(self) -> dict[str, Any]:
        """The next reply. Raises Failure when the process has ended instead."""
        line = self.answers.readline()
        if line:
            reply: dict[str, Any] = json.loads(line)
            return reply
        code = self.process.wait()
        self.log.seek(0)
        last = (self.log.read().strip().splitlines() or [""])[-1][:200]
        end = signal.Signals(-code).name if code < 0 else f"exit {code}"
        raise Failure("crashed", f"{end} {last}".strip())

    def stop(self, grace: float) -> None:
        """End the process, and what it started, after `grace` seconds at most."""
        self.commands.close()
        try:
            self.process.wait(grace)
        except subprocess.TimeoutExpired:
            pass  # it had its time
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # all of it has ended
        self.process.wait()
        self.answers.close()
        self.log.close()


class Impl:
    """One implementation, and its worker: two workers, each a rank, for the distributed group."""

    def __init__(self, spec: str, scratch: str, timeout: float) -> None:
        self.name, _, where = spec.partition("=")
        python, _, module = where.partition(":")
        self.python, self.module = python or sys.executable, module or self.name
        self.scratch, self.timeout = scratch, timeout
        self.workers: list[Worker] = []
        self.world = 1
        self.threads: int | None = None
        self.facts: dict[str, Any] = {}

    def restart(self, world: int, threads: int | None) -> None:
        """Start `world` new workers in place of the present ones."""
        self.stop()
        self.world, self.threads, self.facts = world, threads, {}
        self.workers = [Worker(self, rank, world, threads) for rank in range(world)]

    def ready(self) -> None:
        """Wait for the import."""
        if not self.workers:
            self.restart(self.world, self.threads)
        if not self.facts:
            self.facts = self.ask("hello", threads=self.threads)

    def ask(self, do: str, **arguments: Any) -> Any:
        """Have every worker do something; the reply of rank 0. Raises Failure."""
        if do != "hello":
            self.ready()
        try:
            for worker in self.workers:
                worker.send({"do": do, **arguments})
            return self.replies()[0]
        except Failure as failure:
            if failure.kind != "unsupported" or self.world > 1:
                self.stop(grace=0)
            raise

    def replies(self) -> list[Any]:
        """One reply of each worker, by rank. Raises Failure."""
        found: dict[Worker, Any] = {}
        deadline = time.monotonic() + self.timeout
        while len(found) < len(self.workers):
            waiting = {w.answers: w for w in self.workers if w not in found}
            ready, _, _ = select.select(waiting, [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise Failure("hung", f"no reply within {self.timeout:g} s")
            for stream in ready:
                reply = waiting[stream].receive()
                if "error" in reply:
                    raise Failure("unsupported", reply["error"])
                found[waiting[stream]] = reply["ok"]
        return [found[worker] for worker in self.workers]

    def stop(self, grace: float = 5) -> None:
        """End the workers."""
        for worker in self.workers:
            worker.stop(grace)
        self.workers = []
