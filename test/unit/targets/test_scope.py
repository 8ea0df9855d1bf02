"""From a change of a planted tree to cells and files."""

from collections.abc import Callable

import pytest

from test.unit.targets.planted_tree import Tree
from tools.runner import run_this_file
from tools.targets.cells import CellName
from tools.targets.changes import Change, since
from tools.targets.reach import ReachMap, stale
from tools.targets.scope import Scope, Scopes

DTYPES = ("float32", "int64")
CELLS = {
    f"{kind}:{op}-{dtype}": CellName(kind, op, "cpu", dtype)
    for kind in ("values", "errors")
    for op in ("add.Tensor", "mul", "square")
    for dtype in DTYPES
}
FIRST = "add.Tensor:values / float32"
SECOND = "mul:errors / float32 int64"
LAYOUT = "csrc/core/layout.cpp"


def cells_of(scope: Scope) -> set[str]:
    return {name for name, cell in CELLS.items() if any(p.has(cell) for p in scope.cells)}


@pytest.fixture
def reach(make_map: Callable[..., ReachMap]) -> ReachMap:
    return make_map(**{"first": FIRST, "Layout::second": SECOND})


def scope_of(tree: Tree, reach: ReachMap) -> Scope:
    (change,) = since(tree.root, "HEAD")
    return Scopes(tree.root, reach).of(change)


def test_a_measured_function(tree: Tree, reach: ReachMap) -> None:
    tree.replace(LAYOUT, "return a + 1;", "return a - 1;")
    scope = scope_of(tree, reach)
    assert cells_of(scope) == {"values:add.Tensor-float32"}
    assert set(scope.files) == {"test/unit/lib/test_ops.py"}


def test_what_went_counts_as_what_came(tree: Tree, reach: ReachMap) -> None:
    tree.replace(LAYOUT, "  return a + 2;\n", "")
    assert cells_of(scope_of(tree, reach)) == {"errors:mul-float32", "errors:mul-int64"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("struct Sum", "int fresh() {\n  return 0;\n}\n\nstruct Sum"),
        ("const { return a; }", "const { return -a; }"),
        ('#include "core/layout.h"', '#include "core/other.h"'),
    ],
    ids=["new function", "unmeasured function", "no function"],
)
def test_what_was_not_measured_counts_as_its_file(
    tree: Tree, reach: ReachMap, old: str, new: str
) -> None:
    tree.replace(LAYOUT, old, new)
    every = {"values:add.Tensor-float32", "errors:mul-float32", "errors:mul-int64"}
    assert cells_of(scope_of(tree, reach)) == every


def test_an_unmeasured_file_counts_as_its_folder(tree: Tree, reach: ReachMap) -> None:
    tree.replace("csrc/core/unmeasured.cpp", "return 3;", "return 4;")
    assert "errors:mul-int64" in cells_of(scope_of(tree, reach))
    assert "values:square-int64" not in cells_of(scope_of(tree, reach))


def test_a_function_that_is_not_what_was_measured(tree: Tree, reach: ReachMap) -> None:
    """Its own entry is old: who knows what calls it today."""
    tree.replace(LAYOUT, "return a + 1;", "return a + 7;")
    tree.git("commit", "-q", "-a", "-m", "since measured")
    assert stale(reach, tree.root) == {"changed": [f"{LAYOUT}:first"], "gone": []}
    tree.replace(LAYOUT, "return a + 7;", "return a + 8;")
    assert "errors:mul-int64" in cells_of(scope_of(tree, reach))


def test_gone_functions_are_stale(tree: Tree, reach: ReachMap) -> None:
    tree.replace(LAYOUT, "int first(", "int renamed(")
    assert stale(reach, tree.root)["gone"] == [f"{LAYOUT}:first"]


def test_folders_without_any_measurement_reach_every_cell(tree: Tree, reach: ReachMap) -> None:
    tree.replace("csrc/python/module.cpp", "return 0;", "return 1;")
    assert cells_of(scope_of(tree, reach)) == set(CELLS)


def test_an_op_entry_and_the_composites_that_call_it(tree: Tree, reach: ReachMap) -> None:
    tree.replace("csrc/ops/pointwise.yaml", "mul(Tensor self, Tensor other)", "mul(Tensor self)")
    ops = {name.split(":")[1].split("-")[0] for name in cells_of(scope_of(tree, reach))}
    assert ops == {"mul", "square"}


def test_an_op_rule_counts_as_its_family(tree: Tree, reach: ReachMap) -> None:
    tree.replace("csrc/ops/rules/pointwise.py", "ops.mul(self, self)", "ops.mul(self, 2)")
    assert cells_of(scope_of(tree, reach)) == set(CELLS)


def test_cells_of_a_kind_newer_than_the_map(tree: Tree, reach: ReachMap) -> None:
    """Nobody measured whether they reach the function: they run where its ops do."""
    tree.write("test/conformance/ops/test_fresh.py", "")
    tree.git("add", ".")
    tree.git("commit", "-q", "-m", "kind")
    tree.replace(LAYOUT, "return a + 1;", "return a - 1;")
    (change,) = since(tree.root, "HEAD")
    patterns = Scopes(tree.root, reach).of(change).cells
    fresh = CellName("fresh", "add.Tensor", "cpu", "int64")
    assert any(pattern.has(fresh) for pattern in patterns)
    elsewhere = CellName("fresh", "mul", "cpu", "int64")
    assert not any(pattern.has(elsewhere) for pattern in patterns)


def test_ops_newer_than_the_map(tree: Tree, reach: ReachMap) -> None:
    entries = (tree.root / "csrc/ops/pointwise.yaml").read_text()
    tree.write("csrc/ops/pointwise.yaml", entries + '\n- op: "fresh(Tensor self) -> Tensor"\n')
    tree.git("commit", "-q", "-a", "-m", "op")
    tree.replace(LAYOUT, "return a + 1;", "return a - 1;")
    (change,) = since(tree.root, "HEAD")
    patterns = Scopes(tree.root, reach).of(change).cells
    assert any(pattern.has(CellName("values", "fresh", "cpu", "bool")) for pattern in patterns)


JUDGE = "lib/cepheid_conformance"


@pytest.mark.parametrize(
    ("path", "cells"),
    [
        (f"{JUDGE}/samples/pointwise.py", set(CELLS)),
        (f"{JUDGE}/checks/values.py", {name for name in CELLS if name.startswith("values:")}),
        ("test/conformance/ops/test_errors.py", {n for n in CELLS if n.startswith("errors:")}),
        (f"{JUDGE}/verdict.py", set(CELLS)),
        ("test/conformance/conftest.py", set(CELLS)),
        ("lib/cepheid/_ops.py", set(CELLS)),
        ("csrc/ops/tags.yaml", set(CELLS)),
        ("tools/lint/sizes.py", set()),
        ("docs/page.md", set()),
        ("test/cpp/core/layout_test.cpp", set()),
        ("CMakeLists.txt", set(CELLS)),
    ],
)
def test_cells_of_other_files(tree: Tree, reach: ReachMap, path: str, cells: set[str]) -> None:
    assert cells_of(Scopes(tree.root, reach).of(Change(path))) == cells


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("lib/cepheid/_ops.py", {"test/unit/lib/test_ops.py"}),
        ("tools/lint/sizes.py", {"test/unit/tools/test_lint.py"}),
        ("tools/lint/exceptions.txt", {"test/unit/tools/test_lint.py"}),
        ("tools/other.py", {"test/unit/tools/test_other.py"}),
        ("test/unit/tools/test_other.py", {"test/unit/tools/test_other.py"}),
        ("docs/page.md", {"test/unit/docs/test_links.py"}),
        ("test/cpp/core/layout_test.cpp", set()),
    ],
)
def test_files_of_other_files(tree: Tree, reach: ReachMap, path: str, files: set[str]) -> None:
    assert set(Scopes(tree.root, reach).of(Change(path)).files) == files


def test_what_no_rule_knows_runs_everything(tree: Tree, reach: ReachMap) -> None:
    assert Scopes(tree.root, reach).of(Change("CMakeLists.txt")).everything
    assert not Scopes(tree.root, reach).of(Change("tools/other.py")).everything


if __name__ == "__main__":
    run_this_file()
