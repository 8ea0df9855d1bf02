"""K15: replay: new data in the same storages gives a new result (no cache by pointer)."""

from cepheid_conformance.checks import replay as check


def test_replay(judge_cell):
    judge_cell(check)
