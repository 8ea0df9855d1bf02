"""Conformance cells by their test ids, and sets of them that a change may reach."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TEST = re.compile(r"test/conformance/ops/test_(\w+)\.py::\w+\[(.+)-(\w+)-(\w+)\]")


@dataclass(frozen=True, order=True)
class CellName:
    """What a test id of the suite says about its cell."""

    kind: str
    op: str
    device: str
    dtype: str

    @classmethod
    def of_test(cls, test: str) -> CellName | None:
        """None for a test that judges no cell."""
        found = _TEST.fullmatch(test)
        return cls(*found.groups()) if found else None

    @classmethod
    def of_cell(cls, cell: str) -> CellName:
        """From `kind:op-device-dtype`."""
        kind, _, rest = cell.partition(":")
        return cls(kind, *rest.rsplit("-", 2))

    @property
    def id(self) -> str:
        """As the judge names the cell."""
        return f"{self.kind}:{self.op}-{self.device}-{self.dtype}"

    @property
    def test(self) -> str:
        """The id of the test that judges the cell."""
        file = f"test/conformance/ops/test_{self.kind}.py"
        return f"{file}::test_{self.kind}[{self.op}-{self.device}-{self.dtype}]"


@dataclass(frozen=True)
class Pattern:
    """Cells with one of `pairs` (op, kind), `ops`, `kinds` and `dtypes` each; None is any."""

    pairs: frozenset[tuple[str, str]] | None = None
    ops: frozenset[str] | None = None
    kinds: frozenset[str] | None = None
    dtypes: frozenset[str] | None = None

    def has(self, cell: CellName) -> bool:
        """Whether the cell is one of these."""
        return (
            (self.pairs is None or (cell.op, cell.kind) in self.pairs)
            and (self.ops is None or cell.op in self.ops)
            and (self.kinds is None or cell.kind in self.kinds)
            and (self.dtypes is None or cell.dtype in self.dtypes)
        )


EVERY_CELL = Pattern()
