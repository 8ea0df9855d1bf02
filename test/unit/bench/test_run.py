"""The benchmarks on made-up frameworks: turns, failures, crashes and what is not passed on."""

import json
import sys

import pytest

from tools.bench import run, workloads
from tools.runner import run_this_file

pytestmark = pytest.mark.slow

GOOD = """
__version__ = "1"
import os
assert "OPENBLAS_CORETYPE" not in os.environ
class ones:
    def __init__(self, *shape): pass
    def __add__(self, other): return self
    def t(self): return self
    def view(self, *shape): os.abort()
empty = ones
"""


@pytest.fixture
def run_bench(tmp_path, monkeypatch):
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "broken.py").write_text("raise RuntimeError('no such library')\n")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")

    def go(name, pattern):
        wrapper = tmp_path / "python"
        text = (
            f'#!/bin/sh\nexport PYTHONPATH="$PYTHONPATH:{tmp_path}"\nexec {sys.executable} "$@"\n'
        )
        wrapper.write_text(text)
        wrapper.chmod(0o755)
        out = tmp_path / "out.json"
        arguments = ["--impl", f"{name}={wrapper}", "--group", "overhead", "--filter", pattern]
        assert run.main([*arguments, "--quick", "--json", str(out)]) == 0
        return {row["workload"]: row["impls"][name] for row in json.loads(out.read_text())["rows"]}

    return go


def test_what_works_is_timed_and_a_crash_is_named(run_bench):
    rows = run_bench("good", r"/(add|view|t|sum)$")
    assert rows["overhead/add"]["value"] > 0
    assert rows["overhead/t"]["value"] > 0
    assert rows["overhead/view"]["kind"] == "crashed"
    assert "SIGABRT" in rows["overhead/view"]["error"]
    assert "no attribute 'sum'" in rows["overhead/sum"]["error"]


def test_a_framework_that_can_not_be_imported_is_unsupported(run_bench):
    rows = run_bench("broken", "/add$")
    assert rows["overhead/add"]["error"] == "unsupported: RuntimeError: no such library"


def test_every_group_has_workloads():
    assert {key.split("/")[0] for key in workloads.WORKLOADS} == set(workloads.GROUPS)


if __name__ == "__main__":
    run_this_file()
