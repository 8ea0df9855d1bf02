"""Ops, capability and paths of the fake that the cheats change."""

import importlib.util
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FAKE = HERE.parent / "conformance"
sys.path[:0] = [str(HERE), str(FAKE)]

_spec = importlib.util.spec_from_file_location("fake_bench", FAKE / "conftest.py")
fake_bench = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fake_bench)
specs = fake_bench.specs


@pytest.fixture
def make_capability():
    return fake_bench.capability
