"""K17: poisoned memory: results don't depend on what fresh memory holds."""

from cepheid_conformance.checks import poison as check


def test_poison(judge_cell):
    judge_cell(check)
