"""K23: errors: the class, the wording where it is ours, nothing written, no crash."""

from cepheid_conformance.checks import errors as check


def test_errors(judge_cell):
    judge_cell(check)
