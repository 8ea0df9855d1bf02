"""The counts of a stage: read from the last line, never better than the exit status."""

from dataclasses import replace

import pytest

from ci.counts import Counts, of_output
from tools.runner import run_this_file


@pytest.mark.parametrize(
    ("lines", "status", "expected"),
    [
        (["x", "3 passed, 0 failed, 1 skipped", ""], 0, Counts(3, 0, 1)),
        (["3 passed, 2 failed, 0 skipped"], 1, Counts(3, 2, 0)),
        (["3 passed, 0 failed"], 0, Counts(3, 0, 0)),
        (["3 passed, 0 failed, 0 skipped"], 6, Counts(3, 1, 0)),
        (["done"], 0, Counts(1, 0, 0)),
        (["3 passed, 0 failed, 0 skipped", "Segmentation fault"], -11, Counts(0, 1, 0)),
        ([], 1, Counts(0, 1, 0)),
    ],
)
def test_counts_of_a_program(lines, status, expected):
    assert replace(of_output(lines, status), failures=()) == expected


RUN = """\
judging cepheid
FAILED test/a.py::test_x[1 2]
[7/9] 1 failed, last test_x[1 2]
TIMEOUT test/b.py::test_y
FLAKY test/b.py::test_z

FAILED test/a.py::test_x[1 2]
    def test_x():

    >   assert 1 == 2
    E   assert 1 == 2
    E    +  where 1 = f()
  again: python3 run_test.py x

TIMEOUT test/b.py::test_y
    still running after 2.0 s; killed
  again: python3 run_test.py y

3 passed, 3 failed, 0 skipped
"""


def test_failed_tests_are_named_once_and_with_their_cause():
    assert of_output(RUN.splitlines(), 1).failures == (
        "FAILED test/a.py::test_x[1 2]: assert 1 == 2",
        "TIMEOUT test/b.py::test_y: still running after 2.0 s; killed",
        "FLAKY test/b.py::test_z",
    )


def test_what_fails_without_a_name_is_told_by_its_last_lines():
    lines = [f"{number}\n" for number in range(9)]
    assert of_output(lines, 1).failures == ("4", "5", "6", "7", "8")
    assert of_output([*lines, "2 passed, 1 failed, 0 skipped"], 1).failures[-1] == "8"
    assert of_output(["x"], 0).failures == ()


def test_counts_add_up():
    total = sum([Counts(1, 2, 3, ("a", "b")), Counts(10, 1, 5, ("c",))], Counts())
    assert str(total) == "11 passed, 3 failed, 8 skipped"
    assert total.failures == ("a", "b", "c")


if __name__ == "__main__":
    run_this_file()
