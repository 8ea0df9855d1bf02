"""Drawn calls of creation, copies and conversion."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DTYPES, integer_range
from ..sample import Sample
from ..tensors import Tensor
from .chooser import Chooser, Shape
from .view import unary_storage

__all__ = ["unary_storage"]


def _size(chooser: Chooser) -> dict[str, Any]:
    return {"size": list(chooser.shape()), "dtype": chooser.dtype}


def sizes(chooser: Chooser) -> Sample:
    """Sizes with the dtype named; channels_last where it may be."""
    values = _size(chooser)
    if chooser.spec.name == "empty" and len(values["size"]) == 4 and chooser.flag():
        values["memory_format"] = "channels_last"
    return Sample(values)


def sizes_strides(chooser: Chooser) -> Sample:
    """Sizes with strides: gaps, repeats, any order."""
    size = list(chooser.shape(most=400))
    stride = [chooser.one_of((1, 2, 0, 3, 10)) for _ in size]
    return Sample({"size": size, "stride": stride, "dtype": chooser.dtype})


def like(chooser: Chooser) -> Sample:
    """Tensors in every layout, another dtype, a format."""
    values = dict(unary_storage(chooser).values)
    if chooser.rarely():
        values["dtype"] = chooser.one_of(tuple(DTYPES))
    if chooser.rarely():
        values["memory_format"] = chooser.one_of(("preserve_format", "contiguous_format"))
    return Sample(values)


def numbers(chooser: Chooser) -> list[Any]:
    """Numbers that the dtype holds."""
    info = chooser.info
    found: list[Any] = [1, 0, True]
    if info.is_integral:
        found += [integer_range(info)[1], integer_range(info)[0]]
    if info.is_inexact:
        found += [-1.5, float("nan"), -0.0] + ([float("inf")] if info.has_infinity else [])
    if info.is_complex:
        found.append(1.5 - 2j)
    return found


def full(chooser: Chooser) -> Sample:
    """A number that the dtype holds; at times the dtype is that of the number."""
    size = list(chooser.shape())
    number = chooser.one_of(numbers(chooser))
    values: dict[str, Any] = {"size": size, "fill_value": number}
    wide = isinstance(number, int) and not -(2**63) <= number < 2**63
    if wide or not chooser.rarely():
        values["dtype"] = chooser.dtype
    return Sample(values)


def arange_end(chooser: Chooser) -> Sample:
    """Ends that the dtype counts to."""
    end: Any = chooser.integer(0, 127)
    if chooser.info.is_floating and chooser.flag():
        end += 0.5
    return Sample({"end": end, "dtype": chooser.dtype})


def arange(chooser: Chooser) -> Sample:
    """Starts, ends and steps of both signs that are exact in the dtype."""
    unit = 0.25 if chooser.info.is_floating and chooser.flag() else 1
    signed = chooser.info.kind != "unsigned"
    start, length = chooser.integer(0, 60), chooser.integer(0, 60)
    step = chooser.integer(1, 5)
    if signed and chooser.flag():
        start -= 60
    backwards = signed and chooser.flag()
    end = start - length if backwards else start + length
    values = {"start": start, "end": end, "step": -step if backwards else step}
    return Sample({**{name: value * unit for name, value in values.items()},
                   "dtype": chooser.dtype})  # fmt: skip


def _convertible(chooser: Chooser, source: str, target: str, shape: Shape) -> Tensor:
    """Values that the target holds: what overflows is not determined."""
    one, two = DTYPES[source], DTYPES[target]
    if one.kind == "bool":
        return chooser.tensor(shape, "any", source)
    if two.is_integral and one.is_integral:
        return chooser.tensor(shape, "full", source)
    if two.kind in ("unsigned", "bool") or one.kind == "unsigned":
        rng = np.random.default_rng(chooser.seed())
        data = np.asarray(rng.integers(0, 9, shape)).astype(one.carrier)
        return chooser.laid_out(Tensor(source, data))
    narrowing = two.is_integral or (two.is_inexact and one.is_integral) or one.is_complex
    return chooser.tensor(shape, "exact" if narrowing or two.itemsize == 1 else "any", source)


def to_dtype(chooser: Chooser) -> Sample:
    """To every dtype, from every layout."""
    target = chooser.one_of((chooser.dtype, *DTYPES))
    tensor = _convertible(chooser, chooser.dtype, target, chooser.shape(most=600))
    values: dict[str, Any] = {"self": tensor, "dtype": target}
    copies = chooser.spec.argument("copy") is not None
    if copies and chooser.rarely():
        values["copy"] = True
    if target != chooser.dtype and chooser.rarely():
        values["memory_format"] = chooser.one_of(("preserve_format", "contiguous_format"))
    return Sample(values)


to_copy = to_dtype


def to_device(chooser: Chooser) -> Sample:
    """The same device, with and without a dtype."""
    values = dict(to_dtype(chooser).values)
    tensor = values.pop("self")
    if chooser.rarely():
        return Sample({"self": tensor, "device": "same"})
    return Sample({"self": tensor, "device": "same", **values})


def to_options(chooser: Chooser) -> Sample:
    """With and without a dtype and a device, which are given by name."""
    values = dict(to_dtype(chooser).values)
    if chooser.rarely():
        values["device"] = "same"
    return Sample(values)


def to_other(chooser: Chooser) -> Sample:
    """The dtype of another tensor."""
    values = dict(to_dtype(chooser).values)
    other = chooser.tensor((1,), "positive", values.pop("dtype"))
    return Sample({"self": values.pop("self"), "other": other, **values})


def copy(chooser: Chooser) -> Sample:
    """From any dtype and layout, broadcast, into any layout without overlap."""
    shape = chooser.shape(most=600)
    source = chooser.one_of((chooser.dtype, *DTYPES))
    src = _convertible(chooser, source, chooser.dtype, chooser.broadcastable(shape))
    return Sample({"self": chooser.tensor(shape, "any", writable=True), "src": src})


def fill(chooser: Chooser) -> Sample:
    """A number that the dtype holds, into any layout without overlap."""
    tensor = chooser.tensor(chooser.shape(), "any", writable=True)
    return Sample({"self": tensor, "value": chooser.one_of(numbers(chooser))})


def zero(chooser: Chooser) -> Sample:
    """Any layout without overlap."""
    return Sample({"self": chooser.tensor(chooser.shape(), "any", writable=True)})


def one_element(chooser: Chooser) -> Sample:
    """Ranks 0 to 4, any value."""
    shape = (1,) * chooser.integer(0, 4)
    return Sample({"self": chooser.tensor(shape, "full")})


def full_like(chooser: Chooser) -> Sample:
    """A number that the dtype holds; tensors in every layout."""
    values = {"self": unary_storage(chooser).values["self"]}
    return Sample({**values, "fill_value": chooser.one_of(numbers(chooser))})


def new_sizes(chooser: Chooser) -> Sample:
    """Sizes, at times with a dtype of their own."""
    tensor = chooser.tensor(chooser.shape((0, 1), 4), "any")
    values: dict[str, Any] = {"self": tensor, "size": list(chooser.shape())}
    if chooser.rarely():
        values["dtype"] = chooser.one_of(tuple(DTYPES))
    return Sample(values)


def new_full(chooser: Chooser) -> Sample:
    """A number that the dtype holds."""
    tensor = chooser.tensor(chooser.shape((0, 1), 4), "any")
    number = chooser.one_of(numbers(chooser))
    return Sample({"self": tensor, "size": list(chooser.shape()), "fill_value": number})


def eye(chooser: Chooser) -> Sample:
    """Small sizes."""
    return Sample({"n": chooser.integer(0, 40), "dtype": chooser.dtype})


def eye_m(chooser: Chooser) -> Sample:
    """Small sizes, wide and high."""
    sizes = {"n": chooser.integer(0, 40), "m": chooser.integer(0, 40)}
    return Sample({**sizes, "dtype": chooser.dtype})
