"""make_tensor: a tensor of drawn values, of any dtype, inside given bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cepheid import _C
from cepheid._numeric_info import finfo, iinfo

_USUAL_BOUND = 9


def make_tensor(
    *shape: int | Sequence[int],
    dtype: _C.dtype,
    device: str | _C.device | None = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
) -> _C.Tensor:
    """A tensor of values drawn from [low, high), from the default generator.

    The usual bounds are [-9, 9) for floating and complex dtypes (each part), [-9, 10) for signed
    integers, [0, 10) for unsigned ones, [0, 2) for bool; given ones are clipped to what the dtype
    holds. `noncontiguous` gives every second element of a larger tensor, `exclude_zero` puts the
    smallest positive value in the place of zeros. ValueError when no value is left.
    """
    sizes = _sizes(shape)
    drawn_sizes = (*sizes[:-1], 2 * sizes[-1]) if noncontiguous and sizes else sizes
    if dtype.is_floating_point or dtype.is_complex:
        result = _floating(drawn_sizes, dtype, low, high)
    else:
        result = _integral(drawn_sizes, dtype, low, high)
    if noncontiguous and sizes:
        result = result[..., ::2]
    if exclude_zero:
        smallest = finfo(dtype).tiny if dtype.is_floating_point or dtype.is_complex else 1
        result.masked_fill_(result == 0, smallest)
    return result.to(device).requires_grad_(requires_grad)


def _sizes(shape: tuple[Any, ...]) -> tuple[int, ...]:
    if len(shape) == 1 and isinstance(shape[0], Sequence):
        return tuple(shape[0])
    return tuple(shape)


def _check(low: float, high: float, dtype: _C.dtype) -> None:
    if math.isnan(low) or math.isnan(high) or low >= high:
        raise ValueError(
            f"make_tensor: low must be below high; got low={low} and high={high} for {dtype}"
        )


def _floating(
    sizes: tuple[int, ...], dtype: _C.dtype, low: float | None, high: float | None
) -> _C.Tensor:
    info = finfo(dtype)
    first = max(-_USUAL_BOUND if low is None else low, info.min)
    last = min(_USUAL_BOUND if high is None else high, info.max)
    _check(first, last, dtype)
    if dtype.is_complex:
        parts = _C.functions.empty((*sizes, 2), dtype=_C.float64).uniform_(first, last)
        unit = _C.tensor(1j, dtype=_C.complex128)
        return (parts[..., 0] + parts[..., 1] * unit).to(dtype)
    return _C.functions.empty(sizes, dtype=_C.float64).uniform_(first, last).to(dtype)


def _integral(
    sizes: tuple[int, ...], dtype: _C.dtype, low: float | None, high: float | None
) -> _C.Tensor:
    if dtype == _C.bool:
        least, bound = 0, 2
    else:
        info = iinfo(dtype)
        least, bound = info.min, info.max + 1
    usual_low, usual_high = (0, 2) if dtype == _C.bool else (-_USUAL_BOUND, _USUAL_BOUND + 1)
    first = max(math.ceil(usual_low if low is None else low), least)
    last = min(math.ceil(usual_high if high is None else high), bound, 2**63 - 1)
    _check(first, last, dtype)
    return _C.functions.randint(first, last, sizes).to(dtype)
