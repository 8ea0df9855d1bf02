"""Verdicts, capability files, promotion, wide functions, snippets, the op database."""

import contextlib
import dataclasses
import datetime
import io
import json
import math
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from cepheid_conformance import capability, checks, op_spec, promotion, wide
from cepheid_conformance.capability import Deviation
from cepheid_conformance.cells import Cell, enumerate_cells
from cepheid_conformance.checks import load as load_check
from cepheid_conformance.checks.common import Finding
from cepheid_conformance.doors import encode_call
from cepheid_conformance.op_spec import find_schemas, load_specs
from cepheid_conformance.sample import Draw, Sample
from cepheid_conformance.samples.common import special_values
from cepheid_conformance.script import Ref, Script
from cepheid_conformance.snippet import snippet
from cepheid_conformance.tensors import Tensor, outside_unchanged
from cepheid_conformance.verdict import judge_cell


def deviation(cells="values:add*", finding="values", reason="x" * 30):
    return Deviation(cells, finding, "peer_bug", reason, "see the documentation")


def verdict(specs, bench, kind="values"):
    return judge_cell(load_check(kind), Cell(specs["add"], kind, "float32", "cpu"), bench)


def test_a_known_deviation_is_an_expected_failure(specs, fake_bench):
    bench = fake_bench("wrong formula", deviations=(deviation(),))
    assert verdict(specs, bench).verdict == "xfail"


@pytest.mark.parametrize(("days", "expected"), [(0, "xfail"), (-1, "fail")])
def test_an_expired_deviation_explains_nothing(specs, fake_bench, days, expected):
    day = datetime.date.today() + datetime.timedelta(days)
    known = dataclasses.replace(deviation(), expires=day)
    assert verdict(specs, fake_bench("wrong formula", deviations=(known,))).verdict == expected


def test_a_deviation_explains_only_its_own_findings(specs, fake_bench):
    bench = fake_bench("wrong formula", deviations=(deviation(finding="NaN positions"),))
    outcome = verdict(specs, bench)
    assert outcome.verdict == "fail"
    assert "add.Tensor" in outcome.reason
    assert "import torch" in outcome.reason


def test_an_unexpected_pass_fails(specs, fake_bench):
    outcome = verdict(specs, fake_bench(deviations=(deviation(),)))
    assert outcome.verdict == "fail"
    assert "unexpected pass" in outcome.reason


def test_a_check_that_runs_nothing_fails(specs, fake_bench):
    check = SimpleNamespace(KIND="values", NUMBER="K1", check=lambda cell, bench: [])
    outcome = judge_cell(check, Cell(specs["add"], "values", "float32", "cpu"), fake_bench())
    assert outcome.verdict == "fail"
    assert "nothing to run" in outcome.reason


def test_a_deviation_of_another_cell_is_idle(specs, fake_bench):
    bench = fake_bench(deviations=(deviation(cells="sizes:add*"),))
    assert verdict(specs, bench).verdict == "pass"


def test_a_looser_tolerance_opens_its_op_only(specs, fake_bench):
    bench = fake_bench("inaccurate")
    assert verdict(specs, bench).verdict == "fail"
    looser = ({"op": "add.Tensor", "dtypes": ["float32"], "ulp": 20.0, "reason": "x" * 30},)
    opened = type(bench)(bench.candidate, bench.capability, bench.tolerances.with_overrides(looser))
    assert verdict(specs, opened).verdict == "pass"
    assert verdict(specs, opened).reason == "looser tolerance: 20 ULP"  # what the report counts


def with_level(bench, **levels):
    claims = dataclasses.replace(bench.capability, level=levels.pop("claimed", "may"))
    return dataclasses.replace(bench, capability=claims, **levels)


@pytest.mark.parametrize("levels", [{"claimed": "must"}, {"level": "must"}])
def test_cells_beyond_the_level_are_not_judged(specs, fake_bench, levels):
    bench = with_level(fake_bench(), **levels)
    found = {}
    for kind in ("values", "strides"):
        cells = enumerate_cells(
            load_check(kind), [specs["add"]], bench.capability, levels.get("level", "may")
        )
        cell = next(item for item in cells if getattr(item, "cell", item).dtype == "float32")
        found[kind] = (getattr(cell, "verdict", ""), getattr(cell, "reason", ""))
    said = (
        ("n/a", "this run asks for must only")
        if "level" in levels
        else ("unsupported", "fake_torch claims less")
    )
    assert found["values"] == ("", "")
    assert found["strides"] == (said[0], f"strides is a should; {said[1]}")


@pytest.mark.parametrize(
    ("what", "levels", "expected"),
    [
        ("class", {}, "fail"),
        ("class", {"level": "should"}, "fail"),
        ("class", {"level": "must"}, "pass"),
        ("class", {"claimed": "must"}, "pass"),
        ("wording", {}, "fail"),
        ("wording", {"level": "should"}, "pass"),
        ("error", {"claimed": "must"}, "fail"),
    ],
)
def test_the_class_and_the_words_of_an_error_are_less_than_the_error(
    specs, fake_bench, monkeypatch, what, levels, expected
):
    check, bench = load_check("errors"), with_level(fake_bench(), **levels)

    def judged(cell, bench):
        load_check("values").check(Cell(specs["add"], "values", "float32", "cpu"), bench)
        return [Finding(what, Sample({}), "not as it is asked")]

    monkeypatch.setattr(check, "check", judged)
    outcome = judge_cell(check, Cell(specs["add"], "errors", "float32", "cpu"), bench)
    assert outcome.verdict == expected


def test_a_deviation_beyond_the_level_still_shows(specs, fake_bench, monkeypatch):
    known = deviation(cells="errors:*", finding="not as")
    check, bench = load_check("errors"), with_level(fake_bench(deviations=(known,)), level="must")

    def judged(cell, bench):
        load_check("values").check(Cell(specs["add"], "values", "float32", "cpu"), bench)
        return [Finding("class", Sample({}), "not as it is asked")]

    monkeypatch.setattr(check, "check", judged)
    outcome = judge_cell(check, Cell(specs["add"], "errors", "float32", "cpu"), bench)
    assert outcome.verdict == "xfail"


def test_every_kind_has_a_level():
    kinds = checks.every_kind()
    assert {kind.LEVEL for kind in kinds} <= set(capability.LEVELS)
    found = {kind.LEVEL for kind in kinds}
    found |= {level for kind in kinds for level in getattr(kind, "FINDING_LEVELS", {}).values()}
    assert found == set(capability.LEVELS)  # none is empty


def test_a_level_in_a_capability_file(tmp_path):
    head = 'implementation = "x"\ndevices = ["cpu"]\ndtypes = ["float32"]\n'
    file = tmp_path / "x.toml"
    for text, level in (("", "may"), ('level = "must"', "must")):
        file.write_text(head + text)
        assert capability.load(file).level == level
    file.write_text(head + 'level = "shall"')
    with pytest.raises(ValueError, match="level must be one of"):
        capability.load(file)


@pytest.mark.parametrize("name", ["cepheid", "torch"])
def test_the_shipped_capability_files_load(name):
    claims = capability.load(capability.find(name))
    assert claims.implementation == name
    assert claims.devices == ("cpu", "meta")


@pytest.mark.parametrize(
    "text",
    [
        '[[deviation]]\ncells = "a"\nfinding = ""\nkind = "whim"\nreason = "%s"\nreference = ""',
        '[[deviation]]\ncells = ""\nfinding = ""\nkind = "peer_bug"\nreason = ""\nreference = ""',
        '[[tolerance]]\nop = "add"\nulp = 4\nreason = ""',
        '[[missing]]\nop = "add"',
        '[[deviation]]\ncells = "a"\nfinding = ""\nkind = "gap"\nreason = "%s"\nreference = ""\n'
        'expires = "reason"',
        '[[missing]]\nop = "add"\nreason = "no"',
    ],
)
def test_a_capability_file_without_reasons_is_refused(text, tmp_path):
    head = 'implementation = "x"\ndevices = ["cpu"]\ndtypes = ["float32"]\n'
    file = tmp_path / "x.toml"
    file.write_text(head + text.replace("%s", "r" * 30))
    with pytest.raises(ValueError, match="reason"):
        capability.load(file)


def test_an_unknown_dtype_in_a_capability_file_is_refused(tmp_path):
    file = tmp_path / "x.toml"
    file.write_text('implementation = "x"\ndevices = ["cpu"]\ndtypes = ["float33"]\n')
    with pytest.raises(ValueError, match="float33"):
        capability.load(file)


@pytest.mark.parametrize(
    "text",
    [
        'feature = ["conj"]',
        '[[mising]]\nop = "add"\nreason = "no kernel of that name yet"',
        '[[tolerance]]\nop = "add"\nulp = 4\ndtype = ["float16"]\nreason = "a vector library"',
    ],
)
def test_a_name_that_would_be_overlooked_is_refused(text, tmp_path):
    file = tmp_path / "x.toml"
    file.write_text(f'implementation = "x"\ndevices = ["cpu"]\ndtypes = ["float32"]\n{text}')
    with pytest.raises(ValueError, match=r"mising|feature|dtype"):
        capability.load(file)


def test_an_unnamed_implementation_needs_a_file():
    with pytest.raises(FileNotFoundError, match="--capabilities"):
        capability.find("nobody:factory")


@pytest.mark.parametrize(
    ("operands", "wanted"),
    [
        (("int32", "float16"), "float16"),
        (("uint8", "int8"), "int16"),
        (("float16", "bfloat16"), "float32"),
        (("bool", "uint8"), "uint8"),
        (("float64", "complex64"), "complex128"),
        (("int64", "complex64"), "complex64"),
    ],
)
def test_promotion_of_dtypes(operands, wanted):
    assert promotion.promote_types(*operands) == wanted
    assert promotion.promote_types(*reversed(operands)) == wanted


def tensor(dtype, *shape):
    return Tensor(dtype, np.zeros(shape, Tensor(dtype, np.empty(0)).info.carrier))


@pytest.mark.parametrize(
    ("operands", "wanted"),
    [
        ((tensor("float16", 2), tensor("float64")), "float16"),
        ((tensor("int32", 2), tensor("float64")), "float64"),
        ((tensor("int8", 2), 3), "int8"),
        ((tensor("int8", 2), 3.0), "float32"),
        ((tensor("float16", 2), 3.0), "float16"),
        ((tensor("bool", 2), 3), "int64"),
        ((tensor("float64", 2), 1j), "complex128"),
        ((tensor("int8"), tensor("int32")), "int32"),
    ],
)
def test_result_type(operands, wanted):
    assert promotion.result_type(operands) == wanted


def test_no_promotion_of_wide_unsigned_integers():
    with pytest.raises(promotion.NoPromotion):
        promotion.promote_types("uint16", "int32")


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "tanh", "sigmoid"])
def test_the_wide_functions_agree_with_mpmath(name):
    points = np.array([1e-300, 1e-10, 0.3, 1.0, 1 + 2**-40, 2.5, 30.0, 700.0], np.longdouble)
    fast, slow = wide.evaluate(name, points), wide.by_mpmath(name, points)
    assert np.all(np.abs(fast - slow) <= 2**-60 * np.abs(slow))


def run(text):
    """Run a snippet on the fake; what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(text, {})
    return printed.getvalue()


def test_a_snippet_reproduces_the_call(specs, monkeypatch):
    shown = []
    stand_in = type(sys)("torch")
    stand_in.float32 = "float32"
    stand_in.tensor = lambda values, dtype: values
    stand_in.add = lambda *args, **kwargs: shown.append((args, kwargs))
    monkeypatch.setitem(sys.modules, "torch", stand_in)
    values = {
        "self": Tensor("float32", np.array([1.5, np.nan, -np.inf], np.float32)),
        "other": Tensor("float32", np.array([-0.0, 2.0, 3.0], np.float32)),
        "alpha": 2,
    }
    script = Script()
    call = encode_call(script, specs["add"], Sample(values))
    script.call(call.via, call.name, call.args, call.kwargs)
    run(snippet(script))
    ((args, kwargs),) = shown
    assert kwargs == {"alpha": 2}
    assert args[0][0] == 1.5
    assert math.isnan(args[0][1])
    assert args[0][2] == -math.inf
    assert math.copysign(1, args[1][0]) == -1


def test_a_long_tensor_is_printed_by_its_bytes():
    script = Script()
    script.tensor(Tensor("float32", np.arange(100, dtype=np.float32).reshape(20, 5)))
    text = snippet(script)
    assert "frombuffer" in text
    assert "as_strided((20, 5), (5, 1), 0)" in text


def test_a_snippet_shows_every_step(specs):
    script = Script()
    first = Tensor("float32", np.ones(2, np.float32), offset=1)
    base = script.tensor(first)
    script.tensor(first.replaced(first.data), base=base)
    script.write(base, first)
    script.seed(3)
    script.poison([8], 255)
    generator = script.encode(5, "Generator")
    result = script.call("operator", "getitem", [{"t": base}, script.encode((slice(1), ...))])
    script.call("method", "normal_", [{"t": base}], {"generator": generator})
    script.read(Ref(result, 0))
    text = snippet(script)
    for line in (
        "t1 = s0.as_strided((2,), (1,), 1)",
        "s0.copy_(torch.tensor(",
        "torch.manual_seed(3)",
        "torch.full((n,), 255, dtype=torch.uint8)",
        "r2 = torch.Generator().manual_seed(5)",
        "r3 = operator.getitem(t0, (slice(None, 1, None), ..., ))",
        "r4 = t0.normal_(generator=r2)",
        "print(r3[0])",
    ):
        assert line in text, text


def test_bytes_beside_a_view_are_seen():
    view = Tensor("int32", np.array([1, 2], np.int32), strides=(2,), offset=1, extra=1)
    storage = bytearray(view.storage_bytes())
    storage[4:8] = (9).to_bytes(4, "little")
    assert outside_unchanged(view, bytes(storage))
    storage[8:12] = (9).to_bytes(4, "little")
    assert not outside_unchanged(view, bytes(storage))


def test_draws_are_the_same_on_every_run(specs):
    first = Draw(specs["add"], "float32", "small").tensor((5,))
    again = Draw(specs["add"], "float32", "small").tensor((5,))
    other = Draw(specs["add"], "float32", "sizes").tensor((5,))
    assert np.array_equal(first.data, again.data)
    assert not np.array_equal(first.data, other.data)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_special_values_hold_every_edge(name):
    values = special_values(Tensor(name, np.empty(0)).info).astype(np.float64)
    assert np.isnan(values).any()
    assert {np.inf, -np.inf} <= set(values)
    zeros = np.signbit(values[values == 0])
    assert zeros.any()
    assert not zeros.all()


def test_an_undeclared_missing_op_fails(specs, fake_bench):
    absent = dataclasses.replace(specs["t"], name="neg", family="pointwise", oracle="neg")
    absent = dataclasses.replace(absent, samples="unary", tags=frozenset())
    cell = Cell(absent, "values", "float32", "cpu")
    outcome = judge_cell(load_check("values"), cell, fake_bench())
    assert outcome.verdict == "fail"
    assert "AttributeError" in outcome.reason


def test_a_declared_missing_op_is_unsupported(specs, fake_bench):
    bench = fake_bench(missing_ops={"t": "it has no transpose"})
    cells = enumerate_cells(load_check("values"), [specs["t"]], bench.capability)
    given = {getattr(cell, "reason", None) for cell in cells}
    assert "it has no transpose" in given
    assert None not in given


def test_installed_schemas_come_before_selections(monkeypatch, tmp_path):
    for number, folder in enumerate(("cp311-cp311-linux_x86_64", "selection")):
        file = tmp_path / "build" / folder / "generated" / "schemas.json"
        file.parent.mkdir(parents=True)
        file.write_text("{}")
        os.utime(file, (number, number))
    monkeypatch.delenv("CEPHEID_SCHEMAS", raising=False)
    monkeypatch.setattr(op_spec, "__file__", str(tmp_path / "lib" / "judge" / "op_spec.py"))
    assert find_schemas().parts[-3] == "cp311-cp311-linux_x86_64"


def test_schemas_are_found_where_the_variable_says(monkeypatch, tmp_path):
    file = tmp_path / "schemas.json"
    monkeypatch.setenv("CEPHEID_SCHEMAS", str(file))
    assert find_schemas() == file
    file.write_text(json.dumps({"format": 99, "ops": []}))
    with pytest.raises(ValueError, match="format"):
        load_specs(file)
