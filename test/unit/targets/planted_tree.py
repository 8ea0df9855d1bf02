"""A small tree under git whose changes are looked at."""

import subprocess
from pathlib import Path

from tools.targets.reach import Reached

LAYOUT = """#include "core/layout.h"

namespace ceph {
int first(int a) {
  return a + 1;
}

struct Sum {
  int operator()(int a) const { return a; }
};

int Layout::second(int a) {
  return a + 2;
}
}  // namespace ceph
"""
ENTRIES = """# Entries.

- op: "add.Tensor(Tensor self, Tensor other) -> Tensor"
  samples: binary

- op: "mul(Tensor self, Tensor other) -> Tensor"
  samples: binary

- op: "square(Tensor self) -> Tensor"
  composite: square
"""
OPS = ("add.Tensor", "mul", "square")
RULES = """def square(self):
    return ops.mul(self, self)


def other(self):
    return self
"""
FILES = {
    "csrc/core/layout.cpp": LAYOUT,
    "csrc/core/unmeasured.cpp": "int third() {\n  return 3;\n}\n",
    "csrc/python/module.cpp": "int start() {\n  return 0;\n}\n",
    "csrc/ops/pointwise.yaml": ENTRIES,
    "csrc/ops/rules/pointwise.py": RULES,
    "lib/cepheid/__init__.py": "from ._ops import add\n",
    "lib/cepheid/_ops.py": "add = None\n",
    "lib/cepheid_conformance/samples/pointwise.py": "",
    "lib/cepheid_conformance/checks/values.py": "",
    "lib/cepheid_conformance/verdict.py": "",
    "test/conformance/conftest.py": "from cepheid_conformance import verdict\n",
    "test/conformance/ops/test_values.py": "from cepheid_conformance.checks import values\n",
    "test/conformance/ops/test_errors.py": "",
    "test/unit/lib/test_ops.py": "import cepheid as torch\n",
    "test/unit/tools/test_lint.py": "RUN = 'python -m tools.lint'\n",
    "test/unit/tools/test_other.py": "from tools import other\n",
    "test/unit/docs/test_links.py": "",
    "test/cpp/core/layout_test.cpp": "",
    "tools/__init__.py": "",
    "tools/lint/__init__.py": "",
    "tools/lint/__main__.py": "from tools.lint import sizes\n",
    "tools/lint/sizes.py": "FILE = 'exceptions.txt'\n",
    "tools/lint/exceptions.txt": "",
    "tools/other.py": "",
    "docs/page.md": "# A page\n",
    "CMakeLists.txt": "",
}


class Tree:
    """The tree, with its commits."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True)

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert text.count(old) == 1, f"{path} must have {old!r} once"
        self.write(path, text.replace(old, new))


def reached(text: str) -> Reached:
    """`op:kind ... / dtype ...`"""
    pairs, _, dtypes = text.partition("/")
    cells = (pair.partition(":")[::2] for pair in pairs.split())
    return Reached(frozenset((op, kind) for op, kind in cells), frozenset(dtypes.split()))
