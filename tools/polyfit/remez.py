"""Weighted minimax polynomials, with coefficients that the target precision can hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp, mpf

Function = Callable[[mpf], mpf]


@dataclass(frozen=True)
class Fit:
    """Coefficients from the constant term up, and the largest weighted error on the interval."""

    coefficients: tuple[mpf, ...]
    error: mpf


def round_to(value: mpf, bits: int) -> mpf:
    """`value` rounded to nearest in a binary format of `bits` significant bits."""
    with mp.workprec(bits):
        return +value


def minimax(function: Function, weight: Function, low: mpf, high: mpf, degree: int) -> Fit:
    """The polynomial p of least max |weight * (function - p)| on [low, high] (Remez exchange)."""
    count = degree + 2
    points = _chebyshev(low, high, count)
    coefficients: list[mpf] = []
    for _ in range(12):
        coefficients, level = _solve(function, weight, points, degree)
        points = _extrema(_error_of(function, weight, coefficients), low, high, count)
        error = _error_of(function, weight, coefficients)
        worst = max(abs(error(x)) for x in points)
        if worst <= abs(level) * mpf("1.001"):
            break
    return Fit(tuple(coefficients), worst)


def rounded_minimax(
    function: Function, weight: Function, low: mpf, high: mpf, degree: int, widths: list[int]
) -> Fit:
    """As `minimax`, each coefficient rounded to so many bits and the error measured after that."""
    exact = minimax(function, weight, low, high, degree)
    pairs = zip(exact.coefficients, widths, strict=True)
    coefficients = tuple(round_to(c, bits) for c, bits in pairs)
    error = _error_of(function, weight, list(coefficients))
    return Fit(coefficients, max(abs(error(x)) for x in _chebyshev(low, high, 1000)))


def _chebyshev(low: mpf, high: mpf, count: int) -> list[mpf]:
    """Points inside the interval, dense at its ends; never 0, where weights vanish."""
    # The shift keeps the middle of a symmetric interval away from 0.
    middle = (low + high) / 2 + (high - low) * mpf("1e-4")
    half = (high - low) / 2 * mpf("0.9998")
    return [middle - half * mp.cos(mp.pi * (i + mpf("0.5")) / count) for i in range(count)]


def _error_of(function: Function, weight: Function, coefficients: list[mpf]) -> Function:
    return lambda x: weight(x) * (function(x) - _evaluate(coefficients, x))


def _evaluate(coefficients: list[mpf], x: mpf) -> mpf:
    value = mpf(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def _solve(
    function: Function, weight: Function, points: list[mpf], degree: int
) -> tuple[list[mpf], mpf]:
    size = degree + 2
    matrix = mp.matrix(size, size)
    right = mp.matrix(size, 1)
    for row, x in enumerate(points):
        for column in range(degree + 1):
            matrix[row, column] = x**column
        matrix[row, degree + 1] = (-1) ** row / weight(x)
        right[row] = function(x)
    solution = mp.lu_solve(matrix, right)
    return [solution[i] for i in range(degree + 1)], solution[degree + 1]


def _extrema(error: Function, low: mpf, high: mpf, count: int) -> list[mpf]:
    """`count` alternating extrema of `error`: the largest of each run of one sign on a grid."""
    grid = _chebyshev(low, high, 40 * count)
    values = [error(x) for x in grid]
    runs: list[int] = [0]
    for i in range(1, len(grid)):
        if (values[i] > 0) == (values[runs[-1]] > 0):
            if abs(values[i]) > abs(values[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    while len(runs) > count:
        runs.pop(0 if abs(values[runs[0]]) < abs(values[runs[-1]]) else -1)
    if len(runs) < count:
        raise ArithmeticError(f"found {len(runs)} extrema, need {count}: raise the precision")
    return [grid[i] for i in runs]
