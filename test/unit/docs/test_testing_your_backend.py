"""Every command of docs/testing-your-backend.md is run, and ends as the page says."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tools.runner import run_this_file

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "testing-your-backend.md").read_text()
BACKENDS = ROOT / "test" / "backends"
RUNNER = "run_test.py"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


LINES = [line for block in blocks("sh") for line in block.splitlines()]
COMMANDS = [line for line in LINES if not line.startswith("export ")]


def run(line, tmp_path, path="test/backends"):
    """The command in this environment, which has what the runner would install."""
    words = shlex.split(line, comments=True)
    assert words[0] == "python3"
    words[0] = sys.executable
    if words[1] == RUNNER:
        words += ["--no-bootstrap", "--report-dir", str(tmp_path / "report")]
    environment = {**os.environ, "CEPHEID_CANDIDATE_PATH": path}
    return subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_the_page_sets_what_the_commands_need():
    assert [line for line in LINES if line not in COMMANDS] == [
        "export CEPHEID_CANDIDATE_PATH=test/backends"
    ]
    assert len(COMMANDS) >= 7


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_ends_as_the_page_says(line, tmp_path):
    done = run(line, tmp_path)
    if line.endswith("# fails"):
        assert done.returncode == 1, done.stdout + done.stderr
        for text in blocks("text")[0].splitlines():
            assert text in done.stdout
    else:
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_deviation_turns_the_failure_into_an_expected_one(tmp_path):
    claims = (BACKENDS / "sample_backend.toml").read_text() + blocks("toml")[0]
    (tmp_path / "sample_backend.toml").write_text(claims)
    (line,) = [line for line in COMMANDS if line.endswith("# fails")]
    done = run(line, tmp_path, path=os.pathsep.join([str(tmp_path), str(BACKENDS)]))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "xfail" in done.stdout


def test_the_kernel_of_the_page_is_right():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            blocks("python")[0]
            + "import cepheid\n"
            + "assert cepheid.logical_not(cepheid.tensor([0.0, 2.0])).tolist() == [True, False]",
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    run_this_file()
