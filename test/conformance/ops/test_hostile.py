"""K23: hostile arguments: refused or served, never a crash or a torn write."""

from cepheid_conformance.checks import hostile as check


def test_hostile(judge_cell):
    judge_cell(check)
