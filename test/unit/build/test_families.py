"""cmake/families.cmake: a family without entries, or entries without a family, stop the build."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.runner import run_this_file

ROOT = Path(__file__).resolve().parents[3]
PROJECT = """
cmake_minimum_required(VERSION 3.26)
project(families NONE)
include(families.cmake)
message(STATUS "families: ${CEPHEID_FAMILIES}; isas: ${CEPHEID_ISAS}")
"""


@pytest.fixture
def configure(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    shutil.copy(ROOT / "cmake" / "families.cmake", tmp_path)
    ops = tmp_path / "csrc" / "ops"
    ops.mkdir(parents=True)
    for entries in (ROOT / "csrc" / "ops").glob("*.yaml"):
        (ops / entries.name).touch()
    (tmp_path / "csrc" / "kernels").mkdir()
    shutil.copy(ROOT / "csrc" / "kernels" / "isa_list.cmake", tmp_path / "csrc" / "kernels")

    def run(processor="x86_64"):
        tools = Path(sys.executable).parent
        command = [str(tools / "cmake"), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}"]
        command += [f"-DCMAKE_SYSTEM_PROCESSOR={processor}"]
        command += ["-S", str(tmp_path), "-B", str(tmp_path / "build")]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    return ops, run


def test_the_families_of_this_tree_are_those_with_entries(configure):
    _, run = configure
    status, text = run()
    assert status == 0, text
    assert "families: pointwise;" in text


def test_a_family_without_entries_is_refused(configure):
    ops, run = configure
    (ops / "scan.yaml").unlink()
    status, text = run()
    assert status != 0
    assert "names 'scan', but csrc/ops/scan.yaml does not exist" in text


def test_entries_without_a_family_are_refused(configure):
    ops, run = configure
    (ops / "soup.yaml").touch()
    status, text = run()
    assert status != 0
    assert "family 'soup' is not named in cmake/families.cmake" in text


if __name__ == "__main__":
    run_this_file()
