"""Bugs of indexing, copies and creation."""

from __future__ import annotations

import math
from typing import Any

from .. import bits
from ..calls import Call
from .registry import bug, is_strided, read_as_contiguous


@bug(
    "index_put",
    "order",
    "onnx/onnx#3547",
    "of several values for one place the last is kept",
    checks=("arguments", "values"),
)
def last_value(call: Call) -> Any:
    if not call.values.get("accumulate"):
        return call.proceed()
    base = call.values["self"]
    picked = call.api.method("__getitem__")(base, tuple(call.values["indices"]))
    total = call.api.function("add")(picked, call.values["values"])
    return call.with_changed(accumulate=False, values=total)


def _not_negative(call: Call) -> list[Any]:
    """Indices with every negative one replaced by zero."""
    changed = []
    for index in call.values["indices"]:
        if not call.api.is_tensor(index) or not bits.dtype_name(index).startswith("int"):
            changed.append(index)
            continue
        copy = call.api.copy(index)
        bits.edit_numbers(copy, lambda value: max(value, 0))
        changed.append(copy)
    return changed


@bug(
    "index.Tensor",
    "value",
    "apache/tvm#19436",
    "negative indices read somewhere else",
    checks=("values",),
)
def negative_read(call: Call) -> Any:
    return call.proceed(indices=_not_negative(call))


@bug(
    "index_put",
    "value",
    "apache/tvm#20217",
    "values for negative indices go somewhere else",
    checks=("values",),
)
def negative_write(call: Call) -> Any:
    return call.with_changed(indices=_not_negative(call))


@bug(
    "copy_",
    "layout",
    "pytorch/pytorch#189961",
    "between views of the same gaps a solid block of memory is copied",
    checks=("layouts", "arguments", "purity"),
)
def block_copy(call: Call) -> Any:
    target, source = call.values["self"], call.values["src"]
    alike = list(target.stride()) == list(source.stride()) and target.dtype == source.dtype
    if not alike or not is_strided(target) or not bits.has_memory(source):
        return call.proceed()
    old = bits.storage_bits(target)
    parts = 2 if bits.dtype_name(target) in bits.COMPLEX_PARTS else 1
    block = bits.read_bits(read_as_contiguous(call, source))
    result = call.proceed()
    start = target.storage_offset() * parts
    bits.write_storage(target, [*old[:start], *block, *old[start + len(block) :]][: len(old)])
    return result


@bug(
    "fill_.Scalar",
    "layout",
    "pytorch/pytorch#78074",
    "into a strided view only the first of its places is written right",
    checks=("layouts", "purity", "values"),
)
def strided_fill(call: Call) -> Any:
    x = call.values["self"]
    if not is_strided(x):
        return call.proceed()
    before = bits.read_bits(x)
    result = call.proceed()
    parts = 2 if bits.dtype_name(x) in bits.COMPLEX_PARTS else 1
    bits.write_bits(x, bits.read_bits(x)[:parts] + before[parts:])
    return result


@bug(
    "masked_fill.Scalar",
    "error",
    "pytorch/pytorch#89320",
    "a mask of floats is accepted and masks nothing",
    checks=("errors",),
)
def float_mask(call: Call) -> Any:
    mask = call.values["mask"]
    if bits.dtype_name(mask) == "bool":
        return call.proceed()
    return call.receiver if call.in_place else call.api.copy(call.values["self"])


@bug(
    "to.dtype",
    "layout",
    "pytorch/pytorch#79383",
    "a transposed tensor is packed, and its old strides laid over the packed copy",
    checks=("strides", "layouts", "arguments", "values"),
)
def strides_twice(call: Call) -> Any:
    x = call.values["self"]
    result = call.proceed()
    fresh = result is not x and not result.is_contiguous()
    if not fresh or not is_strided(x) or x.dim() != 2:
        return result
    packed = bits.read_bits(result)
    bits.write_storage(result, packed[: len(bits.storage_bits(result))])
    return result


@bug(
    "arange.start_step",
    "size",
    "pytorch/pytorch#5556",
    "the number of elements is rounded down, and the last is missing",
    dtypes=("float32", "float64"),
    checks=("values", "accuracy"),
)
def last_missing(call: Call) -> Any:
    start, end, step = _bounds(call)
    count = (end - start) / step
    if count == int(count) or call.values.get("dtype") is None or not _is_float(call):
        return call.proceed()
    return call.proceed(end=start + step * math.floor(count))


def _bounds(call: Call) -> tuple[float, float, float]:
    values = call.values
    return values.get("start", 0), values["end"], values.get("step", 1)


def _is_float(call: Call) -> bool:
    return str(call.values["dtype"]).rpartition(".")[2] in bits.FLOAT_FORMATS


@bug(
    "arange",
    "integer",
    "pytorch/pytorch#149097",
    "a fractional end is cut off before an int64 range is counted",
    dtypes=("int64",),
    checks=("arguments", "values"),
)
def fraction_cut(call: Call) -> Any:
    end = call.values["end"]
    if not isinstance(end, float) or not math.isfinite(end) or end == int(end):
        return call.proceed()
    if str(call.values.get("dtype")).endswith("int64"):
        return call.proceed(end=int(end))
    return call.proceed()


@bug(
    "arange.start_step",
    "accuracy",
    "pytorch/pytorch#137774",
    "each block of eight adds its steps to a rounded first element",
    dtypes=("bfloat16",),
    checks=("sizes", "values", "accuracy"),
)
def rounded_blocks(call: Call) -> Any:
    return _blockwise(call, "bfloat16")


@bug(
    "arange.start_step",
    "accuracy",
    "pytorch/pytorch#47043",
    "each block of eight adds its steps to a rounded first element, in float64 too",
    dtypes=("float64",),
    checks=("accuracy", "sizes", "values"),
)
def rounded_double_blocks(call: Call) -> Any:
    return _blockwise(call, "float64")


def _blockwise(call: Call, name: str) -> Any:
    start, _, step = _bounds(call)

    def edit(tensor: Any) -> None:
        if bits.dtype_name(tensor) != name or not bits.has_memory(tensor):
            return
        count = tensor.numel()
        first = [bits.round_to(start + step * (place - place % 8), name) for place in range(count)]
        steps = [bits.round_to(step * (place % 8), name) for place in range(count)]
        bits.write_numbers(tensor, [a + b for a, b in zip(first, steps, strict=True)])

    return call.edited(edit)


@bug(
    "arange.start_step",
    "accuracy",
    "numpy/numpy#18625",
    "a float64 range is computed from float32 bounds",
    dtypes=("float64",),
    checks=("accuracy", "values"),
)
def single_bounds(call: Call) -> Any:
    def edit(tensor: Any) -> None:
        if bits.dtype_name(tensor) == "float64":
            bits.edit_numbers(tensor, lambda value: bits.round_to(value, "float32"))

    return call.edited(edit)
