"""Baseline: an instruction above x86-64-v2 outside an ISA unit is found."""

import os
import platform
import subprocess

import pytest

from tools.lint import baseline
from tools.runner import run_this_file

SUM = "float total(const float* x, int n)"
BODY = "{ float s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }\n"


def compile_unit(folder, text, *flags):
    folder.mkdir(parents=True)
    (folder / "a_avx2.cpp").write_text(text)
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, "-O1", *flags, "-c", "a_avx2.cpp", "-o", "a_avx2.cpp.o"]
    subprocess.run(command, cwd=folder, check=True)


def expected(*problems):
    return list(problems) if platform.machine() == "x86_64" else []


def test_a_newer_instruction_is_found(tmp_path):
    flags = ["-mavx2"] if platform.machine() == "x86_64" else []
    compile_unit(tmp_path / "core", SUM + BODY, *flags)
    found = [str(problem) for problem in baseline.check(tmp_path)]
    text = "a_avx2.cpp.o: total(float const*, int) holds vaddss, which the baseline doesn't have"
    assert [line.replace("vxorps", "vaddss") for line in found] == expected(text)


@pytest.mark.parametrize("folder", ["isa_units", "generated/pointwise"])
def test_isa_units_may_have_them(tmp_path, folder):
    flags = ["-mavx2"] if platform.machine() == "x86_64" else []
    compile_unit(tmp_path / folder, SUM + BODY, *flags)
    compile_unit(tmp_path / "core", SUM + BODY)
    assert baseline.check(tmp_path) == []


def test_a_region_in_another_file_is_fine(tmp_path):
    flags = ["-mavx2"] if platform.machine() == "x86_64" else []
    region = f"namespace ceph::kernels::avx2 {{ {SUM}{BODY} }}"
    compile_unit(tmp_path / "kernels", region, *flags)
    assert baseline.check(tmp_path) == []


def test_nothing_to_look_at_is_a_problem(tmp_path):
    assert len(baseline.check(tmp_path)) == len(expected("one"))


if __name__ == "__main__":
    run_this_file()
