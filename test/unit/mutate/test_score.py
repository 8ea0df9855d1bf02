"""The score: what counts, what an equivalent mutant needs, what the record is compared with."""

import collections

import pytest

from cepheid_conformance.op_spec import load_specs
from tools.mutate import gate, score
from tools.mutate.gate import choose
from tools.mutate.rewrite import Site
from tools.mutate.run import KILLED, SURVIVED, UNREACHED, Result


def site(key, how="instead", fault="value", file="csrc/kernels/cpu/sort.cpp"):
    return Site(key, 0, fault, "boundary", file, "f", 3, "a < b", "a <= b", how)


def result(key, verdict, ops=("sort",)):
    by = "values:sort-cpu-float32" if verdict == KILLED else ""
    return Result(key, verdict, by, by.partition(":")[0], "", 0.1, 1, 1, ops)


def entries(*verdicts):
    sites = [site(f"k{i}") for i in range(len(verdicts))]
    results = {f"k{i}": result(f"k{i}", verdict) for i, verdict in enumerate(verdicts)}
    return score.source_entries(sites, results, {})


def test_what_lives_or_is_never_reached_counts_against():
    tally = score.tally(entries(KILLED, KILLED, SURVIVED, UNREACHED))
    assert (tally.killed, tally.counted, tally.score) == (2, 4, 0.5)


def test_a_value_whose_type_has_no_such_mutant_is_none():
    found = score.source_entries(
        [site("a", how="through"), site("b")],
        {"a": result("a", UNREACHED), "b": result("b", UNREACHED)},
        {},
    )
    assert [entry["id"] for entry in found] == ["b"]


def test_equivalent_mutants_count_neither_way():
    found = score.source_entries([site("a")], {"a": result("a", SURVIVED)}, {"a": "speed: why"})
    assert score.tally(found) == score.Tally(0, 0, 1)


@pytest.mark.parametrize(
    ("verdict", "named"), [(KILLED, "a"), (SURVIVED, "gone")], ids=["killed", "not in the build"]
)
def test_an_entry_that_explains_nothing_is_refused(verdict, named):
    with pytest.raises(score.ScoreError, match=r"equivalent\.toml must name mutants"):
        score.source_entries([site("a")], {"a": result("a", verdict)}, {named: "speed: why"})


def test_a_mutant_without_a_result_is_refused():
    with pytest.raises(score.ScoreError, match="without a result: 1"):
        score.source_entries([site("a")], {}, {})


@pytest.mark.parametrize(
    "text",
    ['[[equivalent]]\nkeys=["a"]\nkind="speed"\nreason="short"', '[[equivalent]]\nkeys=["a"]'],
)
def test_an_entry_needs_a_kind_and_a_reason(tmp_path, text):
    page = tmp_path / "equivalent.toml"
    page.write_text(text)
    with pytest.raises(score.ScoreError, match="kind"):
        score.read_equivalents(page)


def test_the_committed_entries_are_readable():
    assert score.read_equivalents()


def test_bounds_are_told_by_kind_class_and_op():
    found = score.problems(entries(*[KILLED] * 9, SURVIVED))
    assert any("source mutants: 9/10" in line for line in found)
    assert score.problems(entries(*[KILLED] * 20)) == []
    assert any(line.startswith("op sort: 3/3") for line in score.problems(entries(*[KILLED] * 3)))


def test_a_record_can_be_read_again(tmp_path):
    page = tmp_path / "score.json"
    score.write(entries(KILLED, SURVIVED), ["none"], page)
    record = score.read_record(page)
    assert record.by_key["k1"]["verdict"] == SURVIVED
    assert record.changed_files() == set(), "it was written from these files"


def test_new_mutants_and_those_of_changed_files_are_chosen(tmp_path):
    page = tmp_path / "score.json"
    known = [site(f"k{i}") for i in range(40)]
    score.write(entries(*[KILLED] * 40), ["none"], page)
    record = score.read_record(page)
    chosen = choose([*known, site("new"), site("none")], record, "commit", 20)
    assert [each.key for each in chosen.new] == ["new"]
    assert len(chosen.known) < 10, "a twentieth, about"
    others = {each.key for turn in "abcdefgh" for each in choose(known, record, turn, 20).known}
    assert len(others) > len(chosen.known), "another commit judges others"
    record.files["csrc/kernels/cpu/sort.cpp"] = "what it was"
    changed = choose([*known, site("none")], record, "commit", 20)
    assert len(changed.known) == 40
    assert [each.key for each in changed.new] == ["none"], "it may have one now"


def test_a_lower_score_is_not_recorded(tmp_path):
    page = tmp_path / "score.json"
    score.write(entries(KILLED, KILLED), [], page)
    record = score.read_record(page)
    assert score.fallen(entries(KILLED, KILLED), record) == []
    (text,) = score.fallen(entries(KILLED, SURVIVED), record)
    assert text == "source mutants: 1/2 50.0 %; recorded 2/2 100.0 %; it may not fall"
    # A survivor in new code is measured by the bounds, and one in code that has gone by nothing.
    assert score.fallen(entries(KILLED, KILLED, SURVIVED), record) == []
    assert score.fallen(entries(KILLED), record) == []


def test_the_gate_holds_the_bounds(tmp_path, capsys):
    page = tmp_path / "score.json"
    score.write(entries(*[KILLED] * 10), [], page)
    record = score.read_record(page)
    assert gate._verdict(record, {}, [], 10) == 0
    lost = score.entry_of(site("k0"), result("k0", SURVIVED), {})
    assert gate._verdict(record, {"k0": lost}, [site("k0")], 10) == 1
    said = capsys.readouterr().out
    assert "no longer noticed: k0" in said
    assert "source mutants: 9/10 90.0 %; at least 95%" in said


def test_mutants_of_code_that_has_gone_do_not_count(tmp_path):
    page = tmp_path / "score.json"
    score.write(entries(KILLED, SURVIVED), [], page)
    kept = gate._of_build(score.read_record(page), [site("k0")])
    assert [entry["id"] for entry in kept.mutants] == ["k0"]


def test_the_gate_judges_new_code_by_the_cells_near_it(tmp_path):
    page = tmp_path / "score.json"
    score.write(entries(*[KILLED] * 10), [], page)
    record = score.read_record(page)
    record.by_key["k0"]["ops"] = [spec.key for spec in load_specs().values()]  # none is new
    record.by_key["k1"].update(file="csrc/ops/views.cpp", ops=["view"])
    thin = collections.Counter(cell.spec.key for cell in gate.cells_near([], record))
    near = collections.Counter(
        cell.spec.key for cell in gate.cells_near([site("k", file="csrc/ops/views.cpp")], record)
    )
    assert near["view"] > 2 * thin["view"]
    assert near["sort"] == thin["sort"] > 20, "a cell of each kind"
    record.by_key["k0"]["ops"].remove("cumsum")
    assert collections.Counter(c.spec.key for c in gate.cells_near([], record))["cumsum"] > 100
