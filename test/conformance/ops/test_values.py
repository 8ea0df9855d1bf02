"""K1: values of small random inputs against the oracle."""

from cepheid_conformance.checks import values as check


def test_values(judge_cell):
    judge_cell(check)
