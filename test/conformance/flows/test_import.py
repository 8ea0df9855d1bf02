"""Flow 1: `import cepheid` reaches its stages in order, each done or absent with a reason."""

from test.conformance.flows.flow_table import first_seen, stages, traced
from tools.runner import run_this_file


def test_the_stages_in_order(tmp_path, pytestconfig):
    python = pytestconfig.getoption("--candidate-python")
    events = traced([python, "-c", "import cepheid"], 1, tmp_path / "trace")
    assert first_seen(events) == stages(1)
    assert len(events) == len(stages(1))


def test_what_exists_is_done(tmp_path, pytestconfig):
    python = pytestconfig.getoption("--candidate-python")
    events = traced([python, "-c", "import cepheid"], 1, tmp_path / "trace")
    done = {event["stage"] for event in events if event["status"] == "done"}
    assert {"_C", "variable functions", "ops and classes namespaces"} <= done


def test_the_package_declares_the_same_stages(tmp_path, pytestconfig):
    python = pytestconfig.getoption("--candidate-python")
    program = "from cepheid import _trace; print(*_trace.FLOWS[1], sep='|', file=open('{}', 'w'))"
    out = tmp_path / "names"
    traced([python, "-c", program.format(out)], 1, tmp_path / "trace")
    assert out.read_text().strip().split("|") == stages(1)


if __name__ == "__main__":
    run_this_file()
