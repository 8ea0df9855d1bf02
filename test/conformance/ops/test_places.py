"""K19-K22, K26, K28, K29: kinds that wait for a part. Each of their cells has its reason."""

import pytest

from cepheid_conformance.cells import NOT_APPLICABLE, StaticVerdict, enumerate_cells
from cepheid_conformance.checks import PLACES
from cepheid_conformance.op_spec import load_specs


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.KIND)
def test_every_cell_of_a_place_has_its_reason(place, static_cells, claims):
    cells = list(enumerate_cells(place, load_specs().values(), claims))
    assert all(isinstance(cell, StaticVerdict) for cell in cells)
    assert {cell.verdict for cell in cells} == {NOT_APPLICABLE}
    assert any(f"issue {place.issue} brings this check" in cell.reason for cell in cells)
    static_cells(place, cells)
