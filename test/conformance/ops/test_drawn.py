"""Drawn calls: shapes, layouts, values and arguments combined at random."""

from cepheid_conformance.checks import drawn as check


def test_drawn(judge_cell):
    judge_cell(check)
