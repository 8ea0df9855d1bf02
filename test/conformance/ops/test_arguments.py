"""K12: every argument has its effect: alpha, rounding mode, keepdim, dtype=..."""

from cepheid_conformance.checks import arguments as check


def test_arguments(judge_cell):
    judge_cell(check)
