"""Bugs of matrix products and convolutions."""

from __future__ import annotations

from typing import Any

from .. import bits
from ..calls import Call
from .registry import bug, is_strided

OUTS = ("variants", "layouts", "values")


@bug(
    "matmul",
    "layout",
    "pytorch/pytorch#104832",
    "a strided out= is left as it was",
    checks=OUTS,
    held_out=True,
)
def strided_out_untouched(call: Call) -> Any:
    if not call.out or not is_strided(call.out[0]):
        return call.proceed()
    before = bits.read_bits(call.out[0])
    result = call.proceed()
    if len(bits.read_bits(call.out[0])) == len(before):
        bits.write_bits(call.out[0], before)
    return result


@bug(
    "mm",
    "layout",
    "IntelPython/dpnp#1871",
    "an out= in column order receives the product in row order",
    checks=OUTS,
    held_out=True,
)
def out_in_row_order(call: Call) -> Any:
    result = call.proceed()
    if call.out and is_strided(call.out[0]):
        found = bits.read_bits(call.out[0])
        target = call.out[0]
        if target.numel() == target.untyped_storage().nbytes() // target.element_size():
            bits.write_storage(target, found)
        else:
            bits.write_bits(target, found[::-1])
    return result


@bug(
    "bmm",
    "layout",
    "numpy/numpy#29164",
    "batches that are not in row order are multiplied with a wrong leading dim",
    checks=("layouts", "variants"),
    held_out=True,
)
def leading_dim(call: Call) -> Any:
    if not any(map(is_strided, call.inputs())):
        return call.proceed()

    def shift(found: list[int]) -> list[int]:
        return found[-1:] + found[:-1]

    return call.edited(lambda tensor: bits.edit_bits(tensor, shift))


def _pair(value: Any, default: int) -> list[int]:
    if value is None:
        return [default, default]
    return [value, value] if isinstance(value, int) else list(value) * (2 // len(value))


@bug(
    "conv2d",
    "argument",
    "deeplearning4j/deeplearning4j#8320",
    "the dilation is not passed on",
    checks=("arguments", "values"),
    held_out=True,
)
def no_dilation(call: Call) -> Any:
    dilation = _pair(call.values.get("dilation"), 1)
    if dilation == [1, 1]:
        return call.proceed()
    return call.proceed(dilation=1)


def _weight_edited(call: Call, change: Any) -> Any:
    """The convolution with other weights, by their numbers and shape."""
    weight = call.api.copy(call.values["weight"])
    if bits.has_memory(weight):
        bits.write_numbers(weight, change(bits.read_numbers(weight), list(weight.shape)))
    return call.proceed(weight=weight)


@bug(
    "conv2d",
    "size",
    "pytorch/pytorch#21597",
    "channels after the last whole block of four are left out",
    checks=("sizes", "values"),
    held_out=True,
)
def channel_tail(call: Call) -> Any:
    channels = call.values["weight"].shape[1]
    if channels <= 4 or channels % 4 == 0:
        return call.proceed()

    def cut(found: list[Any], shape: list[int]) -> list[Any]:
        area, whole = shape[2] * shape[3], shape[1] - shape[1] % 4
        return [
            value if place // area % shape[1] < whole else 0.0 for place, value in enumerate(found)
        ]

    return _weight_edited(call, cut)


@bug(
    "conv2d",
    "argument",
    "modular/modular#6129",
    "with groups, a kernel of several taps takes the weights of another channel",
    checks=("arguments", "values"),
    held_out=True,
)
def grouped_kernel(call: Call) -> Any:
    shape = list(call.values["weight"].shape)
    if call.values.get("groups", 1) == 1 or shape[2] * shape[3] == 1:
        return call.proceed()

    def turn(found: list[Any], shape: list[int]) -> list[Any]:
        row = len(found) // shape[0]
        return found[row:] + found[:row]

    return _weight_edited(call, turn)


@bug(
    "conv2d",
    "size",
    "pytorch/pytorch#18463",
    "with groups of few input channels and 16 output channels the second half is wrong",
    checks=("sizes", "arguments"),
    held_out=True,
)
def second_half(call: Call) -> Any:
    out, per_group = call.values["weight"].shape[:2]
    if call.values.get("groups", 1) == 1 or out % 16 or per_group >= 16:
        return call.proceed()

    def repeat(found: list[Any], shape: list[int]) -> list[Any]:
        return found[: len(found) // 2] * 2

    return _weight_edited(call, repeat)
