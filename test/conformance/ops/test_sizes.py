"""K2: sizes across tile edges, long outputs."""

from cepheid_conformance.checks import sizes as check


def test_sizes(judge_cell):
    judge_cell(check)
