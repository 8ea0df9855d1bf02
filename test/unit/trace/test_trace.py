"""The flow trace: off it records nothing, on it records what was reached, in text and as Chrome."""

import json
import subprocess
import sys

import pytest

from cepheid import _trace, _trace_file, trace
from tools.runner import run_this_file

FIRST, SECOND = _trace.FLOWS[_trace.IMPORT][:2]


def test_a_recording_holds_the_stages_reached_inside_it():
    _trace.stage(_trace.IMPORT, FIRST)
    with _trace.Recording() as events:
        _trace.stage(_trace.IMPORT, FIRST, path="x")
        _trace.absent(_trace.IMPORT, SECOND, "there is none")
    _trace.stage(_trace.IMPORT, SECOND)
    assert [(e["stage"], e["status"], e["reason"]) for e in events] == [
        (FIRST, "done", ""),
        (SECOND, "absent", "there is none"),
    ]
    assert events[0]["facts"] == {"path": "x"}


def test_recordings_may_nest():
    with _trace.Recording() as outer:
        with _trace.Recording() as inner:
            _trace.stage(_trace.IMPORT, FIRST)
        _trace.stage(_trace.IMPORT, SECOND)
    assert [len(outer), len(inner)] == [2, 1]


def test_an_unknown_stage_is_refused_while_somebody_listens():
    with _trace.Recording(), pytest.raises(ValueError, match=r"expected a stage of flow 1.*'soup'"):
        _trace.stage(_trace.IMPORT, "soup")


def test_a_file_keeps_the_order_of_times(tmp_path):
    path = str(tmp_path / "trace.jsonl")
    write = _trace_file.writer(path)
    write({"flow": 8, "stage": "b", "t": 2.0})
    write({"flow": 8, "stage": "a", "t": 1.0})
    assert [event["stage"] for event in _trace_file.read(path)] == ["a", "b"]
    assert _trace_file.read(str(tmp_path / "none")) == []


EVENTS = [
    {"flow": 8, "stage": "a", "status": "done", "reason": "", "t": 1.0, "pid": 7},
    {"flow": 8, "stage": "b", "status": "absent", "reason": "why", "t": 1.25, "pid": 7},
    {
        "flow": 1,
        "stage": "c",
        "status": "done",
        "reason": "",
        "t": 1.1,
        "pid": 9,
        "facts": {"n": 3},
    },
]


def test_as_text():
    assert list(trace.as_text(EVENTS)) == [
        "flow 8: test run (process 7)",
        "      0.00 ms  a",
        "    250.00 ms  b  absent: why",
        "flow 1: import (process 9)",
        "      0.00 ms  c  n=3",
    ]


def test_as_chrome_a_stage_lasts_until_the_next():
    rows = trace.as_chrome([{"facts": {}, **event} for event in EVENTS])["traceEvents"]
    assert [(row["name"], row["ph"], row["dur"]) for row in rows] == [
        ("a", "X", pytest.approx(250_000)),
        ("b", "X", 0.0),
        ("c", "X", 0.0),
    ]
    assert rows[1]["args"]["reason"] == "why"


def test_the_command_shows_an_import_and_passes_the_status_on(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys, cepheid\nprint(sys.argv[1:])\nsys.exit(3)\n")
    chrome = tmp_path / "out.json"
    command = [sys.executable, "-m", "cepheid.trace", str(script), "--chrome", str(chrome), "x"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "['x']"
    assert "flow 1: import" in lines[1]
    assert len(lines) == 2 + len(_trace.FLOWS[_trace.IMPORT])
    names = [row["name"] for row in json.loads(chrome.read_text())["traceEvents"]]
    assert names == list(_trace.FLOWS[_trace.IMPORT])


if __name__ == "__main__":
    run_this_file()
