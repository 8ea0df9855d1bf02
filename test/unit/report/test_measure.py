"""Coverage is summed over every kind of process that a run starts."""

import json
import subprocess
from pathlib import Path

import pytest

from tools.drill.scratch import Scratch
from tools.runner import measure

PROGRAM = """
import os, subprocess, sys
from tools.sharding.plan import parse_shard

def test_here():
    assert parse_shard("1/2") == (1, 2)

def test_in_a_fork():
    pid = os.fork()
    if pid == 0:
        import tools.runner.output
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0

def test_in_a_process():
    program = "from tools.runner.report.junit import clean; clean('a')"
    subprocess.run([sys.executable, "-c", program], check=True)
"""


def _covered(folder: Path) -> dict[str, tuple[int, int]]:
    data = json.loads((folder / measure.JSON_FILE).read_text())
    (python,) = data["languages"]
    assert python["lines"] == sum(file["lines"] for file in python["files"])
    return {file["file"]: (file["covered"], file["lines"]) for file in python["files"]}


@pytest.mark.slow
@pytest.mark.parametrize("group", ["smoke", "pool"])
def test_processes_forks_and_workers_are_summed(scratch: Scratch, group: str) -> None:
    scratch.write("test/unit/test_a.py", PROGRAM)
    result = scratch.run(group, "--coverage")
    assert result.status == 0, result.text
    found = {Path(name).name: counts for name, counts in _covered(result.folder).items()}
    assert found["plan.py"][0] > 0 and found["junit.py"][0] > 0 and found["output.py"][0] > 0
    assert result.text.splitlines()[-1] == "3 passed, 0 failed, 0 skipped"
    assert "Python: " in (result.folder / measure.TEXT_FILE).read_text()
    assert '"languages":[{"name":"Python"' in (result.folder / "report.html").read_text()


def test_the_file_with_most_unrun_lines_is_first() -> None:
    files = [measure.File("a.py", 10, 9), measure.File("b.py", 100, 50, "1-50")]
    language = measure.Language("Python", "a note", files)
    lines = measure.as_text(language).splitlines()
    assert lines[0] == "Python: 53.6 % of 110 lines in 2 files"
    assert [line.split()[-1] for line in lines[2:]] == ["b.py", "a.py"]


@pytest.mark.slow
def test_gcov_counts_the_lines_of_cpp(tmp_path: Path) -> None:
    source = tmp_path / "csrc" / "a.cpp"
    source.parent.mkdir()
    source.write_text("int main(int n, char**) {\n  if (n > 5)\n    return 1;\n  return 0;\n}\n")
    build = tmp_path / "build"
    build.mkdir()
    subprocess.run(["c++", "--coverage", "-o", "a", str(source)], cwd=build, check=True)
    subprocess.run([build / "a"], cwd=build, check=True)
    found = measure.cpp(build, tmp_path)
    assert found.files == [measure.File("csrc/a.cpp", 4, 3)]
