"""A scratch tree with its own tests and groups."""

from pathlib import Path

import pytest

from tools.drill.scratch import Scratch


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return Scratch(tmp_path)
