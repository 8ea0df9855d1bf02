"""Planted faults: each is named rightly, and no other test is lost."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from tools.runner import run_this_file

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

FLAKES = 40
FLAKE_SEED = 7

FAULTS = """
import ctypes, os, signal, subprocess, sys, threading, time
import pytest

short = pytest.mark.timeout(1)

def test_before(): pass
def test_segfault(): ctypes.string_at(0)
def test_abort(): os.abort()
def test_exit_zero():
    print("last words")
    os._exit(0)
def test_exit_three(): os._exit(3)
def test_killed(): os.kill(os.getpid(), signal.SIGKILL)
@short
def test_hang_with_gil(): ctypes.PyDLL(None).sleep(60)
@short
def test_hang_without_gil(): time.sleep(60)
@short
def test_hang_ignores_sigterm():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)
def test_kills_its_supervisor():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
def test_keyboard_interrupt(): raise KeyboardInterrupt("from inside")
def test_pytest_exit(): pytest.exit("enough")
def test_sys_exit(): sys.exit(0)
def test_between(): assert True
@pytest.fixture
def exits(): os._exit(0)
def test_exit_in_fixture(exits): pass
@pytest.fixture
def exits_late():
    yield
    os._exit(0)
def test_exit_in_teardown(exits_late): pass
def test_fork_runs_on():
    if os.fork() == 0:
        raise RuntimeError("the child goes on as a second session")
    os.wait()
def test_after(): pass
"""

LEAKS = """
import os, subprocess, sys, threading, time

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]

def test_child(): subprocess.Popen(SLEEP)
def test_own_session(): subprocess.Popen(SLEEP, start_new_session=True)
def test_double_fork():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(SLEEP[0], SLEEP)
        os._exit(0)
    os.wait()
def test_clean_child(): subprocess.run([sys.executable, "-S", "-c", ""], check=True)
def test_daemon_thread(): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
def test_after(): pass
"""

LEAK_BEFORE_CRASH = """
import os, subprocess, sys

def test_child(): subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
def test_clean(): pass
def test_crash(): os.abort()
"""

THREAD = """
import threading, time

def test_before(): pass
def test_thread(): threading.Thread(target=time.sleep, args=(60,), name="worker").start()
def test_after(): pass
"""

JOINED_AT_EXIT = """
import multiprocessing, time

def test_before(): pass
def test_spawn():
    multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,)).start()
def test_after(): pass
"""

MEMORY = """
import time

def test_before(): pass
def test_blow_up():
    held = []
    for _ in range(60):
        held.append(b"x" * (50 << 20))
        time.sleep(0.02)
def test_after(): pass
"""

OUTPUT = """
import os, sys

def test_much_output():
    print("HEAD")
    for _ in range(20):
        sys.stdout.write("x" * (1 << 20))
    print("TAIL")
    assert False
def test_much_output_passes(): os.write(1, b"y" * (20 << 20))
def test_closes_descriptors():
    os.closerange(0, 256)
def test_reuses_descriptors(tmp_path):
    os.closerange(3, 256)
    files = [(tmp_path / str(number)).open("w") for number in range(20)]
    for file in files:
        file.flush()
    assert not any((tmp_path / str(number)).read_text() for number in range(20))
def test_after(): pass
"""

FLAKE = f"""
import random
from pathlib import Path
import pytest

FLAKY = random.Random({FLAKE_SEED}).sample(range({FLAKES}), {FLAKES} // 10)

@pytest.mark.parametrize("number", range({FLAKES}))
def test_flake(number):
    seen = Path(__file__).with_name(f"seen{{number}}")
    first = not seen.exists()
    seen.write_text("")
    assert not (first and number in FLAKY)
"""

EXIT_HOOK = """
import atexit, ctypes

def test_before(): pass
def test_crash_at_exit(): atexit.register(ctypes.string_at, 0)
"""


@pytest.fixture(scope="module")
def drill(make_scratch: Callable[[], Any]) -> Any:
    scratch = make_scratch()
    files = {
        "faults": FAULTS,
        "leaks": LEAKS,
        "leak_before_crash": LEAK_BEFORE_CRASH,
        "thread": THREAD,
        "joined": JOINED_AT_EXIT,
        "memory": MEMORY,
        "output": OUTPUT,
        "flake": FLAKE,
        "at_exit": EXIT_HOOK,
        "import_exit": "import os\nos._exit(0)\ndef test_never(): pass\n",
        "import_error": "import no_such_module\ndef test_never(): pass\n",
        "too_long": "import pytest\n@pytest.mark.timeout(1000)\ndef test_never(): pass\n",
        "skipped_file": "import pytest\npytest.skip('not here', allow_module_level=True)\n",
    }
    for name, text in files.items():
        scratch.write(f"test/unit/test_{name}.py", text)
    return scratch.run("unit", "--memory", "500")


EXPECTED = {
    "test_faults.py::test_before": "passed",
    "test_faults.py::test_segfault": "crashed",
    "test_faults.py::test_abort": "crashed",
    "test_faults.py::test_exit_zero": "crashed",
    "test_faults.py::test_exit_three": "crashed",
    "test_faults.py::test_killed": "crashed",
    "test_faults.py::test_hang_with_gil": "timeout",
    "test_faults.py::test_hang_without_gil": "timeout",
    "test_faults.py::test_hang_ignores_sigterm": "timeout",
    "test_faults.py::test_kills_its_supervisor": "crashed",
    "test_faults.py::test_keyboard_interrupt": "failed",
    "test_faults.py::test_pytest_exit": "failed",
    "test_faults.py::test_sys_exit": "failed",
    "test_faults.py::test_between": "passed",
    "test_faults.py::test_exit_in_fixture": "crashed",
    "test_faults.py::test_exit_in_teardown": "crashed",
    "test_faults.py::test_fork_runs_on": "passed",
    "test_faults.py::test_after": "passed",
    "test_leaks.py::test_child": "leak",
    "test_leaks.py::test_own_session": "leak",
    "test_leaks.py::test_double_fork": "leak",
    "test_leaks.py::test_clean_child": "passed",
    "test_leaks.py::test_daemon_thread": "passed",
    "test_leaks.py::test_after": "passed",
    "test_leak_before_crash.py::test_child": "leak",
    "test_leak_before_crash.py::test_clean": "passed",
    "test_leak_before_crash.py::test_crash": "crashed",
    "test_thread.py::test_before": "passed",
    "test_thread.py::test_thread": "leak",
    "test_thread.py::test_after": "passed",
    "test_joined.py::test_before": "passed",
    "test_joined.py::test_spawn": "leak",
    "test_joined.py::test_after": "passed",
    "test_memory.py::test_before": "passed",
    "test_memory.py::test_blow_up": "memory",
    "test_memory.py::test_after": "passed",
    "test_output.py::test_much_output": "failed",
    "test_output.py::test_much_output_passes": "passed",
    "test_output.py::test_closes_descriptors": "passed",
    "test_output.py::test_reuses_descriptors": "passed",
    "test_output.py::test_after": "passed",
    "test_at_exit.py::test_before": "passed",
    "test_at_exit.py::test_crash_at_exit": "crashed",
    "test_import_exit.py::<collection>": "error",
    "test_import_error.py::<collection>": "error",
    "test_too_long.py::test_never::<collection>": "error",
    "test_skipped_file.py::<collection>": "skipped",
}


def flaky_numbers() -> list[int]:
    return random.Random(FLAKE_SEED).sample(range(FLAKES), FLAKES // 10)


@pytest.mark.parametrize("test", EXPECTED)
def test_fault_is_named(drill: Any, test: str) -> None:
    assert drill.outcomes[test] == EXPECTED[test]


def test_flakes_are_named(drill: Any) -> None:
    flaky = {f"test_flake.py::test_flake[{number}]" for number in flaky_numbers()}
    named = {test for test, outcome in drill.outcomes.items() if outcome == "flaky"}
    assert named == flaky


def test_no_test_is_lost(drill: Any) -> None:
    flakes = {f"test_flake.py::test_flake[{number}]" for number in range(FLAKES)}
    assert set(drill.outcomes) == set(EXPECTED) | flakes
    plan = next(event for event in drill.events if event["type"] == "PlanMade")
    finished = [event["id"] for event in drill.events if event["type"] == "TestFinished"]
    assert sorted(finished) == sorted(plan["ids"])


def test_sums_follow_from_the_outcomes(drill: Any) -> None:
    outcomes = list(drill.outcomes.values())
    passed, skipped = outcomes.count("passed"), outcomes.count("skipped")
    failed = len(outcomes) - passed - skipped
    assert drill.status == 1
    assert drill.last_line == f"{passed} passed, {failed} failed, {skipped} skipped"


DETAILS = {
    "test_faults.py::test_segfault": "SIGSEGV",
    "test_faults.py::test_abort": "SIGABRT",
    "test_faults.py::test_killed": "SIGKILL",
    "test_faults.py::test_exit_zero": "status 0",
    "test_faults.py::test_exit_three": "status 3",
    "test_faults.py::test_kills_its_supervisor": "its supervisor ended (SIGKILL)",
    "test_faults.py::test_keyboard_interrupt": "KeyboardInterrupt: from inside",
    "test_faults.py::test_pytest_exit": "enough",
    "test_faults.py::test_sys_exit": "SystemExit",
    "test_faults.py::test_hang_with_gil": "still running after 1.",
    "test_leaks.py::test_own_session": "time.sleep(60)",
    "test_thread.py::test_thread": "left running: thread worker",
    "test_joined.py::test_spawn": "left running: a process",
    "test_memory.py::test_blow_up": "resident memory reached",
    "test_at_exit.py::test_crash_at_exit": "after the end of this test: process ended by SIGSEGV",
    "test_import_error.py::<collection>": "no_such_module",
    "test_too_long.py::test_never::<collection>": "expected seconds in (0, 90]; got 1000",
    "test_skipped_file.py::<collection>": "not here",
}


@pytest.mark.parametrize("test", DETAILS)
def test_detail_says_what_happened(drill: Any, test: str) -> None:
    ending = next(end for id, end in drill.finished.items() if id.endswith(f"/{test}"))
    assert DETAILS[test] in ending["attempts"][-1]["detail"]


def attempts_of(drill: Any, test: str) -> list[dict[str, Any]]:
    attempts: list[dict[str, Any]] = drill.finished[f"test/unit/{test}"]["attempts"]
    return attempts


@pytest.mark.parametrize("test", ["test_hang_with_gil", "test_hang_without_gil"])
def test_stacks_of_a_hang_are_kept(drill: Any, test: str) -> None:
    assert test in attempts_of(drill, f"test_faults.py::{test}")[0]["stacks"]


def test_output_of_a_crash_is_kept(drill: Any) -> None:
    attempts = attempts_of(drill, "test_faults.py::test_exit_zero")
    assert [attempt["output"].strip() for attempt in attempts] == ["last words", "last words"]


def test_large_output_keeps_head_and_tail(drill: Any) -> None:
    output = attempts_of(drill, "test_output.py::test_much_output")[0]["output"]
    assert output.startswith("HEAD") and output.rstrip().endswith("TAIL")
    assert "bytes left out" in output and len(output) < 200_000


def test_failure_is_tried_again_and_a_crash_once(drill: Any) -> None:
    assert len(attempts_of(drill, "test_faults.py::test_sys_exit")) == 4
    assert len(attempts_of(drill, "test_faults.py::test_abort")) == 2
    assert len(attempts_of(drill, "test_import_error.py::<collection>")) == 1


if __name__ == "__main__":
    run_this_file()
