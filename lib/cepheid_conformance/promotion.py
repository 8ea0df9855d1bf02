"""Type promotion as documented in PyTorch's "Type promotion" section of tensor attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .dtypes import DTYPES
from .tensors import Tensor

_INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
DEFAULT_FLOAT = "float32"


class NoPromotion(Exception):
    """The two dtypes have no common dtype by the documentation."""


def promote_types(first: str, second: str) -> str:
    """The smallest dtype of at least both categories that holds both."""
    if first == second:
        return first
    a, b = DTYPES[first], DTYPES[second]
    if a.category != b.category:
        low, high = sorted((a, b), key=lambda dtype: dtype.category)
        if high.is_complex:
            wide = low.name == "float64" or high.name == "complex128"
            return "complex128" if wide else "complex64"
        return high.name
    if a.is_integral:
        return _promote_integers(first, second)
    if a.is_complex:
        return "complex128"
    if a.itemsize == b.itemsize == 2:
        return "float32"
    if 1 in (a.itemsize, b.itemsize):
        raise NoPromotion(f"{first} and {second}")
    return max((a, b), key=lambda dtype: dtype.itemsize).name


def _promote_integers(first: str, second: str) -> str:
    if not {first, second} <= set(_INTEGERS):
        raise NoPromotion(f"{first} and {second}")
    if "uint8" in (first, second):
        other = second if first == "uint8" else first
        return "int16" if other == "int8" else other
    return max(first, second, key=_INTEGERS.index)


def number_dtype(value: Any) -> str:
    """The dtype that a Python number stands for."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int64"
    return DEFAULT_FLOAT if isinstance(value, float) else "complex64"


def result_type(operands: Sequence[Tensor | bool | int | float | complex]) -> str:
    """Promote tensors with dimensions, then 0-dim tensors, then numbers: a lower group takes part
    only where its category is higher."""
    groups: list[str | None] = [None, None, None]
    for operand in operands:
        if isinstance(operand, Tensor):
            place = 0 if operand.shape else 1
            name = operand.dtype
        else:
            place, name = 2, number_dtype(operand)
        known = groups[place]
        groups[place] = name if known is None else promote_types(known, name)
    result: str | None = None
    for group in groups:
        if group is None:
            continue
        if result is None:
            result = group
        elif DTYPES[group].category > DTYPES[result].category:
            result = _raise_category(result, group)
    if result is None:
        raise ValueError("result_type: at least one operand is needed; got none; give one")
    return result


def _raise_category(result: str, higher: str) -> str:
    """A group of higher category gives its kind; a floating result that turns complex keeps its
    width."""
    if DTYPES[result].is_floating and DTYPES[higher].is_complex:
        return "complex128" if result == "float64" else "complex64"
    return promote_types(result, higher)


def int_to_float(name: str) -> str:
    """Integers and bool become the default floating dtype."""
    return name if DTYPES[name].is_inexact else DEFAULT_FLOAT
