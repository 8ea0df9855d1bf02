"""Sizes: files, functions and lines that are too long are found, in Python and in C++."""

from pathlib import Path

import pytest

from tools.lint import sizes
from tools.lint.cpp_functions import functions
from tools.runner import run_this_file


def found(root, exceptions=Path("none")):
    return [str(problem) for problem in sizes.check(root, exceptions)]


def body(lines):
    return "  x();\n" * lines


LONG_CPP = f"namespace a {{\nstruct S {{\nint S::f(int x) const\n{{\n{body(60)}}}\n}};\n}}\n"
LONG_PY = "class A:\n    def f(self):\n" + "        x = 1\n" * 60


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("a.py", "x = 1\n" * 701, "a.py: the file has 701 lines; at most 700"),
        ("a.h", "// x\n" * 701, "a.h: the file has 701 lines"),
        ("a.py", LONG_PY, "a.py:2: f() has 61 lines; at most 60"),
        ("a.cpp", LONG_CPP, "a.cpp:3: S::f() has 63 lines"),
        ("a.py", f"x = '{'y' * 100}'\n", "a.py:1: the line has 106 columns"),
    ],
)
def test_what_is_too_long_is_found(plant, file, text, words):
    problems = found(plant({file: text}))
    assert len(problems) == 1
    assert words in problems[0]


def test_the_limits_themselves_are_fine(plant):
    root = plant(
        {
            "a.py": "x = 1\n" * 700,
            "b.cpp": f"void f() {{\n{body(58)}}}\n",
            "c.py": "def f():\n" + "    x = 1\n" * 59,
            "d.py": "#" * 100 + "\n",
        }
    )
    assert found(root) == []


def test_an_exception_holds_and_may_only_shrink(plant, tmp_path):
    root = plant({"tree/a.py": "x = 1\n" * 710}) / "tree"
    exceptions = tmp_path / "exceptions.txt"
    exceptions.write_text("# reasons\n710 a.py\n")
    assert found(root, exceptions) == []
    exceptions.write_text("720 a.py\n")
    assert "lower its exception of 720" in found(root, exceptions)[0]
    exceptions.write_text("710 a.py\n900 gone.py\n")
    assert found(root, exceptions) == ["exceptions.txt: 'gone.py' names nothing that exists: "
                                       "delete the entry"]  # fmt: skip


CPP = """\
#define TWO(x)  \\
  do { x; } while (0)
namespace ceph {
// int commented(int x) {
struct Tensor {
  Tensor(int x) : x_{x}, y_{1} {
    g();
  }
  bool operator==(const Tensor& o) const { return true; }
  const char* text = "void quoted() {";
};
template <class T>
auto f(T a) -> decltype(a) {
  auto g = [&](int i) {
    if (i) { h(); }
  };
  return a;
}
extern "C" int c_name(void) { return 1'000; }
enum class E { kA, kB };
}  // namespace ceph
TEST(name) {
  EXPECT(true);
}
"""


def test_the_functions_of_a_cpp_file():
    got = [(f.name, f.first_line, f.last_line) for f in functions(CPP)]
    assert ("operator==", 9, 9) in got
    assert ("f", 12, 18) in got
    assert ("TEST", 22, 24) in got
    assert ("c_name", 19, 19) in got
    assert not [name for name, *_ in got if name in ("commented", "quoted", "h", "g", "E")]


if __name__ == "__main__":
    run_this_file()
