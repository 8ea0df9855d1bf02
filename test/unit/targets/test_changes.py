"""Changed files and lines, from git and by name."""

from pathlib import Path

import pytest

from test.unit.targets.planted_tree import Tree
from tools.runner import run_this_file
from tools.targets.changes import Change, named, since


def by_path(root: Path, base: str = "HEAD") -> dict[str, Change]:
    return {change.path: change for change in since(root, base)}


def test_nothing_changed(tree: Tree) -> None:
    assert since(tree.root, "HEAD") == []


def test_lines_before_and_after(tree: Tree) -> None:
    tree.replace("csrc/core/layout.cpp", "return a + 2;", "++a;\n  return a + 2;")
    (change,) = since(tree.root, "HEAD")
    assert change.path == "csrc/core/layout.cpp"
    assert change.before is not None and change.before.lines == frozenset()
    assert change.after is not None
    assert [change.after.content.splitlines()[n - 1] for n in change.after.lines] == ["  ++a;"]


def test_lines_that_went(tree: Tree) -> None:
    tree.replace("csrc/core/layout.cpp", "  return a + 2;\n", "")
    (change,) = since(tree.root, "HEAD")
    assert change.before is not None
    lines = change.before.content.splitlines()
    assert [lines[n - 1] for n in change.before.lines] == ["  return a + 2;"]
    assert change.after is not None and not change.after.lines


def test_new_deleted_moved_and_binary_files(tree: Tree) -> None:
    tree.write("tools/fresh file.py", "a = 1\n")
    tree.git("rm", "-q", "docs/page.md")
    tree.git("mv", "tools/other.py", "tools/moved.py")
    (tree.root / "tools" / "picture").write_bytes(b"\0\1")
    tree.git("add", "tools/picture")
    found = by_path(tree.root)
    assert set(found) == {
        "tools/fresh file.py",
        "docs/page.md",
        "tools/other.py",
        "tools/moved.py",
        "tools/picture",
    }
    page = found["docs/page.md"]
    assert page.before is not None and page.before.lines == {1}
    assert page.after is None


def test_since_an_older_commit(tree: Tree) -> None:
    tree.replace("tools/lint/sizes.py", "exceptions", "others")
    tree.git("commit", "-q", "-a", "-m", "change")
    assert since(tree.root, "HEAD") == []
    assert set(by_path(tree.root, "HEAD~1")) == {"tools/lint/sizes.py"}


def test_lines_that_look_like_headers(tree: Tree) -> None:
    tree.write("docs/page.md", "# A page\n++ b/other\n-- a/other\n@@ -1 +1 @@\n")
    assert set(by_path(tree.root)) == {"docs/page.md"}


def test_unknown_commit(tree: Tree) -> None:
    with pytest.raises(ValueError, match="--changed: git must tell"):
        since(tree.root, "no-such-commit")


def test_named(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.root / "tools")
    assert named(tree.root, ["other.py"]) == [Change("tools/other.py")]
    with pytest.raises(ValueError, match="expected files below"):
        named(tree.root, ["../../elsewhere.py"])


if __name__ == "__main__":
    run_this_file()
