"""Flow 9, recorded: one JSON line a stage, in the file that CEPHEID_TRACE_FILE names."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

FLOW_NUMBER = 9
FLOW = (
    "generator run by CMake",
    "op yaml and tags parsed",
    "selective build",
    "headers",
    "sources",
    "registrations",
    "C shim",
)
ENVIRONMENT_VARIABLE = "CEPHEID_TRACE_FILE"


class Trace:
    """Appends stages to a file; does nothing where no file is named."""

    def __init__(self, path: str | None) -> None:
        self._path = path

    @staticmethod
    def from_environment() -> Trace:
        """The trace that the environment asks for."""
        return Trace(os.environ.get(ENVIRONMENT_VARIABLE))

    def done(self, stage: str) -> None:
        """A stage that has run."""
        self._record(stage, "done", None)

    def absent(self, stage: str, reason: str) -> None:
        """A stage that this run hasn't got, and why."""
        self._record(stage, "absent", reason)

    def _record(self, stage: str, status: str, reason: str | None) -> None:
        if stage not in FLOW:
            raise ValueError(f"trace: unknown stage '{stage}'; stages are {', '.join(FLOW)}")
        if not self._path:
            return
        record = {
            "flow": FLOW_NUMBER,
            "stage": stage,
            "status": status,
            "reason": reason,
            "t": time.time(),
            "pid": os.getpid(),
        }
        with Path(self._path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
