"""K22: vmap of a call against the call of every slice."""

from cepheid_conformance.checks import vmap as check


def test_vmap(judge_cell):
    judge_cell(check)
