"""K10: complex edges, and lazily conjugated and negated operands where they exist."""

from cepheid_conformance.checks import complex as check


def test_complex(judge_cell):
    judge_cell(check)
