"""K16: the alias contract: views share, copies don't, in-place ops return their operand."""

from cepheid_conformance.checks import alias as check


def test_alias(judge_cell):
    judge_cell(check)
