"""K13: purity: no input is written, no byte beside a written view, no version counter moves."""

from cepheid_conformance.checks import purity as check


def test_purity(judge_cell):
    judge_cell(check)
