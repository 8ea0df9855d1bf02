"""K14: freshness: a result is not overwritten by the next call, and owns its storage."""

from cepheid_conformance.checks import freshness as check


def test_freshness(judge_cell):
    judge_cell(check)
