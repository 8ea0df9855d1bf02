"""Faulty tests, and what the runner has to call each of them.

`FILES` are test files by name, `EXPECTED` the outcome of every test in them: `FAULTS`, named after
their tests, and `BENIGN`, the tests beside them that must not suffer.
"""

import random

TIMEOUT_S = 5.0
GRACE_S = 10.0
"""A fault is dealt with by then after its time limit: killed, told, the next test on its way."""

OWN_LIMITS_S = {"test_output.py::test_much_output": 60.0, "test_memory.py::test_blow_up": 60.0}
"""Limits of those that need real work of the machine, so that its load is not what is measured."""

FLAKES = 40
FLAKE_SEED = 7

_ENDINGS = """
import ctypes, os, signal, sys, threading, time
import pytest

def test_before(): pass
def test_segfault(): ctypes.string_at(0)
def test_abort(): os.abort()
def test_exit_zero():
    print("last words")
    os._exit(0)
def test_exit_three(): os._exit(3)
def test_killed(): os.kill(os.getpid(), signal.SIGKILL)
def test_kills_its_group(): os.killpg(os.getpgrp(), signal.SIGKILL)
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
def test_recursion():
    def again(): again()
    again()
def test_stack_overflow():
    sys.setrecursionlimit(10**9)
    nested = []
    for _ in range(10**4):
        nested = [nested]
    threading.stack_size(256 * 1024)
    thread = threading.Thread(target=repr, args=(nested,))
    thread.start()
    thread.join()
def test_fork_runs_on():
    if os.fork() == 0:
        raise RuntimeError("the child goes on as a second session")
    os.wait()
def test_after(): pass
"""

_HANGS = """
import ctypes, os, signal, subprocess, sys, time

def test_before(): pass
def test_hang_with_gil(): ctypes.PyDLL(None).sleep(60)
def test_hang_without_gil(): time.sleep(60)
def test_hang_ignores_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)
    ctypes.PyDLL(None).sleep(60)
def test_hang_with_child():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).wait()
def test_after(): pass
"""

_LEAKS = """
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

_LEAK_BEFORE_CRASH = """
import os, subprocess, sys

def test_child(): subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
def test_clean(): pass
def test_crash(): os.abort()
"""

_THREAD = """
import threading, time

def test_before(): pass
def test_thread(): threading.Thread(target=time.sleep, args=(60,), name="worker").start()
def test_after(): pass
"""

_JOINED_AT_EXIT = """
import multiprocessing, time

def test_before(): pass
def test_spawn():
    multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,)).start()
def test_after(): pass
"""

_MEMORY = """
import time
import pytest

def test_before(): pass
@pytest.mark.timeout(60)
def test_blow_up():
    held = []
    for _ in range(60):
        held.append(b"x" * (50 << 20))
        time.sleep(0.02)
def test_after(): pass
"""

_OUTPUT = """
import os, sys
import pytest

@pytest.mark.timeout(60)
def test_much_output():
    print("HEAD")
    for _ in range(100):
        sys.stdout.write("x" * (1 << 20))
    print("TAIL")
    assert False
def test_much_output_passes(): os.write(1, b"y" * (20 << 20))
def test_closes_stdout(): sys.stdout.close()
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

_DESCRIPTORS = """
import os, resource

HELD = []

def test_before(): pass
def test_uses_up_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    while True:
        HELD.append(open(os.devnull))
def test_after(): pass
"""

_SURROUNDINGS = """
import os, time
import _pytest.runner, pytest

def test_before(): pass
def test_changes_folder(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    os.chdir(folder)
    folder.rmdir()
def test_replaces_time():
    time.monotonic = time.time = time.perf_counter = lambda: 0.0
    time.sleep = lambda _: None
def test_replaces_pytest():
    original = _pytest.runner.CallInfo.from_call
    def swallow(func, when, reraise=None):
        try:
            func()
        except Exception:
            pass
        return original(lambda: None, when, reraise)
    _pytest.runner.CallInfo.from_call = swallow
def test_failure_behind_it(): assert False
def test_clears_variables(): os.environ.clear()
def test_after(): pass
"""

_ORDER = """
STATE = set()

def test_polluter(): STATE.add("dirt")
def test_between(): pass
def test_victim(): assert "dirt" not in STATE
def test_brittle(): assert "ready" in STATE
def test_enabler(): STATE.add("ready")
"""

_FLAKE = f"""
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

_EXIT_HOOK = """
import atexit, ctypes

def test_before(): pass
def test_crash_at_exit(): atexit.register(ctypes.string_at, 0)
"""

_DELETED = """
import os

def test_deletes_its_file(): os.remove(__file__)
def test_crash_then(): os.abort()
def test_gone(): pass
"""

_DISK = """
import errno

def test_disk_full(): raise OSError(errno.ENOSPC, "No space left on device")
def test_after(): pass
"""

_ENDLESS = """
import time
while True:
    time.sleep(0.01)
def test_never(): pass
"""

FILES = {
    "endings": _ENDINGS,
    "hangs": _HANGS,
    "leaks": _LEAKS,
    "leak_before_crash": _LEAK_BEFORE_CRASH,
    "thread": _THREAD,
    "joined": _JOINED_AT_EXIT,
    "memory": _MEMORY,
    "output": _OUTPUT,
    "descriptors": _DESCRIPTORS,
    "surroundings": _SURROUNDINGS,
    "order": _ORDER,
    "flake": _FLAKE,
    "at_exit": _EXIT_HOOK,
    "deleted": _DELETED,
    "disk": _DISK,
    "endless": _ENDLESS,
    "import_exit": "import os\nos._exit(0)\ndef test_never(): pass\n",
    "import_error": "import no_such_module\ndef test_never(): pass\n",
    "too_long": "import pytest\n@pytest.mark.timeout(1000)\ndef test_never(): pass\n",
    "skipped_file": "import pytest\npytest.skip('not here', allow_module_level=True)\n",
}

_FAULTS = {
    "endings": {
        "segfault": "crashed",
        "abort": "crashed",
        "exit_zero": "crashed",
        "exit_three": "crashed",
        "killed": "crashed",
        "kills_its_group": "crashed",
        "kills_its_supervisor": "crashed",
        "keyboard_interrupt": "failed",
        "pytest_exit": "failed",
        "sys_exit": "failed",
        "exit_in_fixture": "crashed",
        "exit_in_teardown": "crashed",
        "fork_runs_on": "passed",
        "recursion": "failed",
        "stack_overflow": "crashed",
    },
    "hangs": {
        "hang_with_gil": "timeout",
        "hang_without_gil": "timeout",
        "hang_ignores_signals": "timeout",
        "hang_with_child": "timeout",
    },
    "leaks": {
        "child": "leak",
        "own_session": "leak",
        "double_fork": "leak",
    },
    "leak_before_crash": {"child": "leak", "crash": "crashed"},
    "thread": {"thread": "leak"},
    "joined": {"spawn": "leak"},
    "memory": {"blow_up": "memory"},
    "output": {
        "much_output": "failed",
        "much_output_passes": "passed",
        "closes_stdout": "passed",
        "closes_descriptors": "passed",
        "reuses_descriptors": "passed",
    },
    "descriptors": {"uses_up_descriptors": "failed"},
    "surroundings": {
        "changes_folder": "passed",
        "replaces_time": "failed",
        "replaces_pytest": "failed",
        "failure_behind_it": "failed",
        "clears_variables": "passed",
    },
    "order": {"victim": "order_dependent", "brittle": "order_dependent"},
    "at_exit": {"crash_at_exit": "crashed"},
    "deleted": {"deletes_its_file": "passed", "crash_then": "crashed", "gone": "missing"},
    "disk": {"disk_full": "infrastructure"},
}

_COLLECTION_FAULTS = {
    "test_endless.py::<collection>": "error",
    "test_import_exit.py::<collection>": "error",
    "test_import_error.py::<collection>": "error",
    "test_too_long.py::test_never::<collection>": "error",
    "test_skipped_file.py::<collection>": "skipped",
}

_PASSING = {
    "endings": ("before", "between", "after"),
    "hangs": ("before", "after"),
    "leaks": ("clean_child", "daemon_thread", "after"),
    "leak_before_crash": ("clean",),
    "thread": ("before", "after"),
    "joined": ("before", "after"),
    "memory": ("before", "after"),
    "output": ("after",),
    "descriptors": ("before", "after"),
    "surroundings": ("before", "after"),
    "order": ("polluter", "between", "enabler"),
    "at_exit": ("before",),
    "disk": ("after",),
}


def flaky_numbers() -> frozenset[int]:
    """Parameters of test_flake that fail once."""
    return frozenset(random.Random(FLAKE_SEED).sample(range(FLAKES), FLAKES // 10))


def _flakes(flaky: bool) -> dict[str, str]:
    numbers = [number for number in range(FLAKES) if (number in flaky_numbers()) is flaky]
    outcome = "flaky" if flaky else "passed"
    return {f"test_flake.py::test_flake[{number}]": outcome for number in numbers}


FAULTS: dict[str, str] = {
    **{
        f"test_{file}.py::test_{name}": outcome
        for file, tests in _FAULTS.items()
        for name, outcome in tests.items()
    },
    **_COLLECTION_FAULTS,
    **_flakes(True),
}
"""Every fault, by the id behind the last slash -> outcome."""

BENIGN: dict[str, str] = {
    **{f"test_{file}.py::test_{name}": "passed" for file in _PASSING for name in _PASSING[file]},
    **_flakes(False),
}

EXPECTED: dict[str, str] = {**FAULTS, **BENIGN}

ARGUMENTS = ("unit", "--memory", "500", "--timeout", f"{TIMEOUT_S:g}")
