"""ULP budgets from `tolerances.toml`, and a capability's looser overrides."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from .dtypes import DTYPES

FILE = Path(__file__).with_name("tolerances.toml")


@dataclass(frozen=True)
class Tolerances:
    """Budgets by op, dtype and device; the most specific entry holds."""

    default: float
    by_dtype: dict[str, float]
    entries: tuple[dict[str, Any], ...] = ()
    overrides: tuple[dict[str, Any], ...] = field(default=())
    slope: float = 0.0  # of a gradient against the oracle's slope, relative to its summands
    units: dict[str, float] = field(default_factory=dict)  # of a narrower gradient, by dtype

    def ulp(self, op: str, dtype: str, device: str) -> float:
        """k for one op in one dtype on one device."""
        budget = self.by_dtype.get(dtype, self.default)
        for entry in self.entries:
            if _applies(entry, op, dtype, device):
                budget = float(entry["ulp"])
        return max(budget, self.looser(op, dtype, device))

    def looser(self, op: str, dtype: str, device: str) -> float:
        """What the capability asks for; it alone opens a correctly rounded result."""
        asked = [
            float(entry["ulp"]) for entry in self.overrides if _applies(entry, op, dtype, device)
        ]
        return max(asked, default=0.0)

    def gradient_units(self, dtype: str) -> float:
        """By how many units of the largest one a gradient may be off from that in float64."""
        return self.units[dtype]

    def with_overrides(self, overrides: tuple[dict[str, Any], ...]) -> Tolerances:
        """The same table with a capability's overrides."""
        return replace(self, overrides=overrides)


def _applies(entry: dict[str, Any], op: str, dtype: str, device: str) -> bool:
    return (
        op in entry["op"].split()
        and dtype in entry.get("dtypes", [dtype])
        and entry.get("device", device) == device
    )


@cache
def load(path: Path = FILE) -> Tolerances:
    """Read and check the table."""
    content = tomllib.loads(path.read_text())
    entries = tuple(content.get("entry", ()))
    for entry in entries:
        missing = {"op", "dtypes", "ulp", "owner", "basis"} - set(entry)
        unknown = [name for name in entry.get("dtypes", []) if name not in DTYPES]
        if missing or unknown:
            raise ValueError(f"tolerances: {entry} lacks {sorted(missing)}, unknown {unknown}")
    default, gradient = content["default"], content["gradient"]
    return Tolerances(
        float(default["ulp"]),
        dict(default["dtype"]),
        entries,
        slope=float(gradient["slope"]),
        units=dict(gradient["units"]),
    )
