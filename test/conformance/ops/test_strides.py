"""K9: strides of results: contiguous from contiguous, dense layouts kept by pointwise ops."""

from cepheid_conformance.checks import strides as check


def test_strides(judge_cell):
    judge_cell(check)
