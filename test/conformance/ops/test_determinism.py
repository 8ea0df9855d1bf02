"""K18: determinism: repeated calls give the same bits."""

from cepheid_conformance.checks import determinism as check


def test_determinism(judge_cell):
    judge_cell(check)
