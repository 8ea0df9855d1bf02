"""Draws: the same for the same seed, inside the domain, small where they fail."""

import numpy as np
import pytest
from hypothesis import strategies as st

from cepheid_conformance.cells import Bench, Cell, Drawing
from cepheid_conformance.checks import drawn as check
from cepheid_conformance.drawn import engine, examples
from cepheid_conformance.drawn.calls import draw_calls
from cepheid_conformance.families import expected_of
from cepheid_conformance.op_spec import load_specs


@st.composite
def five_digits(draw):
    return [draw(st.integers(0, 9)) for _ in range(5)]


def test_the_seed_decides_what_is_drawn():
    first = engine.collect(five_digits(), 7, 20)
    assert first == engine.collect(five_digits(), 7, 20)
    assert first != engine.collect(five_digits(), 8, 20)
    assert len(first) == 20


def test_a_failing_draw_is_shrunk():
    smallest = engine.shrink(five_digits(), 7, 50, lambda digits: sum(digits) > 20)
    assert sum(smallest) == 21


def test_what_does_not_fail_is_not_shrunk():
    assert engine.shrink(five_digits(), 7, 50, lambda digits: sum(digits) > 50) is None


def test_a_failure_that_does_not_repeat_ends_the_shrinking():
    answers = iter([False, True] + [False] * 10_000)
    found = engine.shrink(five_digits(), 7, 50, lambda digits: next(answers))
    assert found is not None


def test_other_sources_are_refused():
    with pytest.raises(NotImplementedError, match="bounded integers"):
        engine.SeededProvider(None).draw_float()


@pytest.mark.parametrize("key", sorted(load_specs()))
def test_every_op_draws_inside_its_domain(key):
    spec = load_specs()[key]
    for dtype in spec.dtypes["cpu"]:
        drawn = draw_calls(spec, dtype, 3, 12)
        valid = [call for call in drawn if call is not None]
        assert len(valid) >= check.LEAST_VALID * len(drawn), dtype
        for call in valid:
            assert expected_of(spec, call.sample) or spec.gives_list


def test_an_op_without_a_strategy_draws_layouts_of_its_samples(specs):
    spec = specs["t"]
    drawn = draw_calls(spec, "float32", 0, 12)
    assert {tensor.layout for call in drawn for tensor in call.sample.tensors()} > {"contiguous"}


def test_few_valid_draws_are_a_finding(specs, fake_bench, monkeypatch):
    monkeypatch.setattr(check, "draw_calls", lambda *args: [None] * 5)
    cell = Cell(specs["add"], "drawn", "float32", "cpu")
    assert [found.what for found in check.check(cell, fake_bench())] == ["valid share"]


def test_an_expected_failure_is_not_shrunk(specs, fake_bench, monkeypatch):
    monkeypatch.setattr(check, "is_known", lambda *args: True)
    monkeypatch.setattr(engine, "shrink", lambda *args: pytest.fail("shrunk"))
    cell = Cell(specs["add"], "drawn", "float32", "cpu")
    assert check.check(cell, fake_bench("wrong formula"))


def test_a_failure_is_shown_on_its_smallest_input(specs, fake_bench):
    cell = Cell(specs["add"], "drawn", "float32", "cpu")
    found = check.check(cell, fake_bench("ignored alpha"))[0]
    assert sum(tensor.data.size for tensor in found.sample.tensors()) <= 2
    assert "assert" in found.snippet


def test_draws_follow_the_bench(specs, fake_bench):
    bench = fake_bench()
    cell = Cell(specs["add"], "drawn", "float32", "cpu")
    few = Bench(bench.candidate, bench.capability, bench.tolerances, Drawing(1, 3))
    check.check(cell, few)
    assert few.candidate.served == 3


def test_the_examples_name_ops_and_arguments():
    specs = load_specs()
    for entry in examples.load():
        for dtype in entry["dtypes"]:
            assert dtype in specs[entry["op"]].dtypes["cpu"]
            assert examples.examples_of(specs[entry["op"]], dtype)


def test_an_example_without_a_reason_is_refused(tmp_path):
    file = tmp_path / "examples.toml"
    file.write_text('[[example]]\nop = "neg"\ndtypes = ["float32"]\nwhy = ""\nargs.self = 1\n')
    with pytest.raises(ValueError, match="an example has"):
        examples.load(file)


def test_an_example_holds_what_toml_lacks():
    tensor = examples._tensor({"values": ["nan", "-0.0", 1], "shape": [3, 1]}, "float32")
    assert np.isnan(tensor.data[0, 0])
    assert np.signbit(tensor.data[1, 0])
