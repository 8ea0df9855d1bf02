"""K20: gradients of gradients: they follow differences of the gradients, and are symmetric."""

from cepheid_conformance.checks import second_order as check


def test_second_order(judge_cell):
    judge_cell(check)
