"""Flow 9: the generator reaches its stages in order, with and without a selective build."""

import sys

from test.conformance.flows.flow_table import first_seen, stages, traced
from tools.codegen import trace
from tools.runner import run_this_file

COMMAND = [sys.executable, "-m", "tools.codegen", "--source", "csrc/ops"]


def status(events):
    return {event["stage"]: event["status"] for event in events}


def test_the_stages_in_order(tmp_path):
    events = traced([*COMMAND, "--out", tmp_path / "out"], 9, tmp_path / "trace")
    assert first_seen(events) == stages(9)
    assert len(events) == len(stages(9))
    absent = {"selective build", "C shim"}
    assert {name for name, found in status(events).items() if found == "absent"} == absent


def test_a_selective_build_is_a_stage_done(tmp_path):
    (tmp_path / "ops.txt").write_text("add\n")
    command = [*COMMAND, "--out", tmp_path / "out", "--select", tmp_path / "ops.txt"]
    events = traced(command, 9, tmp_path / "trace")
    assert first_seen(events) == stages(9)
    assert status(events)["selective build"] == "done"


def test_the_generator_declares_the_same_stages():
    assert list(trace.FLOW) == stages(9)


if __name__ == "__main__":
    run_this_file()
