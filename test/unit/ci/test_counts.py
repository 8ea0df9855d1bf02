"""The counts of a stage: read from the last line, never better than the exit status."""

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
    assert of_output(lines, status) == expected


def test_counts_add_up():
    total = sum([Counts(1, 2, 3), Counts(10, 0, 5)], Counts())
    assert str(total) == "11 passed, 2 failed, 8 skipped"


if __name__ == "__main__":
    run_this_file()
