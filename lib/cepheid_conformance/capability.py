"""Capability files: what an implementation claims, and its known deviations."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from .dtypes import DTYPES
from .op_spec import OpSpec

FOLDER = Path(__file__).with_name("capabilities")


@dataclass(frozen=True)
class Deviation:
    """A known deviation: cells by pattern, and which of their findings it explains."""

    cells: str
    finding: str
    kind: str  # peer_bug, or gap (declared, to be closed)
    reason: str
    reference: str

    def covers(self, cell_id: str) -> bool:
        """Whether the deviation speaks of this cell."""
        return any(self.covers_by(pattern, cell_id) for pattern in self.cells.split())

    @staticmethod
    def covers_by(pattern: str, cell_id: str) -> bool:
        """Whether one pattern matches a cell."""
        return fnmatchcase(cell_id, pattern)

    def explains(self, finding: str) -> bool:
        """Whether it explains this finding."""
        return re.search(self.finding, finding) is not None


@dataclass(frozen=True)
class Capability:
    """One implementation's file."""

    implementation: str
    wording: bool
    devices: tuple[str, ...]
    dtypes: tuple[str, ...]
    missing_ops: dict[str, str]
    tolerances: tuple[dict[str, Any], ...]
    deviations: tuple[Deviation, ...]

    def unsupported(self, spec: OpSpec, dtype: str, device: str) -> str | None:
        """The declared reason why this op, dtype or device is absent, or None."""
        if device not in self.devices:
            return f"{self.implementation} declares no device {device}"
        if dtype not in self.dtypes:
            return f"{self.implementation} declares no dtype {dtype}"
        for pattern in (spec.key, f"{spec.key}-{device}-{dtype}"):
            if pattern in self.missing_ops:
                return self.missing_ops[pattern]
        return None

    def deviations_of(self, cell_id: str) -> list[Deviation]:
        """The deviations that speak of a cell."""
        return [deviation for deviation in self.deviations if deviation.covers(cell_id)]


def find(implementation: str, path: str | None = None) -> Path:
    """The capability file: `path`, or the one named after the implementation's package."""
    if path:
        return Path(path)
    file = FOLDER / f"{implementation.partition(':')[0]}.toml"
    if not file.exists():
        raise FileNotFoundError(
            f"capability: {implementation} must have a capability file; looked at {file}; "
            "give one with --capabilities"
        )
    return file


def load(path: Path) -> Capability:
    """Read and check a capability file."""
    content = tomllib.loads(path.read_text())
    unknown = [name for name in content["dtypes"] if name not in DTYPES]
    if unknown:
        raise ValueError(f"{path.name}: dtypes must be known; got {unknown}; see dtypes.py")
    for entry in content.get("tolerance", ()):
        if len(entry.get("reason", "")) < 20:
            raise ValueError(f"{path.name}: a looser tolerance needs a reason; got {entry}")
    return Capability(
        content["implementation"],
        content.get("wording", False),
        tuple(content["devices"]),
        tuple(content["dtypes"]),
        {entry["op"]: entry["reason"] for entry in content.get("missing", ())},
        tuple(content.get("tolerance", ())),
        tuple(_deviation(path, entry) for entry in content.get("deviation", ())),
    )


def _deviation(path: Path, entry: dict[str, Any]) -> Deviation:
    deviation = Deviation(**entry)
    if deviation.kind not in ("peer_bug", "gap") or len(deviation.reason) < 20:
        raise ValueError(f"{path.name}: a deviation needs a kind and a reason; got {entry}")
    re.compile(deviation.finding)
    return deviation
