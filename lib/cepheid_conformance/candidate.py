"""The implementation under test, as a child process that answers call scripts."""

from __future__ import annotations

import io
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, cast

from .driver import wire
from .driver.guard import BUILT_ON_VARIABLE
from .facts import Outcome, read_outcome
from .script import Script

_DRIVER = Path(__file__).with_name("driver") / "__main__.py"
PATH_VARIABLE = "CEPHEID_CANDIDATE_PATH"  # where the candidate is imported from, if not installed
_PIECE = 1 << 16
START_TIMEOUT = 120.0
SCRIPT_TIMEOUT = 60.0


class CandidateRefused(RuntimeError):
    """The implementation could not be loaded in its interpreter."""


class Candidate:
    """Starts the driver when first needed, and again after each crash or hang."""

    def __init__(
        self,
        implementation: str,
        python: str = sys.executable,
        timeout: float = SCRIPT_TIMEOUT,
        environment: dict[str, str] | None = None,
        built_on: tuple[str, ...] = (),
    ) -> None:
        self.implementation = implementation
        self.python = python
        self.timeout = timeout
        self.environment = environment or {}
        if built_on:
            self.environment = {BUILT_ON_VARIABLE: " ".join(built_on), **self.environment}
        self.restarts = 0
        self.served = 0  # scripts that were sent: a check that sent none has judged nothing
        self._process: subprocess.Popen[bytes] | None = None
        self._to_driver: io.BufferedWriter | None = None
        self._answers: _Answers | None = None
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  # closed by close()

    def __enter__(self) -> Candidate:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the driver's process."""
        if self._process is not None:
            self._kill()
        self._stderr.close()

    def run(self, scripts: list[Script]) -> list[Outcome]:
        """Run scripts in one round trip. The driver answers script by script, so a death belongs
        to the first script without an answer; the rest runs in a new process."""
        outcomes: list[Outcome] = []
        self.served += len(scripts)
        while len(outcomes) < len(scripts):
            answered, death = self._exchange(scripts[len(outcomes) :])
            outcomes += answered
            if death is not None:
                outcomes.append(Outcome(crash=death))
        return outcomes

    def _exchange(self, scripts: list[Script]) -> tuple[list[Outcome], str | None]:
        """The answers up to the last script or to a death, and how the process died."""
        self._make_ready()
        answered: list[Outcome] = []
        chunks: list[bytes] = []
        place = 0
        steps = []
        for script in scripts:
            steps.append({"steps": script.placed(place)})
            chunks.extend(script.chunks)
            place += script.size
        try:
            token = secrets.token_hex(8)
            batch = {"version": wire.VERSION, "token": token, "scripts": steps}
            wire.send(cast(BinaryIO, self._to_driver), batch, chunks)
            for number in range(len(scripts)):
                header, payload = self._answer(self.timeout)
                if header.get("token") != f"{token} {number}":
                    raise ValueError("its token is not that of the script")
                answered.append(read_outcome(header["result"], payload))
        except (wire.WireClosed, BrokenPipeError):
            return answered, self._bury()
        except (ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
            self._kill()
            return answered, f"crash: what came is no answer of the driver: {error}"
        except TimeoutError:
            self._kill()
            return answered, f"hang: no answer within {self.timeout:.0f} s"
        return answered, None

    def _make_ready(self) -> None:
        """Start the driver unless it runs."""
        if self._process is not None:
            return
        # The judge's own path would let a source folder stand in for the installed candidate.
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        environment |= self.environment
        paths = [environment.get(PATH_VARIABLE), self.environment.get("PYTHONPATH")]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        process = subprocess.Popen(
            [self.python, str(_DRIVER), self.implementation],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,  # a frame waiting in a buffer would be invisible to select
            env=environment,
            start_new_session=True,
        )
        self._process = process
        self._to_driver = io.BufferedWriter(cast(io.RawIOBase, process.stdin))
        self._answers = _Answers(_stream(process.stdout))
        try:
            header, _ = self._answer(START_TIMEOUT)
        except wire.WireClosed:
            raise CandidateRefused(
                f"{self.implementation}: the driver must start; it ended at once under "
                f"{self.python}: {self._bury()}"
            ) from None
        if "refused" in header:
            self._kill()
            raise CandidateRefused(
                f"{self.implementation}: must load under {self.python}; got {header['refused']}"
            )

    def _answer(self, timeout: float) -> tuple[dict[str, Any], memoryview]:
        """One whole frame within a time limit."""
        answers = cast(_Answers, self._answers)
        answers.end = time.monotonic() + timeout
        return wire.receive(answers)

    def _bury(self) -> str:
        """How the process ended, with the last it wrote to standard error."""
        process = cast("subprocess.Popen[bytes]", self._process)
        self._process = None
        self.restarts += 1
        code = process.wait()
        _stream(process.stdout).close()
        _stream(process.stdin).close()
        self._to_driver = self._answers = None
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - 2000))
        tail = self._stderr.read().decode(errors="replace").strip()
        reason = f"crash: {signal.Signals(-code).name}" if code < 0 else f"crash: exit code {code}"
        return f"{reason}; {tail}" if tail else reason

    def _kill(self) -> None:
        process = cast("subprocess.Popen[bytes]", self._process)
        os.killpg(process.pid, signal.SIGKILL)
        self._bury()


class _Answers:
    """The pipe of a driver's answers, read in large pieces. `read` gives what is there, up to its
    size, and ends in time: half a frame is a hang too."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._rest = memoryview(b"")
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN)
        self.end = 0.0  # of time.monotonic()

    def read(self, size: int) -> memoryview:
        if not self._rest:
            seconds = max(0.0, self.end - time.monotonic())
            if not self._poll.poll(seconds * 1000):
                raise TimeoutError
            self._rest = memoryview(self._pipe.read(_PIECE))
        part, self._rest = self._rest[:size], self._rest[size:]
        return part


def _stream(pipe: object) -> BinaryIO:
    return cast(BinaryIO, pipe)
