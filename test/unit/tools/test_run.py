"""Whole runs over a scratch tree: selection, exit status, reports, flow 8."""

import json
import os
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.runner import exit_codes, run_this_file, trace
from tools.sharding.check import problems, read_report

pytestmark = pytest.mark.slow

PASSING = "def test_one(): pass\ndef test_two(): pass\n"
MIXED = """
import pytest
def test_good(): pass
def test_bad(): assert 1 == 2
@pytest.mark.slow
def test_slow(): pass
def test_skipped(): pytest.skip("no device")
@pytest.mark.xfail(reason="known", strict=False)
def test_expected(): assert False
@pytest.mark.xfail(reason="mended", strict=False)
def test_unexpected(): pass
"""
CELLS = """
import pytest
KEY = {"op": "add", "check": "values", "device": "cpu", "impl": "cepheid"}
def cell(dtype, **more): return ("cell", {**KEY, "dtype": dtype, **more})
def test_declared(request): request.node.user_properties.append(cell("float32"))
def test_given(request):
    request.node.user_properties.append(cell("int32", verdict="unsupported", reason="declared"))
"""
IMPL_OPTION = "def pytest_addoption(parser): parser.addoption('--impl')\n"


@pytest.fixture(scope="module")
def good(make_scratch: Callable[[], Any]) -> Any:
    """A run in which everything passes, a serial file and a trace file included."""
    scratch = make_scratch()
    scratch.write("test/unit/test_a.py", PASSING)
    scratch.write("test/serial/test_z.py", PASSING)
    return scratch.run("test_", CEPHEID_TRACE_FILE=str(scratch.root / "trace"))


@pytest.fixture(scope="module")
def mixed(make_scratch: Callable[[], Any]) -> Any:
    """A run with every plain outcome."""
    scratch = make_scratch()
    scratch.write("test/unit/test_a.py", MIXED + "def test_control(): assert '\\x00' == '\\x1b'\n")
    return scratch.run("test_a")


def test_last_line_and_report_path(good: Any) -> None:
    assert good.status == exit_codes.PASSED
    *_, before, last = good.text.splitlines()
    assert before == f"report: {good.folder / 'report.html'}"
    assert last == "4 passed, 0 failed, 0 skipped"
    assert (good.folder.parent / "latest").resolve() == good.folder


def test_stages_of_the_flow_in_order(good: Any) -> None:
    stages = [event for event in good.events if event["type"] == "Stage"]
    assert tuple(dict.fromkeys(stage["name"] for stage in stages)) == trace.FLOW
    absent = {stage["name"]: stage["absent"] for stage in stages if stage["absent"]}
    assert absent == {trace.TARGETS: trace.NO_TARGETS}


def test_stages_are_written_to_the_trace_file(good: Any) -> None:
    path = good.folder.parents[1] / "trace"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert tuple(dict.fromkeys(record["stage"] for record in records)) == trace.FLOW
    assert {record["flow"] for record in records} == {8}
    status = {record["stage"]: (record["status"], record["reason"]) for record in records}
    assert status.pop(trace.TARGETS) == ("absent", trace.NO_TARGETS)
    assert set(status.values()) == {("done", "")}


def test_serial_files_run_before_parallel_ones(good: Any) -> None:
    files = [event["files"] for event in good.events if "files" in event]
    assert files == [["test/serial/test_z.py"], ["test/unit/test_a.py"]]


def test_durations_are_measured(good: Any) -> None:
    durations = json.loads((good.folder / "durations.json").read_text())
    assert set(durations) == set(good.finished)


def test_outcomes_and_sums(mixed: Any) -> None:
    assert mixed.outcomes == {
        "test_a.py::test_good": "passed",
        "test_a.py::test_bad": "failed",
        "test_a.py::test_slow": "passed",
        "test_a.py::test_skipped": "skipped",
        "test_a.py::test_expected": "xfailed",
        "test_a.py::test_unexpected": "failed",
        "test_a.py::test_control": "failed",
    }
    assert mixed.last_line == "3 passed, 3 failed, 1 skipped"
    assert mixed.status == exit_codes.FAILED


def test_junit_has_every_test_and_every_attempt(mixed: Any) -> None:
    suite = ElementTree.parse(mixed.folder / "junit.xml").getroot()[0]
    children = {case.get("name"): [child.tag for child in case] for case in suite}
    assert len(children) == 7
    assert children["test_good"] == []
    retries = 3 * ["rerunFailure"]
    assert children["test_bad"] == ["properties", "failure", *retries]
    assert children["test_skipped"] == ["skipped"]
    assert suite.get("failures") == "3"


def test_page_shows_failure_and_command(mixed: Any) -> None:
    page = (mixed.folder / "report.html").read_text()
    assert "assert 1 == 2" in page
    assert "python3 run_test.py test/unit/test_a.py::test_bad --impl cepheid" in page


def test_unknown_stage_is_refused() -> None:
    with pytest.raises(ValueError, match=r"stage: expected one of .* got 'lunch'"):
        trace.stage("lunch")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["test/unit/test_a.py"], {"test_a.py::test_one", "test_a.py::test_two"}),
        (["test/unit/test_a.py::test_one"], {"test_a.py::test_one"}),
        (["test/*/test_a.py", "-k", "two"], {"test_a.py::test_two"}),
        (["_b"], {"test_b.py::test_one", "test_b.py::test_two"}),
        (["smoke", "-k", "one"], {"test_a.py::test_one", "test_b.py::test_one"}),
    ],
)
def test_selection(scratch: Any, arguments: list[str], expected: set[str]) -> None:
    scratch.write("test/unit/test_a.py", PASSING)
    scratch.write("test/unit/test_b.py", PASSING)
    assert set(scratch.run(*arguments).outcomes) == expected


def test_groups_markers_and_the_argument_both_hold(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", MIXED)
    text = scratch.run("smoke", "-m", "not xfail", "--list").text
    tests = {line.rpartition("::")[2] for line in text.splitlines() if "::" in line}
    assert tests == {"test_good", "test_bad", "test_skipped"}


def test_include_variable_adds_to_the_arguments(scratch: Any) -> None:
    for name in "abc":
        scratch.write(f"test/unit/test_{name}.py", PASSING)
    result = scratch.run("test_a", "-k", "one", TESTS_TO_INCLUDE="test_b, test_a")
    assert set(result.outcomes) == {"test_a.py::test_one", "test_b.py::test_one"}


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["nowhere"], exit_codes.EMPTY_SELECTION, "nowhere: no test file has this name"),
        (["smoke", "-k", "nothing"], exit_codes.EMPTY_SELECTION, "2 tests left out by -k"),
        (["--shard", "3/2"], exit_codes.USAGE, "--shard: expected I/N with 1 <= I <= N"),
        (["--impl", "=python"], exit_codes.USAGE, "--impl: expected NAME, package"),
        (["--jobs", "0"], exit_codes.USAGE, "expected at least 1; got 0"),
        (["--share", "0.5"], exit_codes.USAGE, "--share divides the tests of --changed"),
    ],
)
def test_refusals(scratch: Any, arguments: list[str], status: int, text: str) -> None:
    scratch.write("test/unit/test_a.py", PASSING)
    result = scratch.run(*arguments)
    assert result.status == status
    assert text in result.text


def test_flaky_alone_has_its_own_exit_status(scratch: Any) -> None:
    scratch.write(
        "test/unit/test_a.py",
        "from pathlib import Path\nSEEN = Path(__file__).with_name('seen')\n"
        "def test_flake():\n    first = not SEEN.exists()\n"
        "    SEEN.touch()\n    assert not first\n",
    )
    result = scratch.run()
    assert result.status == exit_codes.FLAKY
    assert result.last_line == "0 passed, 1 failed, 0 skipped"


def test_many_failures_are_not_tried_again(scratch: Any) -> None:
    text = "import pytest\n@pytest.mark.parametrize('n', range(30))\ndef test_n(n): assert n < 2\n"
    scratch.write("test/unit/test_a.py", text)
    result = scratch.run()
    assert {len(end["attempts"]) for end in result.finished.values()} == {1}
    assert result.last_line == "2 passed, 28 failed, 0 skipped"


def test_file_that_ends_its_process_at_once_is_not_tried_test_by_test(scratch: Any) -> None:
    scratch.write(
        "test/unit/test_a.py",
        "import os, pytest\nfrom pathlib import Path\nSEEN = Path(__file__).with_name('seen')\n"
        "if SEEN.exists():\n    os._exit(9)\nSEEN.touch()\n"
        "@pytest.mark.parametrize('n', range(50))\ndef test_n(n): pass\n",
    )
    result = scratch.run()
    assert set(result.outcomes.values()) == {"crashed"}
    details = {end["attempts"][-1]["detail"] for end in result.finished.values()}
    assert details == {"process ended with status 9 before the test did; no test had begun"}
    assert len(list((result.folder / "processes").iterdir())) < 10


def test_planned_test_that_is_not_collected_again_is_missing(scratch: Any) -> None:
    scratch.write(
        "test/unit/test_a.py",
        "from pathlib import Path\nSEEN = Path(__file__).with_name('seen')\ndef test_one(): pass\n"
        "if not SEEN.exists():\n    def test_gone(): pass\nSEEN.touch()\n",
    )
    result = scratch.run()
    assert result.outcomes == {"test_a.py::test_one": "passed", "test_a.py::test_gone": "missing"}
    assert result.status == exit_codes.FAILED


def test_pool_attributes_faults_of_its_workers(scratch: Any) -> None:
    scratch.write(
        "test/unit/test_a.py",
        "import ctypes, pytest, subprocess, sys, time\n"
        "@pytest.mark.parametrize('n', range(20))\ndef test_n(n): pass\n"
        "def test_crash(): ctypes.string_at(0)\n"
        "@pytest.mark.timeout(1)\ndef test_hang(): time.sleep(60)\n",
    )
    scratch.write(
        "test/unit/test_b.py",
        "import subprocess, sys\ndef test_bad(): assert 1 == 2\n"
        "def test_leak(): subprocess.Popen(['cat'], stdin=-1)\n"
        "def test_leak_session():\n"
        "    command = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "    subprocess.Popen(command, start_new_session=True)\n",
    )
    result = scratch.run("pool")
    assert any(event.get("workers") == 2 for event in result.events)
    assert {test: end for test, end in result.outcomes.items() if end != "passed"} == {
        "test_a.py::test_crash": "crashed",
        "test_a.py::test_hang": "timeout",
        "test_b.py::test_bad": "failed",
        "test_b.py::test_leak_session": "leak",
    }
    assert len(result.outcomes) == 25


def test_shards_are_parts_of_one_plan(scratch: Any) -> None:
    for name in "abc":
        scratch.write(f"test/unit/test_{name}.py", PASSING)
    runs = [scratch.run("smoke", "--shard", f"{index}/3") for index in (1, 2, 3)]
    reports = [read_report(run.folder / "events.jsonl") for run in runs]
    assert problems(reports) == []
    assert sum(len(run.outcomes) for run in runs) == 6
    assert all(f"plan {reports[0].plan_hash}" in run.text for run in runs)
    assert problems(reports[:2]) == [
        "shards: expected [1, 2, 3]; got [1, 2]",
        *(f"{test}: in no shard" for test in reports[2].planned),
    ]


def test_given_plan_of_other_tests_is_refused(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", PASSING)
    plan = scratch.root / "plan.json"
    empty = json.dumps([[]], separators=(",", ":"))
    plan.write_text(json.dumps({"hash": "0" * 16, "shards": json.loads(empty)}))
    assert "its content is" in scratch.run("smoke", "--plan", str(plan)).text
    for text in ("no JSON", "[]", "{}", '{"shards": []}'):
        plan.write_text(text)
        result = scratch.run("smoke", "--plan", str(plan))
        assert result.status == exit_codes.USAGE, result.text
        assert "expected a plan" in result.text


def test_values_without_a_meaning_are_refused(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", PASSING)
    for option in ("--timeout=-1", "--timeout=nan", "--memory=0", "--for=inf", "--jobs=x"):
        result = scratch.run("smoke", option)
        assert result.status == exit_codes.USAGE, result.text
        assert f"{option.partition('=')[0]}: expected" in result.text


def test_a_list_of_what_can_not_be_collected_fails(scratch: Any) -> None:
    scratch.write("test/unit/test_a.py", PASSING)
    scratch.write("test/unit/test_b.py", "raise OSError('the reason')\n")
    result = scratch.run("smoke", "--list")
    assert result.status == exit_codes.FAILED
    assert "test_a.py::test_one" in result.text
    assert "the reason" in result.text


def test_a_part_of_the_conformance_group_may_leave_cells_blank(scratch: Any) -> None:
    scratch.write("test/conformance/conftest.py", IMPL_OPTION)
    text = "import os\nimport pytest\n@pytest.mark.parametrize('op', ['add', 'mul'])\n"
    text += "def test_cell(request, op):\n    cell = {'op': op, 'check': 'values', 'impl': 'x'}\n"
    text += "    cell |= {'device': 'cpu', 'dtype': op}\n"
    text += "    request.node.user_properties.append(('cell', cell))\n"
    scratch.write("test/conformance/test_add.py", text + "    assert os.environ.get('MENDED')\n")
    assert scratch.run("conformance").status == exit_codes.FAILED
    result = scratch.run("conformance", "--last-failed", MENDED="1")
    assert "2 blank" in result.text
    assert result.status == exit_codes.PASSED, result.text


def test_cells_reach_the_reports(scratch: Any) -> None:
    scratch.write("test/conformance/conftest.py", IMPL_OPTION)
    scratch.write("test/conformance/test_add.py", CELLS)
    result = scratch.run("--impl", "cepheid")
    assert "cells: 1 judged (1 unsupported, 1 pass); 0 blank\n" in result.text
    assert result.status == exit_codes.PASSED
    page = (result.folder / "report.html").read_text()
    assert '"impl":"cepheid","ops":["add"],"checks":["values"]' in page


def test_cells_that_pass_by_a_looser_tolerance_are_counted(scratch: Any) -> None:
    scratch.write("test/conformance/conftest.py", IMPL_OPTION)
    given = "cell('float32', verdict='pass', reason='looser tolerance: 4 ULP')"
    scratch.write("test/conformance/test_add.py", CELLS.replace('cell("float32")', given))
    result = scratch.run("--impl", "cepheid")
    assert "0 blank; 1 by a looser tolerance\n" in result.text


def test_judged_cells_are_counted_by_level(scratch: Any) -> None:
    scratch.write("test/conformance/conftest.py", IMPL_OPTION)
    given = "cell('float32', level=os.environ['CEPHEID_LEVEL'])"
    cells = "import os\n" + CELLS.replace('cell("float32")', given)
    scratch.write("test/conformance/test_add.py", cells)
    result = scratch.run("--impl", "cepheid", "--level", "should")
    assert "\nlevels: should 1 pass\n" in result.text
    assert 'name="level" value="should"' in (result.folder / "junit.xml").read_text()
    assert '"levels":["should"]' in (result.folder / "report.html").read_text()


def test_blank_cells_fail_the_whole_conformance_group(scratch: Any) -> None:
    scratch.write("test/conformance/conftest.py", IMPL_OPTION)
    other = CELLS + "def test_mul(request):\n    request.node.user_properties.append("
    other += "('cell', {**KEY, 'op': 'mul', 'dtype': 'float64'}))\n"
    scratch.write("test/conformance/test_add.py", other)
    result = scratch.run("conformance")
    assert "3 blank" in result.text
    assert result.status == exit_codes.BLANK_CELLS
    assert scratch.run("conformance", "-k", "mul").status == exit_codes.PASSED


def test_whole_conformance_group_without_cells_fails(scratch: Any) -> None:
    scratch.write("test/conformance/conftest.py", IMPL_OPTION)
    scratch.write("test/conformance/test_add.py", PASSING)
    assert scratch.run("conformance").status == exit_codes.BLANK_CELLS


def test_static_cells_are_read(scratch: Any) -> None:
    line = {"op": "add", "check": "values", "dtype": "bool", "device": "cpu", "impl": "cepheid"}
    text = json.dumps({**line, "verdict": "n/a", "reason": "no arithmetic"})
    scratch.write(
        "test/conformance/conftest.py",
        IMPL_OPTION + "import os\nfrom pathlib import Path\n"
        "folder = Path(os.environ['CEPHEID_RUN_DIR']) / 'static_cells'\n"
        f"(folder / 'rules.jsonl').write_text({text!r})\n",
    )
    scratch.write("test/conformance/test_add.py", CELLS)
    assert "(1 n/a, 1 unsupported, 1 pass); 0 blank" in scratch.run("conformance").text


def test_implementation_reaches_the_tests(scratch: Any) -> None:
    scratch.write("test/conformance/conftest.py", IMPL_OPTION)
    scratch.write(
        "test/conformance/test_impl.py",
        "import os\ndef test_impl(pytestconfig):\n"
        "    assert pytestconfig.getoption('--impl') == os.environ['CEPHEID_IMPL'] == 'other'\n"
        "    assert os.environ['CEPHEID_CANDIDATE_PYTHON'] == '/bin/sh'\n",
    )
    assert scratch.run("test_impl", "--impl", "other=/bin/sh").outcomes == {
        "test_impl.py::test_impl": "passed"
    }


def wait_for(path: Path, text: str) -> None:
    deadline = time.monotonic() + 120
    while not (path.exists() and text in path.read_text()):
        assert time.monotonic() < deadline, f"{path} never held {text!r}"
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stop_reports_what_ran(scratch: Any, number: signal.Signals) -> None:
    scratch.write(
        "test/unit/test_a.py",
        "import time\ndef test_a(): pass\ndef test_b(): time.sleep(60)\ndef test_c(): pass\n",
    )
    folder = scratch.root / "stopped"
    process = subprocess.Popen(
        scratch.command(["--report-dir", str(folder)]),
        cwd=scratch.root,
        env=scratch.environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_for(folder / "events.jsonl", '"TestStarted", "id": "test/unit/test_a.py::test_b"')
    os.kill(process.pid, number)
    text, _ = process.communicate(timeout=120)
    assert process.returncode == exit_codes.INTERRUPTED
    assert text.splitlines()[-1] == "1 passed, 2 failed, 0 skipped"
    assert "2 not_run" in text
    assert (folder / "report.html").exists() and (folder / "junit.xml").exists()


def test_dead_runner_takes_its_tests_with_it(scratch: Any) -> None:
    pid_file = scratch.root / "pid"
    scratch.write(
        "test/unit/test_a.py",
        "import os, time\nfrom pathlib import Path\ndef test_a():\n"
        f"    Path({str(pid_file)!r}).write_text(f'{{os.getpid()}}.')\n    time.sleep(60)\n",
    )
    process = subprocess.Popen(
        scratch.command(["--report-dir", str(scratch.root / "killed")]),
        cwd=scratch.root,
        env=scratch.environment(),
        stdout=subprocess.DEVNULL,
    )
    wait_for(pid_file, ".")
    process.kill()
    process.wait()
    test = Path("/proc") / pid_file.read_text().rstrip(".")
    deadline = time.monotonic() + 60
    while test.exists() and " Z " not in (test / "stat").read_text():
        assert time.monotonic() < deadline, "the test process outlived the runner"
        time.sleep(0.05)


if __name__ == "__main__":
    run_this_file()
