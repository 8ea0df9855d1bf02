"""K8: layouts and offsets: transposed, stepped, shifted, padded, expanded, overlapping reads."""

from cepheid_conformance.checks import layouts as check


def test_layouts(judge_cell):
    judge_cell(check)
