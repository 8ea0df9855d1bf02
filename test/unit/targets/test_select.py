"""Order and cut, and the option of the runner."""

import json
from pathlib import Path

import pytest

from test.unit.targets.planted_tree import Tree, reached
from tools.drill.scratch import Scratch
from tools.runner import exit_codes, run_this_file, trace
from tools.targets import reach as reach_map
from tools.targets.cells import EVERY_CELL, CellName, Pattern
from tools.targets.changes import Change
from tools.targets.order import fitting, in_turns, ranked
from tools.targets.reach import ReachMap
from tools.targets.select import Suite, determine

OPS = [f"op{number}" for number in range(10)]
DTYPES = ("bool", "float32", "int64", "complex64")
KINDS = ("values", "errors")
CELLS = [CellName(k, op, "cpu", dtype) for k in KINDS for op in OPS for dtype in DTYPES]
SECONDS = dict.fromkeys(CELLS, 0.1)
KILLS = {"values": {"float32": 8, "bool": 1}, "errors": {"int64": 1}}


def test_cells_by_their_ids() -> None:
    cell = CellName("values", "add.Tensor", "cpu", "float32")
    assert cell.test == ("test/conformance/ops/test_values.py::test_values[add.Tensor-cpu-float32]")
    assert CellName.of_test(cell.test) == CellName.of_cell(cell.id) == cell
    assert CellName.of_test("test/conformance/test_oracles.py::test_all") is None


def test_each_op_and_kind_comes_before_a_second_dtype() -> None:
    order = ranked(CELLS, SECONDS, KILLS)
    assert sorted(order) == sorted(CELLS)
    first = order[: len(OPS) * len(KINDS)]
    assert len({(cell.op, cell.kind) for cell in first}) == len(first)
    assert {(cell.kind, cell.dtype) for cell in first} == {
        ("values", "float32"),
        ("errors", "int64"),
    }
    second = order[len(first) : 2 * len(first)]
    assert {cell.dtype for cell in second} == set(DTYPES)
    assert {cell.kind for cell in first[: len(OPS)]} == {"values"}


def test_kills_are_weighed_by_time() -> None:
    seconds = {cell: 10.0 if cell.kind == "values" else 0.01 for cell in CELLS}
    assert ranked(CELLS, seconds, KILLS)[0].kind == "errors"


def test_the_order_does_not_depend_on_that_of_the_cells() -> None:
    assert ranked(CELLS[::-1], SECONDS, KILLS) == ranked(CELLS, SECONDS, KILLS)


def test_fitting_passes_over_what_is_too_dear() -> None:
    assert fitting("abc", {"a": 1.0, "b": 5.0, "c": 1.0}, 3.0) == ["a", "c"]


def test_near_files_first_and_each_file_early() -> None:
    tests = ["far.py::a", "near.py::a", "near.py::b", "other.py::a"]
    distance = {"near.py": 1, "other.py": 1, "far.py": 2}
    assert in_turns(tests, distance) == ["near.py::a", "other.py::a", "near.py::b", "far.py::a"]


def test_a_cut_keeps_within_the_share() -> None:
    suite = Suite(CELLS, ReachMap("0", "", {}, {}), lambda _: 0.1)
    chosen = suite.choose([EVERY_CELL], KILLS, 0.25)
    assert 0 < len(chosen) <= len(CELLS) // 4
    assert sorted(suite.choose([EVERY_CELL], KILLS, 1)) == sorted(CELLS)
    few = Pattern(ops=frozenset({"op1"}), kinds=frozenset({"errors"}))
    assert len(suite.choose([few], KILLS, 0.25)) == len(DTYPES)
    assert suite.choose([], KILLS, 0.25) == []


def test_changed_test_files_run_in_any_case(tree: Tree) -> None:
    ids = [f"test/unit/tools/test_other.py::test_{n}" for n in range(8)]
    ids += ["test/unit/tools/test_lint.py::test_a"]
    found = determine(tree.root, [Change("test/unit/tools/test_other.py")], ids, 0.01)
    assert found.ids == tuple(ids[:8])


def test_other_tests_are_cut_at_the_share(tree: Tree) -> None:
    ids = [f"test/unit/tools/test_lint.py::test_{n}" for n in range(8)]
    assert len(determine(tree.root, [Change("tools/lint/sizes.py")], ids, 0.25).ids) == 2
    assert len(determine(tree.root, [Change("CMakeLists.txt")], ids, 0.25).ids) == 2
    assert determine(tree.root, [Change("docs/page.md")], ids, 0.25).ids == ()


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5])
def test_a_share_is_a_part(tree: Tree, share: float) -> None:
    with pytest.raises(ValueError, match="--share: expected more than 0 and at most 1"):
        determine(tree.root, [], [], share)


def test_a_map_is_read_as_it_was_written(tmp_path: Path) -> None:
    entries = {
        "a.cpp:f": (reached("add:values mul:values mul:errors / float32 bool"), "12345678"),
        "a.cpp:g": (reached("add:values / float32"), ""),
    }
    made = ReachMap("abc", "2026-01-01", entries, {"add": {"values": 0.5}}, KILLS)
    reach_map.write(made, tmp_path / "reach.json")
    assert reach_map.read(tmp_path / "reach.json") == made
    text = (tmp_path / "reach.json").read_text().replace('"format": 1', '"format": 0')
    (tmp_path / "reach.json").write_text(text)
    with pytest.raises(ValueError, match="expected format 1"):
        reach_map.read(tmp_path / "reach.json")


def test_the_committed_map_is_of_this_tree() -> None:
    found = reach_map.read()
    assert len(found.functions) > 300
    assert len(reach_map.stale(found)["gone"]) <= len(found.functions) // 10, (
        "measure it again: python -m tools.targets.measure"
    )


def test_the_committed_recall_keeps_its_bounds() -> None:
    data = json.loads((Path(reach_map.FILE).with_name("recall.json")).read_text())
    figures, bound = data["totals"], data["bound"]
    assert figures["mutants"] >= 500
    assert figures["detected"] >= bound["detected"] * figures["mutants"] >= 0.99 * 500
    assert figures["largest_share"] <= bound["share"] <= 0.25
    assert figures["full_mutants"] == len(data["full"]) >= 30


def test_the_option_of_the_runner(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    scratch.write("tools/other.py", "VALUE = 1\n")
    for name in ("a", "b", "c", "d"):
        scratch.write(f"test/unit/test_{name}.py", "def test_it(): assert True\n")
    scratch.write("test/unit/test_a.py", "# tools.other\ndef test_it(): assert True\n")
    changed = scratch.run("test/unit", "--changed-files", str(tmp_path / "tools/other.py"))
    assert changed.status == exit_codes.PASSED
    assert [each.split("::")[0] for each in changed.finished] == ["test/unit/test_a.py"]
    stages = [event for event in changed.events if event["type"] == "Stage"]
    assert {e["absent"] for e in stages if e["name"] == trace.TARGETS} == {""}
    nothing = scratch.run("test/unit", "--changed-files", str(tmp_path / "test/cpp/a.cpp"))
    assert nothing.status == exit_codes.EMPTY_SELECTION


if __name__ == "__main__":
    run_this_file()
