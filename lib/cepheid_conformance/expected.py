"""What an oracle says about one result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .dtypes import DTYPES, Array

# How an oracle's value is to be met (the ladder of the suite's design):
EXACT = "exact"  # bit equality of values; NaN payloads excepted
ROUNDED = "rounded"  # correctly rounded: the wide value rounded once
ULP = "ulp"  # within k + 1/2 units in the last place; k from the tolerance table
BOUND = "bound"  # within an absolute error that follows the condition of the problem
FREE = "free"  # values are not determined; structure is


@dataclass(frozen=True, eq=False)
class Expected:
    """The value of one output in a wider type, and how closely it must be met.

    `value` is None where only the shape is determined. `bound` adds an absolute error to the half
    ULP of rounding (BOUND) or to the ULP budget (ULP). `any_zero_sign` frees the sign of zeros,
    elementwise or wholly. `alias` names the argument whose storage a view must share; `strides`
    and `offset` are given where the documentation fixes them. `holds` is a property of the result
    that replaces a value (rung 5): it returns what is wrong, or None.
    """

    dtype: str
    value: Array | None
    rung: str = EXACT
    shape: tuple[int, ...] = ()
    bound: Array | float | None = None
    any_zero_sign: Array | bool = False
    strides: tuple[int, ...] | None = None
    offset: int | None = None
    alias: str | None = None
    plain: bool = False
    holds: Callable[[list[Array]], str | None] | None = None

    def __post_init__(self) -> None:
        if self.value is not None:
            object.__setattr__(self, "shape", tuple(np.shape(self.value)))


def exact(dtype: str, value: Any, **facts: Any) -> Expected:
    """A result that must be met bit for bit."""
    return Expected(dtype, np.asarray(value).astype(DTYPES[dtype].carrier), EXACT, **facts)


def rounded(dtype: str, value: Array, **facts: Any) -> Expected:
    """A correctly rounded result: integer and bool dtypes are exact anyway."""
    if not DTYPES[dtype].is_inexact:
        return exact(dtype, value, **facts)
    return Expected(dtype, np.asarray(value), ROUNDED, **facts)


def within_ulp(dtype: str, value: Array, **facts: Any) -> Expected:
    """A result within the ULP budget of its op and dtype."""
    return Expected(dtype, np.asarray(value), ULP, **facts)


def within_bound(dtype: str, value: Array, bound: Array | float, **facts: Any) -> Expected:
    """A result within an absolute bound; the sign of a zero sum is not determined."""
    if not DTYPES[dtype].is_inexact:
        return exact(dtype, value, **facts)
    facts.setdefault("any_zero_sign", True)
    return Expected(dtype, np.asarray(value), BOUND, bound=bound, **facts)


def undetermined(dtype: str, shape: tuple[int, ...], **facts: Any) -> Expected:
    """A result of which only the structure is determined."""
    return Expected(dtype, None, FREE, shape, **facts)
