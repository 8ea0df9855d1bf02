"""Options, the driver and the parametrisation of the conformance tests: one test is one cell."""

import json
import os
import sys
from pathlib import Path

import pytest

from cepheid_conformance import capability, tolerances
from cepheid_conformance.candidate import Candidate
from cepheid_conformance.cells import Bench, Drawing, StaticVerdict, enumerate_cells
from cepheid_conformance.op_spec import load_specs
from cepheid_conformance.verdict import judge_cell as decide

SMOKE_KINDS = {"values", "shapes", "dtype"}


def pytest_addoption(parser):
    group = parser.getgroup("conformance")
    group.addoption(
        "--impl",
        default=os.environ.get("CEPHEID_IMPL", "cepheid"),
        help="implementation under judgement: cepheid, torch or package[:factory]",
    )
    group.addoption(
        "--candidate-python",
        default=os.environ.get("CEPHEID_CANDIDATE_PYTHON", sys.executable),
        help="interpreter in which the implementation is installed",
    )
    group.addoption(
        "--seed",
        type=int,
        default=int(os.environ.get("CEPHEID_SEED", Drawing.seed)),
        help="seed of the drawn checks: the same seed draws the same calls",
    )
    group.addoption(
        "--draws",
        type=int,
        default=int(os.environ.get("CEPHEID_DRAWS", Drawing.count)),
        help="drawn calls for each op and dtype",
    )
    group.addoption(
        "--level",
        choices=capability.LEVELS,
        default=os.environ.get("CEPHEID_LEVEL", capability.LEVELS[-1]),
        help="judge requirements up to this level",
    )
    group.addoption("--capabilities", help="capability file, if not the implementation's own")


def pytest_configure(config):
    config.addinivalue_line("markers", "smoke: float32 cells of values, shapes and dtype")


@pytest.fixture(scope="session")
def bench(request):
    option = request.config.getoption
    claims = claims_of(request.config)
    python = option("--candidate-python")
    candidate = Candidate(option("--impl"), python, built_on=claims.built_on)
    table = tolerances.load().with_overrides(claims.tolerances)
    with candidate:
        drawing = Drawing(option("--seed"), option("--draws"))
        yield Bench(candidate, claims, table, drawing, option("--level"))


def claims_of(config):
    option = config.getoption
    return capability.load(capability.find(option("--impl"), option("--capabilities")))


@pytest.fixture(scope="session")
def claims(request):
    return claims_of(request.config)


@pytest.fixture
def static_cells(request):
    """Leave cells that need no run for the report."""
    implementation = request.config.getoption("--impl")
    return lambda check, cells: write_static(check, implementation, cells)


@pytest.fixture
def judge_cell(request, cell, bench):
    """Judge the cell and record its verdict for the report."""

    def judge(check):
        verdict = decide(check, cell, bench)
        summary = verdict.reason.partition("reproduce:")[0].strip()
        judged = bench.candidate.implementation
        record = cell_record(cell, judged, verdict.verdict, summary, check.LEVEL)
        request.node.user_properties.append(("cell", record))
        if verdict.verdict == "fail":
            pytest.fail(verdict.reason, pytrace=False)
        if verdict.verdict == "xfail":
            pytest.xfail(verdict.reason)

    return judge


def pytest_generate_tests(metafunc):
    if "judge_cell" not in metafunc.fixturenames:
        return
    check = metafunc.module.check
    implementation = metafunc.config.getoption("--impl")
    cells, static = [], []
    claims, level = claims_of(metafunc.config), metafunc.config.getoption("--level")
    for cell in enumerate_cells(check, load_specs().values(), claims, level):
        (static if isinstance(cell, StaticVerdict) else cells).append(cell)
    marks = [
        [pytest.mark.smoke] if check.KIND in SMOKE_KINDS and cell.dtype == "float32" else []
        for cell in cells
    ]
    metafunc.parametrize(
        "cell",
        [
            pytest.param(cell, id=cell.test_id, marks=mark)
            for cell, mark in zip(cells, marks, strict=True)
        ],
    )
    write_static(check, implementation, static)


def write_static(check, implementation, static):
    """Leave the cells that a rule decides for the runner's report."""
    folder = os.environ.get("CEPHEID_RUN_DIR")
    if not folder:
        return
    target = Path(folder) / "static_cells"
    target.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps(cell_record(item.cell, implementation, item.verdict, item.reason, check.LEVEL))
        for item in static
    ]
    # Each collecting process writes the same lines: whole files, so that none is read half.
    draft = target / f".{check.KIND}.{os.getpid()}"
    draft.write_text("\n".join(lines) + "\n")
    draft.replace(target / f"{check.KIND}.jsonl")


def cell_record(cell, implementation, verdict, reason, level):
    return {
        "op": cell.spec.key,
        "check": cell.check,
        "dtype": cell.dtype,
        "device": cell.device,
        "impl": implementation,
        "verdict": verdict,
        "reason": reason,
        "level": level,
    }
