"""K32: the output depends on each input: change one, and the result follows the oracle."""

from cepheid_conformance.checks import dependence as check


def test_dependence(judge_cell):
    judge_cell(check)
