"""K25: out=, in-place, method and operator agree with the function; storages are kept."""

from cepheid_conformance.checks import variants as check


def test_variants(judge_cell):
    judge_cell(check)
