"""A candidate that becomes one mutant after another: its driver forks a child for each."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import Any, BinaryIO, cast

from cepheid_conformance.candidate import Candidate
from cepheid_conformance.driver import wire


class MutantCandidate(Candidate):
    """Runs scripts as the mutant it was told to become, in a forked child of a warm driver."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._mutant: str | None = None
        self._forked = False
        self._ended: int | None = None

    def __enter__(self) -> MutantCandidate:
        return self

    def become(self, mutant: str) -> None:
        """From now on be this mutant, afresh."""
        self.end()
        self._mutant = mutant

    def end(self) -> None:
        """Be the implementation itself again."""
        self._mutant = None
        if self._forked:
            super()._make_ready()
            self._forked = False
            self._tell({"mutant": None})
            self._hear("ended")

    def reached(self) -> bytes:
        """One byte for each mutation site: whether it was reached since the last call."""
        self._make_ready()
        self._tell({"reached": True})
        _, payload = self._answer(self.timeout)
        return bytes(payload)

    def _make_ready(self) -> None:
        super()._make_ready()
        if self._mutant is not None and not self._forked:
            self._tell({"mutant": self._mutant})
            self._hear("ready")
            self._forked = True

    def _answer(self, timeout: float) -> tuple[dict[str, Any], memoryview]:
        header, payload = super()._answer(timeout)
        if "ended" in header and self._forked:
            self._ended = header["ended"]
            raise wire.WireClosed
        return header, payload

    def _bury(self) -> str:
        """When the child died, the driver goes too: it may hold frames that nobody waits for."""
        process = cast("subprocess.Popen[bytes]", self._process)
        self._forked = False
        ended, self._ended = self._ended, None
        if ended is None:
            return super()._bury()
        os.killpg(process.pid, signal.SIGKILL)
        super()._bury()
        name = signal.Signals(-ended).name if ended < 0 else f"exit code {ended}"
        return f"crash: {name}"

    def _tell(self, header: dict[str, Any]) -> None:
        wire.send(cast(BinaryIO, self._to_driver), {"version": wire.VERSION, **header})

    def _hear(self, expected: str) -> None:
        header, _ = super()._answer(self.timeout)
        if expected not in header:
            raise RuntimeError(f"mutants: the driver must answer {expected!r}; got {header}")
