"""The ledger, the cell table, and the attribution of faults: what a report's truth rests on."""

import json
from pathlib import Path
from typing import Any

import pytest

from cepheid_conformance import capability
from tools.runner import cells, exit_codes, run_this_file
from tools.runner.cells import Cell, CellTable
from tools.runner.events import Attempt, CellSummary, Outcome, PlanMade, TestFinished
from tools.runner.ledger import Closing, Ledger, LedgerError
from tools.runner.record import Record

CELL = {"op": "add", "check": "values", "dtype": "float32", "device": "cpu", "impl": "cepheid"}
KEY = ("add", "values", "float32", "cpu", "cepheid")
NOTHING = CellSummary(judged=0)


def ended(test: str, outcome: Outcome, *cells: dict[str, Any]) -> TestFinished:
    attempt = Attempt(outcome, detail="first line\nlast line")
    return TestFinished(
        test, outcome, 0.0, (attempt,), properties=tuple(("cell", cell) for cell in cells)
    )


def ledger(*outcomes: Outcome) -> Ledger:
    ids = tuple(f"t{number}" for number in range(len(outcomes)))
    books = Ledger(PlanMade("h", 1, 1, ids))
    for test, outcome in zip(ids, outcomes, strict=True):
        books.enter(ended(test, outcome))
    return books


def test_second_outcome_is_refused() -> None:
    with pytest.raises(LedgerError, match="t0: a second outcome"):
        ledger(Outcome.PASSED).enter(ended("t0", Outcome.FAILED))


def test_outcome_without_plan_is_refused() -> None:
    with pytest.raises(LedgerError, match="x: an outcome, but not in the plan"):
        ledger().enter(ended("x", Outcome.PASSED))


def test_test_without_outcome_is_no_pass() -> None:
    books = Ledger(PlanMade("h", 1, 1, ("a", "b")))
    books.enter(ended("a", Outcome.PASSED))
    with pytest.raises(LedgerError, match=r"1 planned tests without an outcome: \['b'\]"):
        books.close(Closing(False, NOTHING, False), 0.0)


@pytest.mark.parametrize("outcome", Outcome)
def test_exit_status_of_each_outcome(outcome: Outcome) -> None:
    end = ledger(Outcome.PASSED, outcome).close(Closing(False, NOTHING, False), 0.0)
    own = {
        Outcome.PASSED: exit_codes.PASSED,
        Outcome.XFAILED: exit_codes.PASSED,
        Outcome.SKIPPED: exit_codes.PASSED,
        Outcome.FLAKY: exit_codes.FLAKY,
        Outcome.ORDER_DEPENDENT: exit_codes.ORDER_DEPENDENT,
        Outcome.INFRASTRUCTURE: exit_codes.INFRASTRUCTURE,
    }
    assert end.exit_code == own.get(outcome, exit_codes.FAILED)
    assert end.passed + end.failed + end.skipped == 2


def test_page_names_every_exit_status() -> None:
    page = (Path(exit_codes.__file__).parent / "README.md").read_text()
    table = page.partition("| exit status |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    values = [value for name, value in vars(exit_codes).items() if name.isupper()]
    assert rows == [str(value) for value in sorted(values)]


def test_status_of_several_outcomes_is_the_heaviest() -> None:
    order = [Outcome.FAILED, Outcome.ORDER_DEPENDENT, Outcome.INFRASTRUCTURE, Outcome.FLAKY]
    codes = []
    while order:
        codes.append(ledger(*order).close(Closing(False, NOTHING, False), 0.0).exit_code)
        order.pop(0)
    assert codes == [
        exit_codes.FAILED,
        exit_codes.ORDER_DEPENDENT,
        exit_codes.INFRASTRUCTURE,
        exit_codes.FLAKY,
    ]


@pytest.mark.parametrize(
    ("closing", "code"),
    [
        (Closing(True, NOTHING, False), exit_codes.INTERRUPTED),
        (Closing(False, CellSummary(1, {"fail": 1}), False), exit_codes.FAILED),
        (Closing(False, CellSummary(1, {"pass": 1}, blank=1), True), exit_codes.BLANK_CELLS),
        (Closing(False, CellSummary(1, {"pass": 1}, blank=1), False), exit_codes.PASSED),
        (Closing(False, CellSummary(0), True), exit_codes.BLANK_CELLS),
    ],
)
def test_exit_status_beside_the_outcomes(closing: Closing, code: int) -> None:
    assert ledger(Outcome.PASSED).close(closing, 0.0).exit_code == code


def test_the_runner_knows_the_levels_of_the_judge() -> None:
    assert cells.LEVELS == capability.LEVELS


def test_quarantine_is_named_beside_a_failure() -> None:
    closing = Closing(False, NOTHING, False, ("test/a.py: names no test",))
    end = ledger(Outcome.PASSED, Outcome.FAILED).close(closing, 0.0)
    assert end.exit_code == exit_codes.FAILED
    assert "1 of 2 tests have no passing outcome" in end.reason
    assert end.reason.endswith("; quarantine: test/a.py: names no test")
    alone = ledger(Outcome.PASSED).close(closing, 0.0)
    assert alone.reason == "quarantine: test/a.py: names no test"


@pytest.mark.parametrize(
    ("outcome", "given", "expected"),
    [
        (Outcome.PASSED, {}, Cell("pass", "", "t")),
        (Outcome.XFAILED, {}, Cell("xfail", "", "t")),
        (Outcome.SKIPPED, {}, Cell("fail", "skipped without a verdict", "t")),
        (Outcome.SKIPPED, {"verdict": "n/a", "reason": "r"}, Cell("n/a", "r", "t")),
        (Outcome.CRASHED, {"verdict": "pass"}, Cell("fail", "crashed: last line", "t")),
        (Outcome.FLAKY, {}, Cell("fail", "flaky: last line", "t")),
        (Outcome.FAILED, {"verdict": "fail", "reason": "3 ULP"}, Cell("fail", "3 ULP", "t")),
        (
            Outcome.PASSED,
            {"verdict": "fine"},
            Cell(
                "fail",
                "expected a verdict of ('n/a', 'unsupported', 'pass', 'xfail', 'fail'); got 'fine'",
                "t",
            ),
        ),
    ],
)
def test_verdict_of_a_cell(outcome: Outcome, given: dict[str, str], expected: Cell) -> None:
    table = CellTable()
    table.add_test(ended("t", outcome, {**CELL, **given}))
    assert table.cells == {KEY: expected}


def test_heaviest_verdict_counts() -> None:
    table = CellTable()
    for test, verdict in (("a", "pass"), ("b", "fail"), ("c", "xfail")):
        table.add_test(ended(test, Outcome.PASSED, {**CELL, "verdict": verdict}))
    assert table.cells[KEY] == Cell("fail", "", "b")


def test_blank_cells_are_counted_for_each_implementation() -> None:
    table = CellTable()
    for op, dtype, implementation in (("add", "f", "x"), ("mul", "d", "x"), ("add", "d", "y")):
        cell = {**CELL, "op": op, "dtype": dtype, "impl": implementation, "verdict": "pass"}
        table.add_test(ended(op, Outcome.PASSED, cell))
    summary = table.summary()
    assert (summary.judged, summary.blank) == (3, 2)
    assert summary.blank_examples == ("add/values/d/cpu/x", "mul/values/f/cpu/x")


def test_static_line_that_is_no_cell_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({**CELL, "verdict": "n/a"}) + '\n{"op": 1}\n')
    with pytest.raises(ValueError, match=r"a\.jsonl:2: expected a cell"):
        CellTable().add_static(tmp_path)


EXIT: dict[str, Any] = {
    "event": "exit",
    "code": 0,
    "signal": "",
    "cause": "",
    "test": "",
    "seconds": 0.0,
    "stacks": "",
    "mib": 1.0,
    "leaks": [],
    "suspects": [],
    "sections": {},
}
PHASE: dict[str, Any] = {
    "event": "phase",
    "when": "call",
    "outcome": "passed",
    "expected": None,
    "seconds": 0.5,
    "longrepr": "",
    "properties": [],
}


def messages(*tests: str, finish: bool = True) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for number, test in enumerate(tests, 1):
        found.append({"event": "start", "id": test, "number": number, "properties": []})
        found.append({**PHASE, "id": test})
        if finish:
            found.append({"event": "finish", "id": test, "processes": [], "threads": []})
    return found


def record(*given: dict[str, Any], ids: tuple[str, ...] = ("a", "b"), workers: int = 0) -> Record:
    made = Record(ids, workers)
    for message in given:
        made.take(message)
    return made


def outcomes(made: Record) -> dict[str, str]:
    return {test: attempt.outcome.value for test, attempt in made.attempts.items()}


END = {"event": "session_end", "status": 0}


def test_crash_between_two_tests_is_the_first_ones() -> None:
    made = record(*messages("a"), {**EXIT, "signal": "SIGSEGV"})
    assert outcomes(made) == {"a": "crashed"}
    assert made.attempts["a"].detail == "after the end of this test: process ended by SIGSEGV"


def test_silent_end_before_the_session_did_is_a_crash() -> None:
    assert outcomes(record(*messages("a"), EXIT)) == {"a": "crashed"}
    assert outcomes(record(*messages("a"), END, EXIT)) == {"a": "passed"}


def test_pass_without_a_body_is_none() -> None:
    start, _, finish = messages("a")
    setup = {**PHASE, "id": "a", "when": "setup"}
    made = record(start, setup, finish, END, EXIT)
    assert outcomes(made) == {"a": "failed"}
    assert made.attempts["a"].detail == "reported as passed, but its body never ran"


def test_verdict_of_the_supervisor_outweighs_a_late_finish() -> None:
    made = record(*messages("a"), {**EXIT, "cause": "timeout", "test": "a", "seconds": 2.0})
    assert outcomes(made) == {"a": "timeout"}


def test_workers_that_were_running_are_not_blamed_for_another() -> None:
    end = {**EXIT, "cause": "timeout", "test": "a", "seconds": 2.0}
    assert outcomes(record(*messages("a", "b", finish=False), end, workers=2)) == {"a": "timeout"}


def test_controller_that_dies_blames_nobody_of_several() -> None:
    end = {**EXIT, "signal": "SIGKILL"}
    assert outcomes(record(*messages("a", "b", finish=False), end, workers=2)) == {}


def test_suspect_runs_again_and_leak_is_named() -> None:
    suspects = {**EXIT, "cause": "timeout", "test": "b", "suspects": ["a"]}
    assert outcomes(record(*messages("a", "b"), suspects)) == {"b": "timeout"}
    leak = {**EXIT, "leaks": [{"process": "sleep 60", "test": "a"}]}
    made = record(*messages("a", "b"), END, leak)
    assert outcomes(made) == {"a": "leak", "b": "passed"}


def test_stop_decides_nothing() -> None:
    made = record(*messages("a"), *messages("b", finish=False), {**EXIT, "cause": "stopped"})
    assert outcomes(made) == {"a": "passed"}


if __name__ == "__main__":
    run_this_file()
