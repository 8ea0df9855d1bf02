"""The workflow is what its data says, and absent devices make no job."""

import tomllib

import yaml

from ci.generate_workflow import MATRIX, WORKFLOW, workflow
from tools.runner import run_this_file


def test_the_committed_workflow_is_current():
    expected = workflow(tomllib.loads(MATRIX.read_text()))
    assert WORKFLOW.read_text() == expected, "run `python -m ci.generate_workflow`"


def test_a_device_gives_a_job_for_each_python():
    device = {
        "name": "x",
        "runs_on": "y",
        "python": ["3.11", "3.12"],
        "shards": 3,
        "full": ["3.12"],
    }
    text = workflow({"defaults": {"timeout_minutes": 7}, "device": [device]})
    jobs = yaml.safe_load(text)["jobs"]
    assert list(jobs) == ["x-py311", "x-py312"]
    assert jobs["x-py311"]["strategy"]["matrix"] == {"shard": [1, 2, 3]}
    assert jobs["x-py311"]["steps"][-1]["run"].endswith("--shard ${{ matrix.shard }}/3")
    assert jobs["x-py312"]["steps"][-1]["run"] == "ci/run"
    assert jobs["x-py312"]["timeout-minutes"] == 7


def test_an_absent_device_is_named_with_its_reason():
    rows = {"name": "gpu", "absent": "no driver yet"}
    text = workflow({"defaults": {"timeout_minutes": 7}, "device": [rows]})
    assert "# gpu: absent: no driver yet" in text


def test_the_other_entry_is_one_line_that_calls_the_pipeline():
    root = MATRIX.parents[1]
    assert (root / ".ci" / "run").read_text() == "exec ci/run\n"


if __name__ == "__main__":
    run_this_file()
