"""Check kinds that wait for a part of the implementation: number, what they will catch, and which
issue brings them. Their cells are n/a by rule, so that a report shows them rather than a gap."""

from __future__ import annotations

from dataclasses import dataclass

from ..cells import Bench, Cell
from ..op_spec import OpSpec
from .common import Finding


@dataclass(eq=False)
class Place:
    """A registered kind without a check yet."""

    KIND: str
    NUMBER: str
    catches: str
    waits_for: str
    issue: int
    LEVEL: str = "must"
    DEVICES: tuple[str, ...] = ("cpu", "meta")

    def inapplicable(self, spec: OpSpec, dtype: str) -> str | None:
        """Always: the part that it would look at doesn't exist."""
        return f"the op database has no {self.waits_for} yet; issue {self.issue} brings this check"

    def check(self, cell: Cell, bench: Bench) -> list[Finding]:
        """No cell of a place is ever judged."""
        raise NotImplementedError(f"{cell.id}: {self.inapplicable(cell.spec, cell.dtype)}")


PLACES = (
    Place(
        "compile",
        "K26",
        "fusion, constant folding and alias analysis that change a result: eager against "
        "compiled and exported",
        "compiled form",
        8,
    ),
    Place(
        "serializer",
        "K28",
        "silent corruption and unsafe loads: golden files, truncation, bit flips, foreign files",
        "file format",
        6,
    ),
    Place(
        "collectives",
        "K29",
        "deadlock, a wrong root, a lost error: values, world sizes, a killed rank",
        "collective form",
        9,
    ),
)
