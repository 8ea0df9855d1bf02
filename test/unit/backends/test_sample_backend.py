"""The suite tells the wrong kernel of the sample backend from the right ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cepheid_conformance import capability, checks, tolerances
from cepheid_conformance.candidate import Candidate
from cepheid_conformance.cells import Bench, StaticVerdict, enumerate_cells
from cepheid_conformance.op_spec import load_specs
from cepheid_conformance.verdict import judge_cell
from tools.runner import run_this_file

pytestmark = pytest.mark.slow

BACKENDS = Path(__file__).resolve().parents[2] / "backends"
DTYPES = ("int32", "float32")
# A kernel of Python holds the interpreter's lock: there is nothing to learn from load on it.
KINDS = [kind for kind in checks.KINDS if kind not in ("memory", "determinism")]


@pytest.fixture(scope="module")
def verdicts():
    claims = capability.load(BACKENDS / "sample_backend.toml")
    found = {}
    with Candidate(
        "sample_backend:backend",
        environment={"PYTHONPATH": str(BACKENDS)},
        built_on=claims.built_on,
    ) as candidate:
        bench = Bench(candidate, claims, tolerances.load())
        specs = [load_specs()[name] for name in ("isnan", "logical_not", "neg")]
        for kind in KINDS:
            check = checks.load(kind)
            for cell in enumerate_cells(check, specs, claims):
                if not isinstance(cell, StaticVerdict) and cell.dtype in DTYPES:
                    found[cell.id] = judge_cell(check, cell, bench)
    return found


def failed(verdicts):
    return {cell: verdict.reason for cell, verdict in verdicts.items() if verdict.verdict == "fail"}


def test_the_right_kernels_pass(verdicts):
    right = [cell for cell in verdicts if ":neg-" not in cell]
    assert len(right) > 40
    assert [cell for cell in failed(verdicts) if ":neg-" not in cell] == []


def test_the_wrong_kernel_fails_where_it_is_wrong(verdicts):
    assert "special:neg-cpu-float32" in failed(verdicts)
    assert verdicts["values:neg-cpu-float32"].verdict == "pass"
    assert [cell for cell in failed(verdicts) if "-int32" in cell] == []


def test_the_finding_names_op_check_and_input(verdicts):
    reason = failed(verdicts)["special:neg-cpu-float32"]
    assert reason.startswith("neg · K4 special · float32 · cpu")
    assert "signs of zero: expected np.float32(-0.0)" in reason
    assert "special values" in reason


def run_snippet(verdicts, prelude):
    """The printed lines in a process of their own, where `torch` is the implementation."""
    snippet = failed(verdicts)["special:neg-cpu-float32"].partition("reproduce:\n")[2]
    return subprocess.run(
        [sys.executable, "-c", f"{prelude}\n{snippet}"],
        env={**os.environ, "PYTHONPATH": str(BACKENDS)},
        capture_output=True,
        text=True,
    )


def test_the_snippet_reproduces_the_failure(verdicts):
    prelude = "import sys, sample_backend\nsys.modules['torch'] = sample_backend.backend()"
    done = run_snippet(verdicts, prelude)
    assert done.returncode != 0
    assert "AssertionError" in done.stderr


def test_the_snippet_is_calm_on_the_right_kernel(verdicts):
    done = run_snippet(verdicts, "import sys, cepheid\nsys.modules['torch'] = cepheid")
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    run_this_file()
