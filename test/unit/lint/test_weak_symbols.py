"""Weak symbols: an inline function in an ISA unit is found, a static one is not."""

import os
import subprocess

import pytest

from tools.lint import weak_symbols
from tools.runner import run_this_file


def compile_unit(folder, name, text):
    folder.mkdir(parents=True)
    source = folder / f"{name}.cpp"
    source.write_text(text)
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, "-c", source, "-o", folder / f"{name}.cpp.o"], check=True)


INLINE = "inline int helper(int x) { return x; }\nint kernel(int x) { return helper(x); }\n"


def test_a_weak_symbol_is_found(tmp_path):
    compile_unit(tmp_path / "isa_units", "reduce_avx2", INLINE)
    problems = [str(problem) for problem in weak_symbols.check(tmp_path)]
    assert problems == ["reduce_avx2.cpp.o: weak symbol in an ISA unit: helper(int)"]


OWN = """
namespace ceph::kernels::avx512 {
template <class T> struct Block { static int run(T x) { static T last = x; return last; } };
int kernel(int x) { return Block<int>::run(x); }
}
"""


def test_instances_in_the_own_namespace_are_fine(tmp_path):
    compile_unit(tmp_path / "generated" / "pointwise", "avx512_3", OWN)
    assert weak_symbols.check(tmp_path) == []


def test_instances_in_the_namespace_of_another_isa_are_found(tmp_path):
    compile_unit(tmp_path / "generated" / "pointwise", "avx2_3", OWN)
    (tmp_path / "generated" / "pointwise" / "avx2_3.cpp").unlink()
    assert "Block<int>::run(int)" in str(weak_symbols.check(tmp_path)[0])


@pytest.mark.parametrize("name", ["reduce_avx2", "reduce_avx512"])
def test_static_helpers_are_fine(tmp_path, name):
    compile_unit(tmp_path / "generated" / "pointwise", name, f"static {INLINE}")
    assert weak_symbols.check(tmp_path) == []


def test_the_baseline_may_share(tmp_path):
    compile_unit(tmp_path / "isa_units", "reduce_scalar", INLINE)
    compile_unit(tmp_path / "generated" / "pointwise", "avx2", f"static {INLINE}")
    assert weak_symbols.check(tmp_path) == []


def test_nothing_to_look_at_is_a_problem(tmp_path):
    assert "build first" in str(weak_symbols.check(tmp_path)[0])


if __name__ == "__main__":
    run_this_file()
