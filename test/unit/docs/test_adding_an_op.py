"""docs/adding-an-op.md is followed: applied to a copy of the tree, generated, built, run."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.lint import ops_yaml
from tools.runner import run_this_file

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "adding-an-op.md").read_text()
APPEND = re.compile(r"Append to `([^`]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
PARTS = ("csrc", "tools", "lib", "cmake", "CMakeLists.txt")


def block(language):
    """The last block of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[-1]


@pytest.fixture
def copy(tmp_path):
    """The tree with the page's changes."""
    ignored = shutil.ignore_patterns("__pycache__", "build", "bench")
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=ignored)
        else:
            shutil.copy(source, tmp_path / name)
    for name, text in APPEND.findall(PAGE):
        with (tmp_path / name).open("a") as file:
            file.write(text)
    return tmp_path


def generate(copy, *options):
    command = [sys.executable, "-m", "tools.codegen", "--source", "csrc/ops", "--out", "generated"]
    return subprocess.run([*command, *options], cwd=copy, capture_output=True, text=True)


def test_the_page_touches_two_files_at_most():
    files = {name for name, _ in APPEND.findall(PAGE)}
    assert len(files) == 2
    assert all((ROOT / name).is_file() for name in files)


def test_the_generator_makes_everything_from_the_entry(copy):
    done = generate(copy)
    assert done.returncode == 0, done.stderr
    assert (copy / "generated" / "ops" / "ldexp.h").is_file()
    ops = json.loads((copy / "generated" / "schemas.json").read_text())["ops"]
    (op,) = [op for op in ops if op["name"] == "ldexp"]
    assert op["variants"] == ["function", "method", "inplace", "out"]
    assert (op["oracle"], op["samples"]) == ("ldexp", "binary")
    assert ops_yaml.check(copy) == []


def test_an_entry_without_oracle_is_refused_as_the_page_says(copy):
    entries = copy / "csrc" / "ops" / "pointwise.yaml"
    entries.write_text(entries.read_text().replace("  oracle: ldexp\n", ""))
    line = (
        entries.read_text().splitlines().index('- op: "ldexp(Tensor self, Tensor other) -> Tensor"')
    )
    done = generate(copy)
    assert done.returncode != 0
    expected = re.sub(r":\d+:", f":{line + 1}:", block("text").strip())
    assert expected in done.stdout + done.stderr


def test_an_oracle_that_the_judge_lacks_is_found(copy):
    entries = copy / "csrc" / "ops" / "pointwise.yaml"
    entries.write_text(entries.read_text().replace("oracle: ldexp\n", "oracle: doubling\n"))
    (problem,) = ops_yaml.check(copy)
    assert "ldexp: oracle: no function doubling in oracle/pointwise.py" in str(problem)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_selective_build_runs_the_op(copy):
    (copy / "ops.txt").write_text("ldexp\nones\n")
    tools = Path(sys.executable).parent
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    # As deep as that of an environment: the compiler cache takes what is the same from there.
    build, site = copy / "build" / "cmake" / "selective", copy / "site"
    options = [
        "-G",
        "Ninja",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-DCEPHEID_SELECT={copy / 'ops.txt'}",
    ]
    for command in (
        ["cmake", "-S", str(copy), "-B", str(build), *options],
        ["cmake", "--build", str(build)],
        ["cmake", "--install", str(build), "--prefix", str(site)],
    ):
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    shutil.copytree(copy / "lib" / "cepheid", site / "cepheid", dirs_exist_ok=True)
    # -S keeps this environment's own cepheid out.
    command = [sys.executable, "-S", "-c", block("python")]
    done = subprocess.run(
        command, env={**environment, "PYTHONPATH": str(site)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    run_this_file()
