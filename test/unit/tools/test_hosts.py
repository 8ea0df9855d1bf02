"""Further hosts through execnet gateways; here they are local processes."""

import os
from pathlib import Path
from typing import Any

import pytest

from tools.runner import exit_codes, run_this_file

pytestmark = pytest.mark.slow

FILE = """
import time
def test_one(): time.sleep(0.5)
def test_two(): pass
"""
KILLS_ITS_HOST = """
import os, signal
from pathlib import Path
from tools.runner import proc
MARK = Path(__file__).with_suffix(".mark")
def test_before(): pass
def test_kill():
    parents, pid = proc.parents(), os.getpid()
    if "HOME_RUNNER" in os.environ and not MARK.exists():
        MARK.touch()
        while pid > 1 and "tools.runner.main" not in proc.command_line(pid):
            if "sys.stdin.readline" in proc.command_line(pid):  # how execnet begins
                os.kill(pid, signal.SIGKILL)
            pid = parents[pid]
def test_after(): pass
"""


def test_each_test_runs_once_on_some_host(scratch: Any) -> None:
    for name in "abcdef":
        scratch.write(f"test/unit/test_{name}.py", FILE)
    result = scratch.run("test/unit", "--jobs", "1", "--host", "2*popen")
    assert result.status == exit_codes.PASSED
    started = [event["id"] for event in result.events if event["type"] == "TestStarted"]
    assert len(started) == len(set(started)) == 12
    local = {folder.name for folder in (result.folder / "processes").iterdir()}
    assert local != {event.get("process", "").split(".")[0] for event in result.events}


def test_failure_on_a_host_keeps_its_evidence(scratch: Any) -> None:
    bad = "def test_bad():\n    print('said over there')\n    assert 1 == 2\n"
    for name in "abc":
        scratch.write(f"test/unit/test_{name}.py", bad)
    result = scratch.run("test/unit", "--jobs", "1", "--host", "popen")
    assert set(result.outcomes.values()) == {"failed"}
    for end in result.finished.values():
        assert "assert 1 == 2" in end["attempts"][0]["detail"]
        assert "said over there" in end["attempts"][0]["output"]


def test_lost_host_is_a_fault_of_the_machine(scratch: Any) -> None:
    for name in "abcd":
        scratch.write(f"test/unit/test_{name}.py", KILLS_ITS_HOST)
    result = scratch.run("test/unit", "--jobs", "1", "--host", "popen", HOME_RUNNER="1")
    outcomes = result.outcomes
    assert len(outcomes) == 12
    assert set(outcomes.values()) == {"passed", "infrastructure"}
    assert result.status == exit_codes.INFRASTRUCTURE
    lost = [end for end in result.finished.values() if end["outcome"] == "infrastructure"]
    assert all("was lost" in end["attempts"][0]["detail"] for end in lost)


def test_host_that_cannot_be_reached_is_refused(scratch: Any, tmp_path: Path) -> None:
    scratch.write("test/unit/test_a.py", FILE)
    result = scratch.run("test/unit", "--host", f"popen//python={tmp_path}{os.sep}nothing")
    assert result.status == exit_codes.USAGE
    assert "--host: expected a reachable execnet specification" in result.text


if __name__ == "__main__":
    run_this_file()
