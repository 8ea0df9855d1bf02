"""The planted tree, and a map of what reaches its functions."""

from collections.abc import Callable
from pathlib import Path

import pytest

from test.unit.targets.planted_tree import FILES, LAYOUT, OPS, Tree, reached
from tools.targets.functions import digests
from tools.targets.reach import ReachMap


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    for path, text in FILES.items():
        made.write(path, text)
    made.git("init", "-q")
    made.git("add", ".")
    made.git("commit", "-q", "-m", "base")
    return made


@pytest.fixture
def make_map() -> Callable[..., ReachMap]:
    """A map of functions of layout.cpp, each with pairs `op:kind` and dtypes."""

    def make(**cells: str) -> ReachMap:
        known = digests("layout.cpp", LAYOUT)
        functions = {
            f"csrc/core/layout.cpp:{name}": (reached(text), known[name])
            for name, text in cells.items()
        }
        pairs = {pair for entry, _ in functions.values() for pair in entry.pairs}
        seconds: dict[str, dict[str, float]] = {}
        for op, kind in pairs | {(op, "values") for op in OPS} | {("mul", "errors")}:
            seconds.setdefault(op, {})[kind] = 0.01
        return ReachMap("0", "2026-01-01", functions, seconds, {"values": {"float32": 10}})

    return make
