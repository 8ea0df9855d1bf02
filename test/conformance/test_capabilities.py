"""The capability file of the implementation under judgement says nothing idle or untrue."""

import pytest

from cepheid_conformance import checks
from cepheid_conformance.cells import enumerate_cells
from cepheid_conformance.op_spec import load_specs


@pytest.fixture(scope="module")
def all_ids(request):
    claims = request.getfixturevalue("bench").capability
    return {
        (getattr(cell, "cell", cell)).id
        for kind in checks.KINDS
        for cell in enumerate_cells(checks.load(kind), load_specs().values(), claims)
    }


def test_every_deviation_names_a_cell(bench, all_ids):
    idle = [
        pattern
        for deviation in bench.capability.deviations
        for pattern in deviation.cells.split()
        if not any(deviation.covers_by(pattern, cell) for cell in all_ids)
    ]
    assert not idle, f"these patterns match no cell: {idle}"


def test_every_missing_op_is_an_op(bench):
    specs = load_specs()
    known = {spec.key for spec in specs.values()} | {
        f"{spec.key}-{device}-{dtype}"
        for spec in specs.values()
        for device in ("cpu", "meta")
        for dtype in spec.dtypes["cpu"]
    }
    idle = [name for name in bench.capability.missing_ops if name not in known]
    assert not idle, f"no such op: {idle}"


def test_every_tolerance_names_an_op(bench):
    named = {op for entry in bench.capability.tolerances for op in entry["op"].split()}
    assert named <= set(load_specs())


def test_each_kind_has_a_test_file(request):
    folder = request.path.parent / "ops"
    assert sorted(path.stem for path in folder.glob("test_*.py")) == sorted(
        f"test_{kind}" for kind in (*checks.KINDS, "places")
    )


def test_every_number_of_the_design_has_a_kind():
    numbers = {kind.NUMBER for kind in checks.every_kind()}
    assert numbers >= {f"K{number}" for number in range(1, 33)}


def test_at_least_28_kinds_have_a_place_under_names_of_their_own():
    names = [kind.KIND for kind in checks.every_kind()]
    assert len(names) == len(set(names)) >= 28
