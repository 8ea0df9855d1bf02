"""The rules and the rewriter, on small sources."""

import shutil
import subprocess

import pytest

from tools.mutate.paths import ROOT
from tools.mutate.rewrite import mutate

SOURCE = b"""\
#include "mutant.h"
#include <cstdio>
#define CEPH_CHECK(condition, ...) if (!(condition)) return -1;
constexpr long kLimit = 3;
static_assert(kLimit == 3);
template <long N> struct Fixed { long values[N + 1]; };
static int64_t sum(const long* x, long n) {
  CEPH_CHECK(n >= 0, "sum", "n must not be ", n - 1);
  long total = 0;
  for (long i = 0; i < n; ++i) {
    if (x[i] == kLimit) continue;
    total += x[i];
  }
  return total;
}
static bool larger(long a, long b) {
  return a > b;
}
int main() {
  const long x[] = {1, 2, 3, 4};
  Fixed<2> unused{};
  std::printf("%ld %d\\n", sum(x, 4), larger(2, 2) + static_cast<int>(unused.values[0]));
}
"""


def everything(key):
    return True


def test_each_site_is_written_once_and_lines_stay():
    changed, sites = mutate("csrc/kernels/cpu/sum.cpp", SOURCE, everything, 7)
    assert [site.number for site in sites] == list(range(7, 7 + len(sites)))
    text = changed.decode()
    for site in sites:
        assert f"on({site.number})" in text or f", {site.number})" in text
    assert len(text.splitlines()) == len(SOURCE.decode().splitlines())
    for before, after in zip(SOURCE.splitlines()[:7], changed.splitlines()[:7], strict=True):
        assert before == after, "what the compiler computes has no switch"


def test_rules_find_their_sites():
    _, sites = mutate("csrc/kernels/cpu/sum.cpp", SOURCE, everything, 0)
    found = {(site.rule, site.fault, site.before) for site in sites}
    assert ("tail", "size", "i < n") in found
    assert ("boundary", "size", "i < n") in found
    assert ("start", "size", "0") in found
    assert ("jump", "size", "continue;") in found
    assert ("accumulator", "accuracy", "total += x[i]") in found
    assert ("boundary", "value", "a > b") in found
    assert ("result", "value", "a > b") in found
    assert ("check", "error", 'CEPH_CHECK(n >= 0, "sum", "n must not be ", n - 1);') in found
    assert not any(before == "n - 1" for *_, before in found), "messages are for people"


def test_keys_do_not_depend_on_other_functions():
    more = b"static int more(int a) { return a + 1; }\n"
    moved = SOURCE.replace(b"static int64_t sum", more + b"static int64_t sum")
    before = {site.key for site in mutate("f.cpp", SOURCE, everything, 0)[1]}
    after = {site.key for site in mutate("f.cpp", moved, everything, 0)[1]}
    assert before < after


def test_a_share_is_the_same_on_every_machine():
    keys = [site.key for site in mutate("f.cpp", SOURCE, everything, 0)[1]]
    _, some = mutate("f.cpp", SOURCE, lambda key: key < "8", 0)
    assert [site.key for site in some] == [key for key in keys if key < "8"]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The mutated source, compiled; returns a function from a site to what the program prints."""
    folder = tmp_path_factory.mktemp("mutants")
    changed, sites = mutate("csrc/kernels/cpu/sum.cpp", SOURCE, everything, 0)
    runtime = ROOT / "tools" / "mutate" / "runtime"
    table = (runtime / "mutant.cpp.in").read_text().replace("@COUNT@", str(len(sites)))
    (folder / "table.cpp").write_text(table)
    (folder / "sum.cpp").write_bytes(changed)
    compiler = shutil.which("c++") or shutil.which("g++")
    command = [compiler, "-std=c++20", "-O1", f"-I{runtime}", "-o", folder / "sum"]
    subprocess.run([*command, folder / "sum.cpp", folder / "table.cpp"], check=True)

    def prints(number):
        return subprocess.run(
            [folder / "sum"], env={"MUTANT": str(number)}, capture_output=True, text=True
        ).stdout

    return sites, prints


def test_the_switch_is_off_without_a_mutant(program):
    _, prints = program
    assert prints(-1) == "7 0\n"


def test_each_mutant_does_what_its_rule_says(program):
    sites, prints = program
    printed = {(site.rule, site.before, site.after): prints(site.number) for site in sites}
    assert printed["tail", "i < n", "(i) + 1 < (n)"] == "3 0\n"
    assert printed["start", "0", "0 + 1"] == "6 0\n"
    assert printed["jump", "continue;", ";"] == "10 0\n"
    assert printed["boundary", "a > b", "(a) >= (b)"] == "7 1\n"
    assert printed["result", "a > b", "!(a > b)"] == "7 1\n"
    assert printed["result", "total", "next"] == "8 0\n"
    assert printed["delete", "total += x[i];", ";"] == "0 0\n"
