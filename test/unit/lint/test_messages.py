"""Messages: C++ that refuses by another way than the helper is found."""

import pytest

from tools.lint import messages
from tools.runner import run_this_file


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('void f() {\n  throw std::runtime_error("bad");\n}\n', "a.cpp:2: throw"),
        ('auto e = std::invalid_argument("bad");\n', "std::invalid_argument"),
        ('fail(ErrorKind::kIndex, "", "bad");\n', "name the op that refuses"),
        ('PyErr_SetString(PyExc_TypeError, "bad argument");\n', "does not begin with the name"),
    ],
)
def test_a_bare_message_is_found(plant, text, words):
    problems = [str(p) for p in messages.check(plant({"csrc/core/a.cpp": text}))]
    assert any(words in problem for problem in problems), problems


def test_the_helper_and_passing_on_are_fine(plant):
    text = (
        'fail(ErrorKind::kIndex, "select", "index 5");  // throw std::runtime_error\n'
        "try { g(); } catch (...) { throw; }\n"
        "throw py::error_already_set();\n"
        'PyErr_SetString(PyExc_TypeError, "add: expected a Tensor");\n'
        'const char* text = "throw away";\n'
    )
    assert messages.check(plant({"csrc/python/a.cpp": text})) == []


def test_the_helper_itself_may_throw(plant):
    assert messages.check(plant({"csrc/base/error.cpp": "void f() { throw Error(a); }\n"})) == []


if __name__ == "__main__":
    run_this_file()
