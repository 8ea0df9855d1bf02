"""The text of csrc/kernels/generic/coefficients.h."""

from __future__ import annotations

from mpmath import mp, mpf

from tools.polyfit.problems import DOUBLE_BITS, FLOAT_BITS, Problem, problems
from tools.polyfit.remez import round_to

HEADER = """\
// Polynomial coefficients, constant term first. Made by `python -m tools.polyfit --write`: change
// tools/polyfit/problems.py, not this file. Included inside a target region.
// clang-format off
"""


def render() -> str:
    """Solves every problem at 200 bits and prints the header."""
    with mp.workprec(200):
        return HEADER + "".join(_array(problem) for problem in problems()) + _two_over_pi()


def _two_over_pi() -> str:
    """The digits of 2/pi, as many as the largest double needs."""
    words = 20
    with mp.workprec(64 * words + 64):
        digits = int(mp.floor(2 / mp.pi * mpf(2) ** (64 * words)))
    lines = [
        "\n// 2/pi in digits of 64 bits, after one of zero.",
        "static constexpr uint64_t kTwoOverPi[] = {",
    ]
    lines += ["    0,"]
    for place in reversed(range(words)):
        lines.append(f"    0x{digits >> 64 * place & 0xFFFFFFFFFFFFFFFF:016x},")
    return "\n".join([*lines, "};", ""])


def _array(problem: Problem) -> str:
    fit = problem.solve()
    kind, suffix = ("float", "f") if problem.bits == FLOAT_BITS else ("double", "")
    exponent = mp.nstr(mp.log(fit.error, 2), 4)
    lines = [f"\n// {problem.formula}; error 2^{exponent}"]
    leading, rest = fit.coefficients[: problem.leading], fit.coefficients[problem.leading :]
    if leading:
        lines.append(f"static constexpr DoubleDouble {problem.name}Lead[] = {{")
        lines += [f"    {_two_words(c)}," for c in leading] + ["};"]
    name = problem.name + ("Tail" if leading else "")
    lines.append(f"static constexpr {kind} {name}[] = {{")
    lines += [f"    {hexadecimal(c)}{suffix}," for c in rest]
    return "\n".join([*lines, "};", ""])


def _two_words(value: mpf) -> str:
    high = round_to(value, DOUBLE_BITS)
    return f"{{{hexadecimal(high)}, {hexadecimal(round_to(value - high, DOUBLE_BITS))}}}"


def hexadecimal(value: mpf) -> str:
    """A C++ hexadecimal literal of a value that a double holds exactly."""
    return float(value).hex()
