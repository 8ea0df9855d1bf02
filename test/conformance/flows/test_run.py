"""Flow 8: a test run reaches its stages in order."""

import sys

from test.conformance.flows.flow_table import first_seen, stages, traced
from tools.runner import run_this_file, trace

COMMAND = [sys.executable, "-P", "-m", "tools.runner", "--no-bootstrap"]
QUICK = "test/unit/ci/test_counts.py"


def run(tmp_path, **variables):
    command = [*COMMAND, QUICK, "--report-dir", tmp_path / "report"]
    return traced(command, 8, tmp_path / "trace", **variables)


def test_the_stages_in_order(tmp_path):
    seen = first_seen(run(tmp_path))
    assert [name for name in seen if name != "pytest per file"] == [
        name for name in stages(8) if name != "pytest per file"
    ]
    assert seen.index("sharding") < seen.index("pytest per file")
    assert seen.index("pytest per file") < seen.index("per-test subprocess, timeout, retry")


def test_the_runner_declares_the_same_stages():
    assert list(trace.FLOW) == stages(8)


if __name__ == "__main__":
    run_this_file()
