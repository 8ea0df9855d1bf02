"""States of real tests in real processes: flaky, order-dependent, infrastructure."""

from typing import Any

import pytest

from tools.runner import exit_codes, run_this_file

pytestmark = pytest.mark.slow

ORDER = """
import os, sys
STATE = sys.modules["os"].__dict__.setdefault("_drill", set())
def test_one(): pass
def test_polluter(): STATE.add("dirt")
def test_two(): pass
def test_victim(): assert "dirt" not in STATE
def test_brittle(): assert "ready" in STATE
def test_enabler(): STATE.add("ready")
def test_bad(): assert False
"""

MACHINE = """
import errno, pytest
class LostDevice(Exception):
    is_infrastructure = True
def test_disk_full(): raise OSError(errno.ENOSPC, "No space left on device")
def test_behind_another():
    try:
        raise LostDevice("device 0 is gone")
    except LostDevice as error:
        raise AssertionError("no result") from error
def test_missing_file(): open("no such file")
@pytest.fixture
def device(): raise LostDevice("device 1 is gone")
def test_in_fixture(device): pass
"""


def test_dependence_on_the_order_is_named(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", ORDER)
    result = scratch.run()
    notes = {
        test.rpartition("::")[2]: (end["outcome"], end["note"])
        for test, end in result.finished.items()
        if end["outcome"] != "passed"
    }
    path = "test/unit/test_a.py::"
    assert notes == {
        "test_victim": ("order_dependent", f"passes alone, fails after {path}test_polluter"),
        "test_brittle": ("order_dependent", f"fails alone, passes after {path}test_enabler"),
        "test_bad": ("failed", ""),
    }
    assert result.status == exit_codes.FAILED


def test_order_dependence_alone_has_its_own_exit_status(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", ORDER)
    assert scratch.run("-k", "polluter or victim").status == exit_codes.ORDER_DEPENDENT


def test_faults_of_the_machine_are_named(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", MACHINE)
    result = scratch.run()
    assert result.outcomes == {
        "test_a.py::test_disk_full": "infrastructure",
        "test_a.py::test_behind_another": "infrastructure",
        "test_a.py::test_missing_file": "failed",
        "test_a.py::test_in_fixture": "infrastructure",
    }
    detail = result.finished["test/unit/test_a.py::test_in_fixture"]["attempts"][0]["detail"]
    assert detail.splitlines()[-1] == "LostDevice: device 1 is gone"
    assert scratch.run("-k", "in_fixture").status == exit_codes.INFRASTRUCTURE


if __name__ == "__main__":
    run_this_file()
