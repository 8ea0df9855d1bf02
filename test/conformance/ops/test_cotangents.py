"""K21: what gradients must not depend on, and what must be noticed."""

from cepheid_conformance.checks import cotangents as check


def test_cotangents(judge_cell):
    judge_cell(check)
