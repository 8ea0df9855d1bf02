"""The warm server, a fork for each test, fresh interpreters."""

import os
import signal
from typing import Any

import pytest

from tools.runner import exit_codes, proc, run_this_file

pytestmark = pytest.mark.slow

SHARED = """
import os, threading
SEEN = []
def look():
    SEEN.append(os.getpid())
    print("threads", len(os.listdir("/proc/self/task")), "seen", len(set(SEEN)))
    assert len(os.listdir("/proc/self/task")) == 1
    assert len(SEEN) == 1
def test_one(): look()
def test_two(): look()
"""
FAULTS = """
import os, signal, subprocess, sys, threading, time
import pytest
def test_before(): pass
def test_abort(): os.abort()
def test_killed(): os.kill(os.getpid(), signal.SIGKILL)
def test_kills_its_session(): os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)
def test_exit_zero(): os._exit(0)
def test_exit_three(): os._exit(3)
def test_pytest_exit(): pytest.exit("enough")
@pytest.mark.timeout(1)
def test_hang(): time.sleep(60)
def test_child(): subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
def test_short_thread(): threading.Thread(target=time.sleep, args=(0.2,)).start()
def test_thread(): threading.Thread(target=time.sleep, args=(60,), name="worker").start()
def test_closes_descriptors(): os.closerange(0, 256)
def test_after(): pass
"""
EXPECTED = {
    "test_before": "passed",
    "test_abort": "crashed",
    "test_killed": "crashed",
    "test_kills_its_session": "crashed",
    "test_exit_zero": "crashed",
    "test_exit_three": "crashed",
    "test_pytest_exit": "failed",
    "test_hang": "timeout",
    "test_child": "leak",
    "test_short_thread": "passed",
    "test_thread": "leak",
    "test_closes_descriptors": "passed",
    "test_after": "passed",
}
WHO = """
import os, sys
def test_who(): print("main", sys.modules["__main__"].__spec__.name)
def test_fail(): assert False, sys.modules["__main__"].__spec__.name
"""
FORKS = """
import os, pytest
IMPORTED_BY = os.getpid()
@pytest.mark.parametrize("number", range(5))
def test_fork(number): assert os.getppid() == IMPORTED_BY
"""


@pytest.mark.parametrize("select", [["test/unit", "--isolation", "test"], ["isolated"]])
def test_each_test_has_a_process_of_its_own(scratch: Any, select: list[str]) -> None:
    scratch.write("test/unit/test_a.py", SHARED)
    assert scratch.run(*select).status == exit_codes.PASSED


def test_tests_of_a_file_share_a_process_otherwise(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", SHARED)
    result = scratch.run("test/unit")
    assert result.outcomes["test_a.py::test_one"] == "passed"
    assert result.outcomes["test_a.py::test_two"] != "passed"


def test_faults_of_isolated_tests_are_named(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", FAULTS)
    result = scratch.run("test/unit", "--isolation", "test")
    found = {test.rpartition("::")[2]: how for test, how in result.outcomes.items()}
    assert found == EXPECTED
    details = {test: end["attempts"][0] for test, end in result.finished.items()}
    assert "SIGABRT" in details["test/unit/test_a.py::test_abort"]["detail"]
    assert "status 3" in details["test/unit/test_a.py::test_exit_three"]["detail"]
    assert "test_hang" in details["test/unit/test_a.py::test_hang"]["stacks"]
    assert "worker" in details["test/unit/test_a.py::test_thread"]["detail"]


def test_thread_at_import_is_refused_in_isolation(scratch: Any) -> None:
    text = "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True)"
    scratch.write("test/unit/test_a.py", f"{text}.start()\ndef test_one(): pass\n")
    result = scratch.run("test/unit", "--isolation", "test")
    assert result.status == exit_codes.FAILED
    assert "expected 1 thread before the first test" in result.text
    assert scratch.run("test/unit", "--isolation", "file").status == exit_codes.PASSED


@pytest.mark.parametrize(
    ("folder", "mode", "program"),
    [
        ("unit", "file", "tools.runner.forkserver"),
        ("unit", "spawn", "pytest.__main__"),
        ("gpu", "file", "pytest.__main__"),  # groups.toml: a device is never forked
    ],
)
def test_who_starts_the_process(scratch: Any, folder: str, mode: str, program: str) -> None:
    scratch.write(f"test/{folder}/test_a.py", WHO)
    result = scratch.run(f"test/{folder}", "--isolation", mode)
    end = result.finished[f"test/{folder}/test_a.py::test_fail"]
    assert program in end["attempts"][0]["detail"]


def test_lost_server_is_replaced(scratch: Any) -> None:
    kill = "import os\nfrom tools.runner import proc\ndef test_kill():\n"
    kill += "    parents = proc.parents()\n    os.kill(parents[os.getppid()], 9)\n"
    scratch.write("test/unit/test_a.py", kill)
    scratch.write("test/unit/test_b.py", "def test_one(): pass\n")
    result = scratch.run("test/unit", "--jobs", "1")
    assert result.outcomes["test_b.py::test_one"] == "passed"


def test_warm_module_that_starts_a_thread_is_refused(scratch: Any) -> None:
    scratch.write(
        "threads.py",
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n",
    )
    groups = scratch.root / "groups.toml"
    groups.write_text(groups.read_text().replace("imports = []", 'imports = ["threads"]'))
    scratch.write("test/unit/test_a.py", "def test_one(): pass\n")
    result = scratch.run("test/unit")
    assert result.status == exit_codes.INTERNAL
    assert "importing threads started 1 more" in result.text


def test_nothing_is_left_of_a_run(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", "def test_one(): pass\n")
    scratch.run("test/unit")
    left = [pid for pid in proc.parents() if str(scratch.root) in proc.command_line(pid)]
    assert [pid for pid in left if pid != os.getpid()] == []
    assert signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL


def test_isolation_costs_a_fork_and_not_an_interpreter(scratch: Any) -> None:
    """The file is imported once, by the process that the tests' own are forks of. What that costs
    in milliseconds is measured where nothing else runs: `python -m tools.drill.isolation`."""
    scratch.write("test/unit/test_a.py", FORKS)
    result = scratch.run("test/unit", "--isolation", "test")
    assert result.last_line == "5 passed, 0 failed, 0 skipped"


if __name__ == "__main__":
    run_this_file()
