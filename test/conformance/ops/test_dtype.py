"""K5: the exact dtype of results, integer wrap-around, on cpu and meta."""

from cepheid_conformance.checks import dtype as check


def test_dtype(judge_cell):
    judge_cell(check)
