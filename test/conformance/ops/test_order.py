"""K24: order: ties, stability, placement of NaN."""

from cepheid_conformance.checks import order as check


def test_order(judge_cell):
    judge_cell(check)
