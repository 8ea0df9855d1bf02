"""What the driver reported, as the judge reads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .dtypes import DTYPES, Array, decode
from .tensors import strided


@dataclass(frozen=True, eq=False)
class Result:
    """One value that a call returned. `kind` is "tensor" or the name of a Python type."""

    kind: str
    fields: dict[str, Any]
    raw: memoryview = field(default_factory=lambda: memoryview(b""))

    def __getattr__(self, name: str) -> Any:
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.fields["shape"])

    @property
    def strides(self) -> tuple[int, ...]:
        return tuple(self.fields["strides"])

    def array(self) -> Array:
        """The tensor's values in logical order, as a carrier array."""
        info = DTYPES[self.fields["dtype"]]
        flat = np.frombuffer(self.raw, info.stored)
        if 0 in self.shape:
            return np.empty(self.shape, info.carrier)
        values = decode(np.array(strided(flat, self.shape, self.strides)), info)
        values = np.conj(values) if self.fields.get("conj") else values
        return np.negative(values) if self.fields.get("neg") else values

    def bits(self) -> bytes:
        """The tensor's raw elements in logical order."""
        info = DTYPES[self.fields["dtype"]]
        flat = np.frombuffer(self.raw, info.stored)
        if 0 in self.shape:
            return b""
        return strided(flat, self.shape, self.strides).tobytes()

    def python_value(self) -> Any:
        """A plain result as the Python value it was."""
        value = self.fields["value"]
        if self.kind == "float":
            return float.fromhex(value)
        if self.kind == "complex":
            return complex(*map(float.fromhex, value))
        return value


@dataclass(frozen=True)
class Raised:
    """An exception of the candidate."""

    name: str
    bases: tuple[str, ...]
    message: str


@dataclass(frozen=True, eq=False)
class Report:
    """The outcome of one `call` or `read` step."""

    values: tuple[Result, ...] = ()
    same_as: tuple[int, ...] = ()
    container: str = ""  # the type of what a call returned
    error: Raised | None = None


@dataclass(frozen=True, eq=False)
class InputState:
    """A made storage after the script."""

    changed: bool
    version: int | None  # None: the implementation counts no writes
    storage: int
    raw: memoryview | None


@dataclass(frozen=True, eq=False)
class Outcome:
    """All that one script gave. `crash` says how the process died, if it did."""

    reports: tuple[Report, ...] = ()
    inputs: dict[int, InputState] = field(default_factory=dict)
    trouble: str | None = None
    crash: str | None = None


def read_outcome(entry: dict[str, Any], payload: memoryview) -> Outcome:
    """Decode one script's entry of a driver frame."""

    def piece(place: list[int]) -> memoryview:
        return payload[place[0] : place[0] + place[1]]

    reports = []
    for report in entry["reports"]:
        if "error" in report:
            error = report["error"]
            raised = Raised(error["class"], tuple(error["bases"]), error["message"])
            reports.append(Report(error=raised))
            continue
        values = tuple(
            Result(value["kind"], value, piece(value.get("data", [0, 0])))
            for value in report["values"]
        )
        same_as = tuple(report.get("same_as", ()))
        reports.append(Report(values, same_as, report.get("container", "")))
    inputs = {
        int(key): InputState(
            state["changed"],
            state["version"],
            state["storage"],
            piece(state["data"]) if "data" in state else None,
        )
        for key, state in entry["inputs"].items()
    }
    return Outcome(tuple(reports), inputs, entry["trouble"])
