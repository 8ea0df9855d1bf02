"""The cells of one op, those first in which a mutant is likely to show."""

from __future__ import annotations

from collections.abc import Sequence

from cepheid_conformance.capability import Capability
from cepheid_conformance.cells import Cell, Check, StaticVerdict, enumerate_cells
from cepheid_conformance.checks import KINDS, load
from cepheid_conformance.op_spec import OpSpec
from cepheid_mutants import Mutant

# Cheap and telling first: what a plain call shows, then layouts and state, then the long ones.
_CHECKS = (
    "values shapes dtype special arguments strides alias purity freshness replay variants errors "
    "order promotion broadcast layouts overlap dependence poison sizes accuracy determinism"
).split()
_DTYPES = (
    "float32 int64 float64 complex64 bfloat16 float16 bool int32 uint8 int8 int16 complex128"
).split()
_FIRST_DTYPES = 2

CheckedCell = tuple[Check, Cell]


def cells_of(spec: OpSpec, capability: Capability) -> list[CheckedCell]:
    """Every cell of one op that needs a run, with its check."""
    return [
        (check, cell)
        for check in map(load, KINDS)
        for cell in enumerate_cells(check, [spec], capability)
        if not isinstance(cell, StaticVerdict)
    ]


def in_order(cells: Sequence[CheckedCell], mutant: Mutant) -> list[CheckedCell]:
    """The cells in the order in which a mutant is judged."""
    dtypes = _ranks([*mutant.dtypes, *_DTYPES], {cell.dtype for _, cell in cells})
    checks = _ranks([*mutant.checks, *_CHECKS], {check.KIND for check, _ in cells})
    hinted = set(mutant.checks)

    def key(item: CheckedCell) -> tuple[int, int, int, bool]:
        check, cell = item
        near = dtypes[cell.dtype] < _FIRST_DTYPES
        tier = 0 if check.KIND in hinted and near else 1 if near else 2
        if check.KIND in hinted and not near:
            tier = 1
        return tier, checks[check.KIND], dtypes[cell.dtype], cell.device != "cpu"

    return sorted(cells, key=key)


def _ranks(preferred: Sequence[str], present: set[str]) -> dict[str, int]:
    """Places of the names that exist: the preferred in their order, then the rest."""
    ordered = [name for name in dict.fromkeys(preferred) if name in present]
    ordered += sorted(present - set(ordered))
    return {name: place for place, name in enumerate(ordered)}
