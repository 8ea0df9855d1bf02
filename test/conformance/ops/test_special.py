"""K4: special values: signed zeros, subnormals, infinities, NaN, extremes of integers."""

from cepheid_conformance.checks import special as check


def test_special(judge_cell):
    judge_cell(check)
