"""Op entries: what the generator refuses and functions that the judge lacks are found."""

import shutil
from pathlib import Path

import pytest

from tools.codegen.registry import read_registry
from tools.lint import ops_yaml
from tools.runner import run_this_file

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def copy(tmp_path):
    """The entries and the judge's functions of this tree."""
    ignored = shutil.ignore_patterns("__pycache__", "*.cpp")
    for name in ("csrc/ops", "csrc/kernels/generic", "lib/cepheid_conformance"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    return tmp_path


def plant(copy, old, new):
    path = copy / "csrc" / "ops" / "pointwise.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return [str(problem) for problem in ops_yaml.check(copy)]


def test_the_entries_of_this_tree_are_fine(copy):
    assert ops_yaml.check(copy) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("  oracle: asinh\n", "", "asinh: no oracle"),
        ("  oracle: exp\n", "  oracle: expp\n", "exp: oracle: no function expp"),
        (
            "  samples: binary_alpha\n",
            "  samples: binry\n",
            "add.Tensor: samples: no function binry",
        ),
        ("errors: [bool_negate]", "errors: [no_such]", "neg: errors: no function no_such"),
    ],
)
def test_a_wrong_entry_is_found_with_its_line(copy, old, new, words):
    problems = plant(copy, old, new)
    assert len(problems) == 1, problems
    assert words in problems[0]
    assert "csrc/ops/pointwise.yaml:" in problems[0]


def test_too_many_composites_in_cpp_are_found(copy):
    entries = read_registry(copy / "csrc" / "ops").entries
    by_hand = tuple(e for e in entries if "composite" in e.implementation.cases)
    assert list(ops_yaml.too_many_hand_written(entries)) == []
    (problem,) = ops_yaml.too_many_hand_written(by_hand)
    assert "are composites written in C++, under 5% may be" in problem.text


if __name__ == "__main__":
    run_this_file()
