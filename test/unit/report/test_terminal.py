"""A terminal shows progress, rate and what is left; a pipe gets plain lines."""

import io
import re
from pathlib import Path

import pytest

from tools.runner.events import Attempt, Event, Outcome, PlanMade, RunFinished, TestFinished
from tools.runner.report.terminal import Terminal

NAMES = [f"f::t[{number}]" for number in range(20)]
END = RunFinished({"passed": 19, "failed": 1}, 19, 1, 0, 2.0, 1, "1 of 20 tests failed")


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def _events() -> list[Event]:
    outcomes = [Outcome.FAILED, *19 * [Outcome.PASSED]]
    tests = [
        TestFinished(name, outcome, 0.1, (Attempt(outcome, 0.1, "assert 1 == 2"),))
        for name, outcome in zip(NAMES, outcomes, strict=True)
    ]
    return [PlanMade("abc", 1, 1, tuple(NAMES)), *tests, END]


def _shown(stream: io.StringIO) -> str:
    terminal = Terminal(stream, Path("report.html"))
    for event in _events():
        terminal.take(event)
    return stream.getvalue()


def test_a_terminal_shows_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "140")
    text = re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", _shown(Tty()))
    assert "20/20" in text and "left" in text and "1 failed, last t[0]" in text
    assert text.splitlines()[-1] == "19 passed, 1 failed, 0 skipped"


def test_a_pipe_stays_plain() -> None:
    text = _shown(io.StringIO())
    assert "\x1b" not in text and "left" not in text
    assert "FAILED f::t[0]" in text and "assert 1 == 2" in text
    assert text.splitlines()[-1] == "19 passed, 1 failed, 0 skipped"
