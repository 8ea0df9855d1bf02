"""Every float32 and hard float64: a planted fault is found, and what is right passes."""

import math

import mpmath
import numpy as np
import pytest

from cepheid_conformance import hard_points, sweep
from cepheid_conformance.blocks import Judged, judge_values
from cepheid_conformance.capability import Deviation
from cepheid_conformance.cells import Cell
from cepheid_conformance.sweep import Part, patterns, sweep_blocks, sweep_points
from cepheid_conformance.wide import MPMATH

BLOCKS = 1 << 22  # of 1,024 patterns: the fake candidate is plain Python
BOTH = ("float32", "float64")


def judged_float32(bench, exp):
    cell = Cell(exp, "accuracy", "float32", "cpu")
    return sum(sweep_blocks(cell, bench, Part(0, BLOCKS // 2), BLOCKS), Judged())


def judged_float64(bench, exp):
    cell = Cell(exp, "accuracy", "float64", "cpu")
    return sum(sweep_points(cell, bench, hard_points.points("exp")[::100]), Judged())


def test_blocks_hold_every_pattern_once():
    parts = [patterns(block, 1 << 20).view(np.uint32) for block in (0, 5, (1 << 20) - 1)]
    assert [part[1] - part[0] for part in parts] == [1 << 20] * 3
    assert [int(part[0]) for part in parts] == [0, 5, (1 << 20) - 1]
    assert all(part.size == 1 << 12 for part in parts)


def test_parts_of_parts_are_disjoint_and_complete():
    parts = [Part(2, 3).within(job, 2) for job in range(2)]
    blocks = [block for part in parts for block in range(part.first, 60, part.count)]
    assert sorted(blocks) == [*range(2, 60, 3)]


def test_what_is_right_passes(fake_bench, exp):
    judged = judged_float32(fake_bench(), exp)
    assert judged.count == 2048
    assert not judged.findings
    assert judged.worst <= 0.5


def test_one_wrong_value_is_found_with_its_input(fake_bench, exp):
    judged = judged_float32(fake_bench("wrong at one"), exp)
    (found,) = judged.findings
    assert "exp(np.float32(1.0)) [bits 0x3f800000]: values: expected np.float32(2.718" in found
    assert "reproduce:\nimport " in found
    assert judged.known == 0


def deviation(finding):
    return Deviation("special:exp-cpu-float32", finding, "peer_bug", "a reason of some length", "x")


def test_a_known_deviation_explains_its_own_elements_only(fake_bench, exp):
    known = deviation(r"expected np.float32\(2.718\d*\).* got np.float32\(2.0\)")
    judged = judged_float32(fake_bench("wrong at one", deviations=(known,)), exp)
    assert not judged.findings
    assert judged.known == 1
    assert judged.worst <= 0.5
    unlike = fake_bench("wrong at one", deviations=(deviation("got np.float32\\(3.0\\)"),))
    assert len(judged_float32(unlike, exp).findings) == 1


def test_every_wrong_element_is_looked_at(fake_bench, exp):
    cell = Cell(exp, "accuracy", "float32", "cpu")
    values = np.array([1.0, 0.0, 1.0, 1.0, 2.0, 1.0, 1.0] * 40, np.float32)
    known = fake_bench("wrong at one", deviations=(deviation("2.0"),))
    assert judge_values(cell, known, values).known == 200


def test_mpmath_passes_what_is_right(fake_bench, exp):
    judged = judged_float64(fake_bench(dtypes=BOTH), exp)
    assert judged.count > 2000
    assert not judged.findings
    assert judged.worst < 1


def test_mpmath_finds_4_ulp(fake_bench, exp):
    judged = judged_float64(fake_bench("4 ULP", dtypes=BOTH), exp)
    assert judged.findings
    assert judged.worst > 3.4
    assert "values: expected np.float64(" in judged.findings[0]


@pytest.mark.parametrize("name", MPMATH)
def test_hard_points(name):
    values = hard_points.points(name)
    assert values.size >= 100_000
    assert np.isfinite(values).all()
    assert (values < 0).any()
    assert (np.abs(values) < 2.0**-1022).sum() > 1000


def test_middles_are_near_the_middle():
    found = hard_points.middles("exp")
    assert found.size > 500
    for value in found[:50].tolist():
        assert hard_points.from_middle(hard_points.reference("exp", value)) <= 2.0**-12


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1 + mpmath.mpf(2) ** -60, 1.0),
        (mpmath.mpf(2) ** -1075 * 3, 2.0**-1073),  # a tie of subnormals: to even
        (mpmath.mpf(2) ** -1075, 0.0),
        (-(mpmath.mpf(2) ** -1075) * 5, -(2.0**-1073)),
        (mpmath.mpf(2) ** 1024, math.inf),
        (-(mpmath.mpf(10) ** 10000), -math.inf),
        (mpmath.mpf(10) ** -10000, 0.0),
    ],
)
def test_nearest_double(value, expected):
    assert hard_points.nearest(value) == expected


def test_the_reference_is_nan_where_the_function_is():
    wanted = hard_points.expected_at("log", np.array([-1.0, 2.0]), "ulp")
    assert np.isnan(wanted.value).tolist() == [True, False]
    assert float(wanted.value[1]) == math.log(2)


@pytest.mark.parametrize("named", ["frobnicate", "add.Tensor"])
def test_an_op_nobody_knows_is_refused(named, capsys):
    assert sweep.main(["--ops", "exp", named]) == 1
    out = capsys.readouterr().out
    assert f"got {named}" in out
    assert "which are: neg abs exp" in out


@pytest.mark.parametrize("part", ["0/4", "5/4", "1", "1/0", "x/2", "1/5000"])
def test_a_part_that_would_judge_nothing_is_refused(part, capsys):
    with pytest.raises(SystemExit):
        sweep.main(["--part", part])
    assert "K/N" in capsys.readouterr().err


def test_no_value_is_no_pass(monkeypatch, capsys):
    monkeypatch.setattr(sweep, "ProcessPoolExecutor", Nowhere)
    assert sweep.main(["--ops", "exp", "--dtype", "float32"]) == 1
    assert "exp float32: no value was judged" in capsys.readouterr().out


class Nowhere:
    """An executor that gives nothing."""

    def __init__(self, jobs, mp_context):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def map(self, function, tasks):
        return []
