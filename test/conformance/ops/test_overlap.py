"""Fault family A: a destination that overlaps a source gives the right result or is refused."""

from cepheid_conformance.checks import overlap as check


def test_overlap(judge_cell):
    judge_cell(check)
