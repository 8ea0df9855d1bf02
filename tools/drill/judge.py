"""One pass of the fault drill: run the faulty tests, compare what the runner says of each."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.drill.faults import (
    ARGUMENTS,
    EXPECTED,
    FILES,
    GRACE_S,
    OWN_LIMITS_S,
    TIMEOUT_S,
)
from tools.drill.scratch import Result, Scratch


@dataclass
class Pass:
    """What one pass saw."""

    result: Result
    wrong: dict[str, str] = field(default_factory=dict)
    """Test -> the outcome it got instead of the expected one."""

    lost: list[str] = field(default_factory=list)
    """Tests without a final outcome, or with more than one."""

    seconds: dict[str, float] = field(default_factory=dict)
    """Test -> the longest time from the start of an attempt to what came next."""

    @property
    def late(self) -> list[str]:
        """Tests that were not dealt with in time."""
        return sorted(
            test
            for test, took in self.seconds.items()
            if took > OWN_LIMITS_S.get(test, TIMEOUT_S) + GRACE_S
        )


def run(folder: Path) -> Pass:
    """Run the drill below a new folder."""
    scratch = Scratch(folder)
    for name, text in FILES.items():
        scratch.write(f"test/unit/test_{name}.py", text)
    return judge(scratch.run(*ARGUMENTS))


def judge(result: Result) -> Pass:
    """Compare a run with what is expected of it."""
    events = result.events
    ended = [_short(event["id"]) for event in events if event["type"] == "TestFinished"]
    outcomes = result.outcomes
    return Pass(
        result,
        wrong={
            test: outcomes[test]
            for test, expected in EXPECTED.items()
            if test in outcomes and outcomes[test] != expected
        },
        lost=sorted(test for test in EXPECTED if ended.count(test) != 1),
        seconds=_longest_attempts(events),
    )


def _longest_attempts(events: list[dict[str, Any]]) -> dict[str, float]:
    """From the start of each attempt to the next event of its file."""
    running: dict[str, tuple[str, float]] = {}  # file -> test, since
    longest: dict[str, float] = {}
    for event in events:
        if event["type"] not in ("TestStarted", "AttemptFinished", "TestFinished"):
            continue
        test = _short(event["id"])
        file = test.split("::")[0]
        if file in running:
            before, since = running.pop(file)
            longest[before] = max(longest.get(before, 0.0), event["t"] - since)
        if event["type"] == "TestStarted":
            running[file] = (test, event["t"])
    return longest


def _short(test: str) -> str:
    return test.rpartition("/")[2]
