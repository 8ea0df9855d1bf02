"""K11: broadcasting, square ambiguities included."""

from cepheid_conformance.checks import broadcast as check


def test_broadcast(judge_cell):
    judge_cell(check)
