"""The runner of wrapper mutants: which mutants, in which order their cells, how they add up."""

from cepheid_conformance import capability
from cepheid_conformance.op_spec import load_specs
from cepheid_mutants import SOUND
from tools.mutate import wrapper_cells, wrappers
from tools.mutate.wrapper_records import Record, summary


def record(name, verdict, check=None):
    op, fault_class, rule = name.split("/")
    return Record(
        name, "wrapper", fault_class, rule, op, "is wrong", verdict, check, check, 0.1, "", 1, "",
        False,
    )  # fmt: skip


def test_options_choose_mutants():
    arguments = wrappers._arguments(["--op", "exp", "-k", "accuracy/ulp"])
    chosen = [mutant.id for mutant in wrappers.chosen_mutants(arguments)]
    assert chosen == [f"exp/accuracy/{rule}" for rule in ("ulp4", "ulp32", "ulp1000", "ulp32_one")]
    real = wrappers.chosen_mutants(wrappers._arguments(["--kind", "real"]))
    assert all(mutant.source for mutant in real)


def test_a_sample_is_a_share_and_the_same_for_a_seed():
    parts = [
        {m.id for m in wrappers.chosen_mutants(wrappers._arguments(["--sample", "5%", *seed]))}
        for seed in ([], [], ["--seed", "1"])
    ]
    everything = len(wrappers.chosen_mutants(wrappers._arguments([])))
    assert parts[0] == parts[1] != parts[2]
    assert 0.03 < len(parts[0]) / everything < 0.07


def test_hinted_cells_come_first_and_none_is_lost():
    cells = wrapper_cells.cells_of(
        load_specs()["exp"], capability.load(capability.find("cepheid", None))
    )
    (mutant,) = wrappers.chosen_mutants(
        wrappers._arguments(["--op", "exp", "-k", "accuracy/narrow_result"])
    )
    ordered = wrapper_cells.in_order(cells, mutant)
    assert ordered[0][1].id == "values:exp-cpu-float32"
    assert {cell.id for _, cell in ordered} == {cell.id for _, cell in cells}


def test_scores_leave_equivalent_mutants_out():
    records = [
        record("a/size/x", "killed", "sizes"),
        record("a/size/y", "survived"),
        record("b/value/z", "equivalent"),
    ]
    text = summary(records)
    assert "1 of     2   50.0 %  +0 eq." in text
    assert "0 of     0  100.0 %  +1 eq." in text
    assert "a/size/y: is wrong" in text


def test_one_mutant_is_killed_and_the_sound_one_is_not(tmp_path):
    arguments = wrappers._arguments(["--op", "exp", "-k", "value/zeros"])
    (found,) = list(wrappers.judged(arguments, wrappers.chosen_mutants(arguments)))
    assert (found.verdict, found.killed_by) == ("killed", "values:exp-cpu-float32")
    assert SOUND not in found.id
