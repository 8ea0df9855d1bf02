"""Names, globs and ids: what a run is about."""

from pathlib import Path

import pytest

from tools.runner import run_this_file
from tools.runner.select import SelectionError, filter_ids, matches, merge_names, select
from tools.runner.settings import GROUPS_FILE, REPOSITORY, load_groups


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("test/**", "test/a/b/test_c.py", True),
        ("test/**/test_*.py", "test/test_c.py", True),
        ("test/**/test_*.py", "test/a/b/test_c.py", True),
        ("test/*/test_c.py", "test/a/b/test_c.py", False),
        ("test/?/test_c.py", "test/a/test_c.py", True),
        ("test/a.py", "test/abpy", False),
        ("test/a", "test/a/b", False),
    ],
)
def test_matches(glob: str, path: str, expected: bool) -> None:
    assert matches(path, [glob]) is expected


def test_merge_names_keeps_order_and_drops_repeats() -> None:
    assert merge_names(["b", "a"], "c, a\n d") == ["b", "a", "c", "d"]
    assert merge_names([], "") == []


IDS = ["f.py::test_a", "f.py::test_a[1]", "f.py::test_ab", "f.py::C::test_a", "g.py::test_z"]


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ([], IDS),
        (["f.py::test_a"], ["f.py::test_a", "f.py::test_a[1]", "g.py::test_z"]),
        (["f.py::C"], ["f.py::C::test_a", "g.py::test_z"]),
        (["f.py::test_a[1]", "g.py::none"], ["f.py::test_a[1]"]),
    ],
)
def test_filter_ids(wanted: list[str], kept: list[str]) -> None:
    assert filter_ids(IDS, wanted) == kept


def test_each_file_is_in_the_first_part_that_names_it(tmp_path: Path) -> None:
    for name in ("test/unit/test_a.py", "test/tiny/test_b.py", "test/test_c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    groups = load_groups(GROUPS_FILE)
    selection = select(tmp_path, groups, ["all", "test_a"])
    assert [part.files for part in selection.parts] == [
        ("test/unit/test_a.py",),
        ("test/test_c.py", "test/tiny/test_b.py"),
    ]
    assert selection.parts[0].xdist == 2
    assert selection.whole == {"all"}


def test_name_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        SelectionError, match="nowhere: no test file has this name; groups are smoke"
    ):
        select(tmp_path, load_groups(GROUPS_FILE), ["nowhere"])


def test_groups_file_of_the_repository_is_well_formed() -> None:
    groups = load_groups(GROUPS_FILE)
    assert set(groups.groups) >= {"smoke", "tiny", "unit", "conformance", "all"}
    assert groups.limits.timeout_s <= groups.limits.max_timeout_s == 900
    found = select(REPOSITORY, groups, ["test/unit/tools/test_select.py"])
    assert found.parts[0].files == ("test/unit/tools/test_select.py",)


def test_groups_file_without_a_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "groups.toml"
    path.write_text("[groups]\n")
    expected = "expected the tables limits, files, warm, groups; 'limits'"
    with pytest.raises(ValueError, match=expected):
        load_groups(path)


if __name__ == "__main__":
    run_this_file()
