"""K19: gradients: those of float64 follow the slopes of the oracle, the others those of float64."""

from cepheid_conformance.checks import gradient as check


def test_gradient(judge_cell):
    judge_cell(check)
