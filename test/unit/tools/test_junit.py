"""JUnit keeps every attempt, whatever the verdict."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tools.runner import run_this_file
from tools.runner.events import Attempt, Outcome, RunFinished, TestFinished
from tools.runner.report.junit import JUnit

BAD = Attempt(Outcome.FAILED, 0.1, "trace\nE first", "said \x01")
WORSE = Attempt(Outcome.CRASHED, 0.1, "SIGSEGV", stacks="the stack", how="alone")
GOOD = Attempt(Outcome.PASSED, 0.2, how="alone")
END = RunFinished({}, 0, 1, 0, 1.0, 1, "")


def case_of(folder: Path, event: TestFinished) -> ElementTree.Element:
    report = JUnit(folder)
    report.take(event)
    report.take(END)
    case = ElementTree.parse(folder / "junit.xml").getroot().find(".//testcase")
    assert case is not None
    return case


def tags(case: ElementTree.Element) -> list[str]:
    return [child.tag for child in case]


@pytest.mark.parametrize(
    ("outcome", "attempts", "expected"),
    [
        (Outcome.PASSED, (GOOD,), []),
        (Outcome.FAILED, (BAD,), ["failure", "system-out"]),
        (
            Outcome.CRASHED,
            (BAD, WORSE, WORSE),
            ["properties", "failure", "rerunFailure", "rerunFailure", "system-out"],
        ),
        (
            Outcome.FLAKY,
            (BAD, GOOD, WORSE),
            ["properties", "failure", "flakyFailure", "flakyFailure", "system-out"],
        ),
        (Outcome.SKIPPED, (Attempt(Outcome.SKIPPED, detail="why"),), ["skipped"]),
    ],
)
def test_elements(
    tmp_path: Path, outcome: Outcome, attempts: tuple[Attempt, ...], expected: list[str]
) -> None:
    assert tags(case_of(tmp_path, TestFinished("a.py::t", outcome, 1.0, attempts))) == expected


def test_attempts_are_listed_in_order(tmp_path: Path) -> None:
    case = case_of(tmp_path, TestFinished("a.py::t", Outcome.FLAKY, 1.0, (BAD, WORSE, GOOD)))
    assert [line.get("value") for line in case.iter("property")] == [
        "failed in its session, 0.100 s",
        "crashed alone, 0.100 s",
        "passed alone, 0.200 s",
    ]
    failure = case.find("failure")
    assert failure is not None and failure.get("message") == "2 of 3 attempts failed"
    first, second = case.findall("flakyFailure")
    assert (first.get("type"), first.get("message")) == ("failed", "E first")
    assert second.text == "SIGSEGV\nthe stack"
    assert first.findtext("system-out") == "said \N{REPLACEMENT CHARACTER}"


def test_order_dependence_names_the_other_test(tmp_path: Path) -> None:
    event = TestFinished("a.py::t", Outcome.ORDER_DEPENDENT, 1.0, (BAD, GOOD), note="after x")
    failure = case_of(tmp_path, event).find("failure")
    assert failure is not None
    assert (failure.get("type"), failure.get("message")) == ("order_dependent", "after x")


def test_quarantined_failure_is_skipped_with_its_reason(tmp_path: Path) -> None:
    event = TestFinished("a.py::t", Outcome.FAILED, 1.0, (BAD,), quarantined="owner, until")
    case = case_of(tmp_path, event)
    assert tags(case) == ["skipped", "flakyFailure", "system-out"]
    skipped = case.find("skipped")
    assert skipped is not None and skipped.get("message") == "owner, until"


if __name__ == "__main__":
    run_this_file()
