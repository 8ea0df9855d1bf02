"""A scratch tree with its own tests and groups, and a runner process over it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tools.drill.scratch import Scratch


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return Scratch(tmp_path)


@pytest.fixture(scope="module")
def make_scratch(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Scratch]:
    return lambda: Scratch(tmp_path_factory.mktemp("scratch"))
