"""Names and lines of functions and op entries."""

from test.unit.targets.planted_tree import ENTRIES, LAYOUT, RULES
from tools.runner import run_this_file
from tools.targets.functions import changed, digests, functions


def test_functions_of_cpp() -> None:
    found = [(each.name, each.first, each.last) for each in functions("a.cpp", LAYOUT)]
    assert found == [("first", 4, 6), ("operator()", 9, 9), ("Layout::second", 12, 14)]


def test_functions_of_python_and_entries() -> None:
    assert [each.name for each in functions("a.py", RULES)] == ["square", "other"]
    found = [(each.name, each.first, each.last) for each in functions("a.yaml", ENTRIES)]
    assert found == [("add.Tensor", 3, 5), ("mul", 6, 8), ("square", 9, 10)]
    assert functions("a.toml", "a = 1") == ()
    assert functions("broken.py", "def (") == ()


def test_changed_names() -> None:
    assert changed("a.cpp", LAYOUT, [5, 13]) == {"first", "Layout::second"}
    assert changed("a.cpp", LAYOUT, [1, 5]) == {"first", ""}
    assert changed("a.cpp", LAYOUT, []) == set()


def test_a_digest_ignores_white_space_only() -> None:
    spaced = LAYOUT.replace("return a + 1;", "return a  +  1;\n")
    other = LAYOUT.replace("return a + 1;", "return a + 9;")
    before = digests("a.cpp", LAYOUT)
    assert digests("a.cpp", spaced) == before
    assert {name for name, d in digests("a.cpp", other).items() if d != before[name]} == {"first"}


if __name__ == "__main__":
    run_this_file()
