"""K6: type promotion with every other dtype, 0-dim tensors and Python numbers; cpu and meta."""

from cepheid_conformance.checks import promotion as check


def test_promotion(judge_cell):
    judge_cell(check)
