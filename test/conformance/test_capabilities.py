"""The capability file of the implementation under judgement says nothing idle or untrue."""

import pytest

from cepheid_conformance import checks
from cepheid_conformance.cells import StaticVerdict, enumerate_cells
from cepheid_conformance.op_spec import load_specs


@pytest.fixture(scope="module")
def judged_ids(request):
    """Cells that run: a deviation of one that a rule decides could never show."""
    claims = request.getfixturevalue("bench").capability
    return {
        cell.id
        for kind in checks.KINDS
        for cell in enumerate_cells(checks.load(kind), load_specs().values(), claims)
        if not isinstance(cell, StaticVerdict)
    }


def test_every_deviation_names_a_cell(bench, judged_ids):
    idle = [
        pattern
        for deviation in bench.capability.deviations
        for pattern in deviation.cells.split()
        if not any(deviation.covers_by(pattern, cell) for cell in judged_ids)
    ]
    assert not idle, f"these patterns match no cell that is judged: {idle}"


def test_no_deviation_is_expired(bench):
    expired = [
        f"{deviation.cells} {deviation.issue}: until {deviation.expires}"
        for deviation in bench.capability.deviations
        if deviation.is_expired
    ]
    assert not expired


def test_every_missing_op_is_an_op(bench):
    specs = load_specs()
    claims = bench.capability
    known = {spec.key for spec in specs.values()} | {
        f"{spec.key}-{device}-{dtype}"
        for spec in specs.values()
        for device in claims.devices
        for dtype in spec.dtypes["cpu"]
        if dtype in claims.dtypes
    }
    idle = [name for name in claims.missing_ops if name not in known]
    assert not idle, f"no such op: {idle}"


def test_every_tolerance_names_an_op(bench):
    specs = load_specs()
    named = {op for entry in bench.capability.tolerances for op in entry["op"].split()}
    assert named <= set(specs)
    idle = [
        f"{op} {dtype}"
        for entry in bench.capability.tolerances
        for op in entry["op"].split()
        for dtype in entry.get("dtypes", ())
        if dtype not in specs[op].dtypes["cpu"]
    ]
    assert not idle, f"the op has no such dtype: {idle}"


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
