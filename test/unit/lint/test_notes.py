"""Notes: a reference resolves to exactly one note."""

from tools.lint import notes
from tools.runner import run_this_file

NOTE = "// Note [Philox offset]\n// Long reason.\n"


def found(root):
    return [str(problem) for problem in notes.check(root)]


def test_a_reference_to_a_note_is_fine(plant):
    assert found(plant({"a.h": NOTE, "b.py": "x = 1  # see Note [Philox offset]\n"})) == []


def test_a_reference_without_a_note_is_found(plant):
    problems = found(plant({"a.h": NOTE, "b.py": "\n# see Note [Philox ofset]\n"}))
    assert problems == ["b.py:2: no comment begins with Note [Philox ofset]"]


def test_a_second_note_of_the_same_title_is_found(plant):
    problems = found(plant({"a.h": NOTE, "b.cpp": "\n" + NOTE}))
    assert problems == ["b.cpp:2: Note [Philox offset] is already at a.h:1"]


if __name__ == "__main__":
    run_this_file()
