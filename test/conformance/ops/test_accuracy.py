"""K3: the accuracy budget, in ULP or by the condition of the problem."""

from cepheid_conformance.checks import accuracy as check


def test_accuracy(judge_cell):
    judge_cell(check)
