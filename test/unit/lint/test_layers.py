"""Layers: upward includes and imports are found, downward ones are not."""

import pytest

from tools.lint import layers
from tools.runner import run_this_file


def found(root):
    return [str(problem) for problem in layers.check(root)]


def test_downward_edges_are_fine(plant):
    root = plant(
        {
            "csrc/base/error.h": "#include <string>\n",
            "csrc/core/tensor.h": '#include "base/error.h"\n#include "core/storage.h"\n',
            "csrc/python/tensor.cpp": "#include <Python.h>\n#include <pybind11/pybind11.h>\n",
            "lib/cepheid/_tensor.py": "from cepheid import _C\nfrom cepheid._ops import op\n",
            "lib/cepheid/nn/linear.py": "from ..autograd import grad\nfrom . import module\n",
        }
    )
    assert found(root) == []


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        (
            "csrc/base/a.h",
            '\n#include "core/tensor.h"\n',
            "a.h:2: base/ may include base; not core",
        ),
        ("csrc/kernels/a.cpp", '#include "ops/views.h"\n', "not ops/views.h"),
        ("csrc/core/a.cpp", "#include <Python.h>\n", "core/ may not include Python.h"),
        ("csrc/autograd/a.cpp", "#include <pybind11/stl.h>\n", "may not include pybind11/stl.h"),
        ("csrc/new/a.cpp", '#include "base/error.h"\n', "csrc/new is in no layer"),
        ("lib/cepheid/_errors.py", "from cepheid import nn\n", "_errors (P0) may not import nn"),
        ("lib/cepheid/_errors.py", "import cepheid\n", "may not import cepheid (facade)"),
        ("lib/cepheid/amp/a.py", "from ..cuda import b\n", "amp (P2) may not import cuda (P2)"),
        ("lib/cepheid/nn/a.py", "from ..optim import b\n", "nn (P3) may not import optim (P3)"),
        ("lib/cepheid/newcomer.py", "\n", "cepheid.newcomer is in no level"),
        ("lib/cepheid_conformance/a.py", "import cepheid\n", "must never import cepheid"),
        ("tools/codegen/a.py", "from cepheid._ops import x\n", "must never import cepheid"),
    ],
)
def test_a_wrong_edge_is_found(plant, file, text, words):
    problems = found(plant({file: text}))
    assert any(words in problem for problem in problems), problems


def test_a_sibling_named_in_the_table_is_fine(plant):
    assert found(plant({"lib/cepheid/optim/a.py": "from ..nn import parameter\n"})) == []


def test_imports_for_type_checking_do_not_count(plant):
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from cepheid import nn\n"
    assert found(plant({"lib/cepheid/_errors.py": text})) == []


if __name__ == "__main__":
    run_this_file()
