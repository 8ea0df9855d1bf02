"""K31: properties: relations between calls that hold whatever the values."""

from cepheid_conformance.checks import properties as check


def test_properties(judge_cell):
    judge_cell(check)
