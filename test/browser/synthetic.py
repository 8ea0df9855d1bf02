"""A made-up run with every outcome and verdict, and as many cells as wanted."""

import itertools
import json

from tools.runner.cells import CellTable
from tools.runner.events import (
    GOOD,
    Attempt,
    Outcome,
    PlanMade,
    RunFinished,
    RunStarted,
    Stage,
    TestFinished,
)
from tools.runner.report.html import Html
from tools.runner.report.json_lines import JsonLines

MESSAGE = "values of add(t0, t1): expected within 2 ULP of the oracle\ngot 7 ULP at index [3]"
SNIPPET = "import torch\nt0 = torch.tensor([1.5, 2.5])\nprint(torch.add(t0, t0))"
FAILING = "test/conformance/ops/test_values.py::test_values[op_0001-cpu-float32]"
HOSTILE = "test/unit/test_text.py::test_markup[</script><img src=x onerror=alert(1)>]"
IMPLEMENTATION = "cepheid"
NOTES = {
    Outcome.ORDER_DEPENDENT: "fails after test/unit/test_a.py::test_leaves_a_file",
    Outcome.FLAKY: "passed in 2 of 4 attempts",
}


def write_run(folder, ops=12, checks=8, dtypes=6, judged_dtypes=3, changed=False):
    """Write `events.jsonl` and `report.html` of a run; `changed` is a later one to compare.

    The score of mutants is in the tree that the run names as its root.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_score(folder)
    static = folder / "static_cells"
    static.mkdir(exist_ok=True)
    tests = [*_cell_tests(ops, checks, judged_dtypes, changed), *_unit_tests(changed)]
    (static / "rules.jsonl").write_text(
        "\n".join(json.dumps(cell) for cell in _static(ops, checks, range(judged_dtypes, dtypes)))
    )
    cells = CellTable()
    cells.add_static(static)
    for test in tests:
        cells.add_test(test)
    reports = [JsonLines(folder), Html(folder, cells)]
    for event in _events(folder, tests, cells):
        for report in reports:
            report.take(event)
    return folder / "report.html"


def _events(folder, tests, cells):
    counts = {kind.value: sum(test.outcome is kind for test in tests) for kind in Outcome}
    passed, skipped = counts["passed"] + counts["xfailed"], counts["skipped"] + 1
    yield RunStarted("synthetic", IMPLEMENTATION, "python3 run_test.py conformance", str(folder))
    yield Stage("selection and groups")
    yield Stage("target determination", absent="no selection by changed files yet")
    yield PlanMade("abc123", 1, 1, tuple(test.id for test in tests), deselected=3)
    yield from tests
    yield cells.summary()
    yield RunFinished(
        counts={name: number for name, number in counts.items() if number},
        passed=passed,
        failed=len(tests) - passed - skipped,
        skipped=skipped,
        seconds=12.5,
        exit_code=1,
        reason="some tests have no passing outcome",
        quarantine=("test/unit/test_gone.py: names no test",),
    )


def _names(kind, number):
    return [f"{kind}_{place:04d}" for place in range(number)]


def _checks(number):
    return ["values", *_names("check", number - 1)]


def _cell(op, check, dtype, verdict, reason=""):
    place = {"op": op, "check": check, "dtype": dtype, "device": "cpu", "impl": IMPLEMENTATION}
    level = "must" if check == "values" else "should"
    return {**place, "verdict": verdict, "reason": reason, "level": level}


DTYPES = ("float32", "float64", "int64", "bool", "complex64", "uint8", "int8", "int16", "int32")
DTYPES += ("float16", "bfloat16", "complex128")


def _cell_tests(ops, checks, judged_dtypes, changed):
    axes = (_names("op", ops), _checks(checks), DTYPES[:judged_dtypes])
    for number, (op, check, dtype) in enumerate(itertools.product(*axes)):
        name = f"test/conformance/ops/test_{check}.py::test_{check}[{op}-cpu-{dtype}]"
        outcome = Outcome.PASSED
        if name == FAILING or number % 997 == 500:
            outcome = Outcome.PASSED if changed and name == FAILING else Outcome.FAILED
        elif number % 211 == 7:
            outcome = Outcome.XFAILED
        verdict = {Outcome.PASSED: "pass", Outcome.XFAILED: "xfail"}.get(outcome, "fail")
        reason = {"xfail": "known deviation D7", "fail": MESSAGE}.get(verdict, "")
        cell = _cell(op, check, dtype, verdict, reason)
        yield _test(name, outcome, 0.01 + number % 50 / 1000, properties=(("cell", cell),))


def _static(ops, checks, dtypes):
    for op, check, place in itertools.product(_names("op", ops), _checks(checks), dtypes):
        if (op, check, place) == ("op_0000", "check_0000", dtypes[0]):
            continue  # one cell is blank
        verdict = "unsupported" if place % 4 == 1 else "n/a"
        yield _cell(op, check, DTYPES[place], verdict, f"{check} has no meaning in {DTYPES[place]}")


def _unit_tests(changed):
    for outcome in Outcome:
        name = f"test/unit/test_{outcome.value}.py::test_it"
        # What comes later: fewer timeouts, and one pass that is slow now.
        if changed and outcome is Outcome.TIMEOUT:
            continue
        seconds = 9.0 if changed and outcome is Outcome.PASSED else 0.5
        yield _test(name, outcome, seconds)
    yield _test(HOSTILE, Outcome.FAILED, 0.1)
    name = "test/unit/test_new.py::test_new" if changed else "test/unit/test_old.py::test_old"
    yield _test(name, Outcome.FAILED if changed else Outcome.PASSED, 0.2)
    yield _test("test/unit/test_held.py::test_held", Outcome.FAILED, 61.0, slow=True, held=True)


def _test(name, outcome, seconds, slow=False, held=False, properties=()):
    attempts = (Attempt(outcome, seconds),)
    if outcome not in GOOD:
        detail = f"{MESSAGE}\nreproduce:\n{SNIPPET}"
        bad = Attempt(Outcome.FAILED, seconds, detail, output="a line of output")
        attempts = (bad, Attempt(outcome, seconds, detail, how="alone", stacks="thread 1"))
    reason = "owner: numerics; rounding differs; until 2099-01-01" if held else ""
    note = NOTES.get(outcome, "")
    return TestFinished(name, outcome, seconds, attempts, slow, properties, note, reason)


def write_score(root):
    """A score of 60 mutants: killed, survived, unreached and equivalent ones."""
    verdicts = ["killed"] * 50 + ["survived"] * 6 + ["unreached"] * 2 + ["equivalent"] * 2
    kinds = ("values", "special", "layout")
    mutants = [
        {
            "id": f"m{number:03d}",
            "kind": "source" if number % 3 else "wrapper",
            "class": f"M{number % 5}",
            "rule": "sign",
            "file": f"csrc/kernels/{number % 4}.cpp",
            "line": 10 + number,
            "op": f"op_{number % 6:04d}",
            "before": "a < b",
            "after": "a <= b",
            "verdict": verdict,
            "killed_by": "a cell" if verdict == "killed" else None,
            "check": kinds[number % 3] if verdict == "killed" else None,
            "seconds": 0.5,
            "reason": "both are the same at 0" if verdict == "equivalent" else "",
        }
        for number, verdict in enumerate(verdicts)
    ]
    data = {"format": 1, "source_hash": "f00d", "date": "2026-11-30", "mutants": mutants}
    target = root / "test" / "mutation" / "score.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(data))
