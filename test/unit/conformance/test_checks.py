"""Each check kind passes a right candidate and catches the fault that it is there for."""

from dataclasses import replace

import pytest

from cepheid_conformance import checks
from cepheid_conformance.cells import Cell, StaticVerdict, enumerate_cells

# kind, op, dtype, fault, what the finding must be about
PLANTED = [
    ("values", "add", "float32", "wrong formula", "values"),
    ("sizes", "add", "float32", "unwritten tail", "values"),
    ("accuracy", "add", "float32", "inaccurate", "values"),
    ("special", "add", "float32", "lost NaN", "NaN positions"),
    ("dtype", "add", "float32", "float64 result", "dtype"),
    ("dtype", "add", "int32", "saturates", "values"),
    ("promotion", "add", "int32", "first operand's dtype", "dtype"),
    ("shapes", "add", "float32", "rank lost", "shape"),
    ("layouts", "add", "float32", "ignored strides", "values"),
    ("strides", "add", "float32", "odd strides", "strides"),
    ("complex", "add", "complex64", "one is complex", "NaN positions"),
    ("broadcast", "add", "float32", "wrong axis", "values"),
    ("arguments", "add", "float32", "ignored alpha", "values"),
    ("purity", "add", "float32", "input zeroed", "purity"),
    ("freshness", "add", "float32", "one buffer", "freshness"),
    ("replay", "add", "float32", "cached by pointer", "values"),
    ("replay", "rand", "float32", "draws ahead", "values"),
    ("alias", "add", "float32", "returns its input", "alias"),
    ("alias", "t", "float32", "copied view", "alias"),
    ("poison", "add", "float32", "uninitialised", "NaN positions"),
    ("determinism", "add", "float32", "drifts", "determinism"),
    ("determinism", "add", "float32", "shared scratch", "determinism"),
    ("errors", "add", "float32", "unchecked sizes", "error"),
    ("hostile", "add", "float32", "internal error", "error"),
    ("devices", "add", "float32", "mixed devices", "error"),
    ("devices", "add", "float32", "32-bit index", "values"),
    ("memory", "argmax", "float32", "leaks", "leak"),
    ("memory", "add", "float32", "greedy", "peak"),
    ("properties", "add", "float32", "wrong formula", "property"),
    ("order", "argmax", "float32", "last tie", "values"),
    ("variants", "add", "float32", "no-op in-place", "values"),
    ("dependence", "add", "float32", "constant", "values"),
    ("overlap", "add", "float32", "torn overlap", "values"),
    ("overlap", "add", "float32", "repeated out", "error"),
    ("overlap", "add", "float32", "refuses one storage", "error"),
    ("drawn", "add", "float32", "ignored alpha", "values"),
    ("drawn", "argmax", "float32", "last tie", "values"),
    ("values", "add", "float32", "crash", "crash"),
]
# The same for a fake with gradients: kind, fault, what the finding must be about.
OF_GRADIENTS = [
    ("gradient", "wrong gradient", "gradient"),
    ("second_order", "detached", "second order"),
    ("cotangents", "strides ignored in backward", "gradient"),
    ("cotangents", "history for all", "history"),
    ("cotangents", "grad replaced", "gradient"),
    ("vmap", "first slice for all", "values"),
    ("vmap", "stacked in front", "shape"),
    ("vmap", "one cotangent for all", "gradient"),
]
# The fake keeps no layout: for strides only contiguous operands are asked of it. Its lists of
# Python numbers take more memory than any peak allows.
RIGHT = sorted(
    {(kind, op, dtype) for kind, op, dtype, _, _ in PLANTED}
    - {("strides", "add", "float32"), ("memory", "add", "float32")}
    | {("strides", "argmax", "float32"), ("values", "argmax", "int32"), ("shapes", "t", "int32")}
)


@pytest.mark.parametrize(("kind", "op", "dtype"), RIGHT)
def test_a_right_candidate_passes(kind, op, dtype, specs, fake_bench):
    cell = Cell(specs[op], kind, dtype, "cpu")
    assert [str(found) for found in checks.load(kind).check(cell, fake_bench())] == []


@pytest.mark.parametrize(("kind", "op", "dtype", "fault", "what"), PLANTED)
def test_the_planted_fault_is_found(kind, op, dtype, fault, what, specs, fake_bench):
    cell = Cell(specs[op], kind, dtype, "cpu")
    found = checks.load(kind).check(cell, fake_bench(fault))
    assert found
    assert what in {finding.what for finding in found}
    assert all(finding.snippet for finding in found)


def gradient_cell(kind, specs):
    spec = replace(specs["add"], dtypes={"cpu": ("float32", "float64")})
    return Cell(spec, kind, "float64", "cpu")


@pytest.mark.parametrize("kind", sorted({kind for kind, *_ in OF_GRADIENTS}))
def test_right_gradients_pass(kind, specs, fake_bench):
    cell = gradient_cell(kind, specs)
    bench = fake_bench(module="fake_autograd", dtypes=("float64",))
    assert [str(found) for found in checks.load(kind).check(cell, bench)] == []


@pytest.mark.parametrize(("kind", "fault", "what"), OF_GRADIENTS)
def test_the_planted_fault_of_gradients_is_found(kind, fault, what, specs, fake_bench):
    cell = gradient_cell(kind, specs)
    bench = fake_bench(fault, module="fake_autograd", dtypes=("float64",))
    found = checks.load(kind).check(cell, bench)
    assert what in {finding.what for finding in found}
    assert all(finding.snippet for finding in found)


def test_every_kind_is_among_the_planted():
    assert {kind for kind, *_ in (*PLANTED, *OF_GRADIENTS)} == set(checks.KINDS)


def test_a_hang_is_a_result(specs, fake_bench):
    cell = Cell(specs["t"], "values", "float32", "cpu")
    bench = fake_bench("hang", timeout=0.5)
    assert checks.load("values").check(cell, bench) == []
    cell = Cell(specs["add"], "values", "float32", "cpu")
    found = checks.load("values").check(cell, bench)
    assert {finding.what for finding in found} == {"crash"}
    assert "hang" in str(found[0])


def test_the_candidate_lives_on_after_a_crash(specs, fake_bench):
    bench = fake_bench("crash")
    cell = Cell(specs["add"], "values", "float32", "cpu")
    assert checks.load("values").check(cell, bench)
    cell = Cell(specs["t"], "values", "float32", "cpu")
    assert checks.load("values").check(cell, bench) == []
    assert bench.candidate.restarts > 0


def test_no_cell_is_blank(specs, fake_bench):
    bench = fake_bench()
    for kind in checks.KINDS:
        check = checks.load(kind)
        cells = list(enumerate_cells(check, specs.values(), bench.capability))
        assert len(cells) == len(specs) * 2 * 17
        for cell in cells:
            if isinstance(cell, StaticVerdict):
                assert cell.reason
                assert cell.verdict in ("n/a", "unsupported")
