"""Types: a type error is found in the tools, and in cepheid against its generated stubs."""

import pytest

from tools.lint import types
from tools.runner import run_this_file

pytestmark = pytest.mark.slow  # mypy without its cache takes five seconds

STUB = "def f(x: int) -> int: ...\n"
PACKAGE = "from cepheid._C import f\n\ny: int = f({})\n"


def package(plant, argument):
    return plant(
        {
            "tools/a.py": "x: int = 1\n",
            "lib/cepheid/__init__.py": PACKAGE.format(argument),
            "lib/cepheid/py.typed": "",
            "build/generated/_C.pyi": STUB,
        }
    )


def test_a_type_error_is_found(plant):
    (problem,) = types.check(plant({"tools/a.py": 'x: int = "a"\n'}), None)
    assert "tools/a.py:1: error: Incompatible types" in problem


def test_cepheid_is_checked_against_its_stubs(plant):
    root = package(plant, "1")
    assert types.check(root, root / "build") == []


def test_a_call_that_the_stubs_forbid_is_found(plant):
    root = package(plant, '"a"')
    (problem,) = types.check(root, root / "build")
    assert 'Argument 1 to "f" has incompatible type "str"' in problem


def test_a_build_without_stubs_is_a_problem(plant):
    root = plant({"tools/a.py": "x: int = 1\n", "build/other.txt": ""})
    assert "no generated stub here" in types.check(root, root / "build")[0]


if __name__ == "__main__":
    run_this_file()
