"""K30: memory: nothing left behind by calls, refused ones too; a bounded peak."""

from cepheid_conformance.checks import memory as check


def test_memory(judge_cell):
    judge_cell(check)
