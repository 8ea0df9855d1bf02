"""The polynomials of the vector functions: the committed header is what the tool makes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from mpmath import mp, mpf

from tools.polyfit.header import hexadecimal, render
from tools.polyfit.remez import minimax, round_to, rounded_minimax
from tools.runner import run_this_file

ROOT = Path(__file__).parents[3]


def one(_: mpf) -> mpf:
    """The weight of an absolute error."""
    return mpf(1)


def test_the_header_is_up_to_date() -> None:
    """Fails when a problem changed and the header was not made again."""
    header = ROOT / "csrc" / "kernels" / "generic" / "coefficients.h"
    assert header.read_text() == render()


def test_the_best_line_for_a_square() -> None:
    """x^2 on [0, 1]: x - 1/8, three alternating errors of 1/8."""
    with mp.workprec(200):
        fit = minimax(lambda x: x**2, one, mpf(0), mpf(1), 1)
        assert abs(fit.coefficients[0] + mpf(1) / 8) < 1e-3
        assert abs(fit.coefficients[1] - 1) < 1e-3
        assert abs(fit.error - mpf(1) / 8) < 1e-3


def test_the_error_falls_with_the_degree() -> None:
    """exp on [-1, 1]: each degree gains more than a factor of four."""
    with mp.workprec(200):
        errors = [minimax(mp.exp, one, mpf(-1), mpf(1), degree).error for degree in range(2, 7)]
    assert all(later < earlier / 4 for earlier, later in pairwise(errors))


def test_coefficients_are_rounded_to_the_format() -> None:
    """Rounded coefficients survive rounding; the error says what rounding cost."""
    with mp.workprec(200):
        exact = minimax(mp.exp, one, mpf(-1), mpf(1), 4)
        fit = rounded_minimax(mp.exp, one, mpf(-1), mpf(1), 4, [8] * 5)
        assert all(round_to(c, 8) == c for c in fit.coefficients)
        assert fit.error > exact.error


def test_literals_are_exact() -> None:
    """A hexadecimal literal gives the value back."""
    with mp.workprec(200):
        value = round_to(mp.log(2), 53)
        assert float.fromhex(hexadecimal(value)) == value


if __name__ == "__main__":
    run_this_file()
