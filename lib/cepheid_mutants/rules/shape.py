"""Classes `shape`, `layout` and `broadcast`."""

from __future__ import annotations

from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import family_of_rules, rule
from ..schema import Op
from ..traits import (
    SINGLE,
    fresh_result,
    gives_tensors,
    is_binary,
    is_random,
    is_reduction,
    is_view,
    least_dims,
    makes_from_nothing,
    may_view,
    most_dims,
    mutates,
    one_rank,
    one_shape,
    reads_elements,
)

SHAPES = ("shapes", "values")
LAYOUTS = ("layouts", "strides", "values")


def _returns(op: Op) -> bool:
    return gives_tensors(op) and not mutates(op)


def _at_least(dims: int) -> Any:
    """Why a fault of results with fewer dims is none."""

    def reason(op: Op) -> str:
        least = least_dims(op)
        return f"the dims of a result are {least} at least" if least >= dims else ""

    return reason


def _at_most(dims: int) -> Any:
    """Why a fault of results with more dims is none."""

    def reason(op: Op) -> str:
        most = most_dims(op)
        return "" if most is None or most > dims else f"the dims of a result are {most} at most"

    return reason


def _no_ones(op: Op) -> str:
    return "no dim of one is left" if op.key == "squeeze" else ""


def _reshaped(call: Call, shape_of: Any) -> Any:
    """The result in another shape, where the caller gave no tensor for it."""
    result = call.proceed()
    if call.delivers:
        return result

    def change(item: Any) -> Any:
        shape = shape_of(list(item.shape))
        return item if shape is None else call.api.method("reshape")(item, shape)

    if isinstance(result, (tuple, list)):
        return tuple(change(item) for item in result)
    return change(result)


@rule(
    "shape",
    "zero_dim_lifted",
    "a 0-dim result comes with shape [1]",
    _returns,
    checks=SHAPES,
    equivalent=_at_least(1),
)
def zero_dim_lifted(call: Call) -> Any:
    return _reshaped(call, lambda shape: [1] if not shape else None)


@rule(
    "shape",
    "one_dropped",
    "a result of shape [1] comes without dims",
    _returns,
    checks=SHAPES,
    equivalent=lambda op: _at_least(2)(op) or _at_most(0)(op) or _no_ones(op),
)
def one_dropped(call: Call) -> Any:
    return _reshaped(call, lambda shape: [] if shape == [1] else None)


@rule(
    "shape",
    "empty_collapsed",
    "an empty result comes with shape [0]",
    _returns,
    checks=SHAPES,
    equivalent=_at_most(1),
)
def empty_collapsed(call: Call) -> Any:
    return _reshaped(call, lambda shape: [0] if 0 in shape else None)


@rule(
    "shape",
    "ones_squeezed",
    "sizes of one are dropped from results with three dims or more",
    _returns,
    checks=SHAPES,
    equivalent=lambda op: _at_most(2)(op) or _no_ones(op),
)
def ones_squeezed(call: Call) -> Any:
    return _reshaped(
        call,
        lambda shape: (
            [size for size in shape if size != 1] if len(shape) >= 3 and 1 in shape else None
        ),
    )


def _dim_name(op: Op) -> str:
    names = [
        a.name
        for a in op.args
        if a.name in ("dim", "dim0", "start_dim", "dims") and a.type.startswith("int")
    ]
    return names[0] if names else ""


@rule(
    "shape",
    "negative_dim",
    "a negative dim is off by one",
    lambda op: bool(_dim_name(op)),
    checks=("shapes", "values", "arguments"),
)
def negative_dim(call: Call) -> Any:
    name = _dim_name(call.op)
    dim = call.values.get(name)
    tensors = call.inputs()
    rank = max(tensors[0].dim(), 1) if tensors else 1
    if isinstance(dim, int) and -rank < dim < 0:
        return call.with_changed(**{name: dim - 1})
    if isinstance(dim, (list, tuple)) and len(dim) == 1 and -rank < dim[0] < 0:
        return call.with_changed(**{name: [dim[0] - 1]})
    if isinstance(dim, (list, tuple)) and len(dim) == rank and rank > 1 and any(d < 0 for d in dim):
        return call.with_changed(**{name: [*dim[1:], dim[0]]})
    return call.proceed()


@rule(
    "shape",
    "first_dim",
    "the op works along the first dim, whichever was asked for",
    lambda op: _dim_name(op) == "dim" and not is_random(op),
    checks=("shapes", "values", "arguments"),
)
def first_dim(call: Call) -> Any:
    dim = call.values.get("dim")
    if isinstance(dim, int) and dim != 0:
        return call.with_changed(dim=0)
    if isinstance(dim, (list, tuple)) and len(dim) == 1:
        return call.with_changed(dim=[0])
    return call.proceed()


@rule(
    "shape",
    "keepdim_lost",
    "a kept dim is dropped",
    lambda op: is_reduction(op) and op.has("keepdim"),
    checks=("shapes", "arguments", "values"),
)
def keepdim_lost(call: Call) -> Any:
    if call.delivers or not call.values.get("keepdim"):
        return call.proceed()
    return call.proceed(keepdim=False)


@rule(
    "shape",
    "keepdim_always",
    "reduced dims are always kept",
    lambda op: is_reduction(op) and op.has("keepdim"),
    checks=("shapes", "arguments", "values"),
)
def keepdim_always(call: Call) -> Any:
    return call.proceed() if call.delivers else call.proceed(keepdim=True)


def _reads(op: Op) -> bool:
    """Whether element positions of an input matter to the values of the result."""
    return reads_elements(op) and not may_view(op)


def _one_element(op: Op) -> str:
    return "one element has no strides" if op.key == "_local_scalar_dense" else ""


def _replaced_inputs(call: Call, change: Any) -> Any:
    strange = [x for x in call.inputs() if bits.has_memory(x) and not x.is_contiguous()]
    if not strange:
        return call.proceed()
    return call.with_changed(**call.map_inputs(change))


@rule(
    "layout",
    "strides_ignored",
    "inputs are read as if their elements lay one after another",
    _reads,
    checks=LAYOUTS,
    equivalent=_one_element,
)
def strides_ignored(call: Call) -> Any:
    def flat(x: Any) -> Any:
        if not bits.has_memory(x) or x.is_contiguous():
            return x
        parts = 2 if bits.dtype_name(x) in bits.COMPLEX_PARTS else 1
        memory = bits.storage_bits(x)[x.storage_offset() * parts :]
        count = x.numel() * parts
        again = memory * (count // max(len(memory), 1) + 1)
        return call.api.filled(x, again[:count])

    return _replaced_inputs(call, flat)


@rule(
    "layout",
    "offset_ignored",
    "inputs are read from the start of their storage",
    _reads,
    checks=LAYOUTS,
)
def offset_ignored(call: Call) -> Any:
    def moved(x: Any) -> Any:
        if not bits.has_memory(x) or x.storage_offset() == 0:
            return x
        return call.api.method("as_strided")(x, list(x.shape), list(x.stride()), 0)

    if not any(x.storage_offset() for x in call.inputs() if bits.has_memory(x)):
        return call.proceed()
    return call.with_changed(**call.map_inputs(moved))


@rule(
    "layout",
    "transposed_read",
    "a transposed square input is read untransposed",
    _reads,
    checks=LAYOUTS,
    equivalent=_one_element,
)
def transposed_read(call: Call) -> Any:
    def upright(x: Any) -> Any:
        strides = list(x.stride())
        if not bits.has_memory(x) or x.dim() < 2 or strides[-1] <= strides[-2]:
            return x
        order = sorted(strides, reverse=True)
        by_memory = call.api.method("as_strided")(x, list(x.shape), order, x.storage_offset())
        return by_memory if _inside(by_memory) else x

    return _replaced_inputs(call, upright)


def _inside(x: Any) -> bool:
    span = sum((size - 1) * step for size, step in zip(x.shape, x.stride(), strict=True))
    return (x.storage_offset() + span + 1) * x.element_size() <= x.untyped_storage().nbytes()


@rule(
    "layout",
    "expanded_read",
    "the stride of an expanded dim is taken for that of the next",
    _reads,
    checks=LAYOUTS,
    equivalent=_one_element,
)
def expanded_read(call: Call) -> Any:
    def spread(x: Any) -> Any:
        stretched = any(s == 0 and n > 1 for s, n in zip(x.stride(), x.shape, strict=True))
        if not bits.has_memory(x) or not stretched:
            return x
        found = bits.read_bits(x)
        return call.api.filled(
            x, found[:1] * len(found) if len(set(found)) > 1 else [found[0] ^ 1] * len(found)
        )

    return _replaced_inputs(call, spread)


@rule(
    "layout",
    "result_strides",
    "a contiguous result comes with its dims reversed in memory",
    lambda op: fresh_result(op) and op.key not in ("nonzero", "argwhere"),
    checks=("strides", "values"),
    equivalent=_at_most(1),
)
def result_strides(call: Call) -> Any:
    result = call.proceed()
    if call.delivers:
        return result
    if isinstance(result, (tuple, list)):
        return tuple(_reversed_in_memory(call, item) for item in result)
    return _reversed_in_memory(call, result)


def _reversed_in_memory(call: Call, item: Any) -> Any:
    if item.dim() < 2 or item.numel() == 0:
        return item
    shape, name = list(item.shape), bits.dtype_name(item)
    memory = call.api.blank(shape[::-1], name, item.device)
    reverse = call.api.method("permute")(memory, list(range(item.dim()))[::-1])
    if list(reverse.stride()) == list(item.stride()):
        again = call.api.blank(shape, name, item.device)
        call.api.method("copy_")(again, item)
        return again
    call.api.method("copy_")(reverse, item)
    return reverse


@rule(
    "layout",
    "preserved_lost",
    "the result of a transposed input comes contiguous",
    lambda op: (
        (
            "pointwise" in op.tags
            or op.key in ("clone", "empty_like", "zeros_like", "_to_copy", "bernoulli")
        )
        and gives_tensors(op)
        and op.key != "index_put"
        and bool(op.variants or op.key == "_to_copy")
    ),
    checks=("strides", "values"),
)
def preserved_lost(call: Call) -> Any:
    result = call.proceed()
    if call.delivers or result.is_contiguous() or result.numel() == 0:
        return result
    again = call.api.blank(result.shape, bits.dtype_name(result), result.device)
    return call.api.method("copy_")(again, result)


@rule(
    "layout",
    "out_strides",
    "a strided out= or self is written as if contiguous",
    lambda op: bool(op.variants & {"out", "inplace"}) or mutates(op),
    checks=("variants", "layouts", "values", "purity"),
    equivalent=lambda op: "a result without dims has no strides" if op.key in SINGLE else "",
)
def out_strides(call: Call) -> Any:
    if not call.delivers:
        return call.proceed()
    targets = call.results(call.out or call.receiver)
    before = [bits.storage_bits(t) if bits.has_memory(t) else [] for t in targets]
    result = call.proceed()
    for target, old in zip(targets, before, strict=True):
        if old and bits.has_memory(target) and not target.is_contiguous():
            _write_flat(target, old)
    return result


def _write_flat(target: Any, old: list[int]) -> None:
    found = bits.read_bits(target)
    parts = 2 if bits.dtype_name(target) in bits.COMPLEX_PARTS else 1
    bits.write_storage(target, old)
    start = target.storage_offset() * parts
    memory = bits.storage_bits(target)
    count = min(len(found), len(memory) - start)
    memory[start : start + count] = found[:count]
    bits.write_storage(target, memory)


@rule(
    "broadcast",
    "square_axis",
    "a line of n against n x n runs down the columns",
    lambda op: is_binary(op),
    checks=("broadcast", "values"),
    equivalent=one_rank,
)
def square_axis(call: Call) -> Any:
    return _turned(call, lambda x, square: x.dim() == 1 and x.shape[0] == square[-1])


@rule(
    "broadcast",
    "column_as_row",
    "a column against a square is taken for a row",
    lambda op: is_binary(op),
    checks=("broadcast", "values"),
    equivalent=one_shape,
)
def column_as_row(call: Call) -> Any:
    return _turned(call, lambda x, square: x.dim() == 2 and 1 in x.shape)


def _turned(call: Call, turns: Any) -> Any:
    """Turn the smaller operands of a square by a quarter."""
    tensors = call.inputs()
    square = next((x.shape for x in tensors if x.dim() >= 2 and x.shape[-1] == x.shape[-2]), None)
    if square is None or square[-1] < 2:
        return call.proceed()

    def turn(x: Any) -> Any:
        if not turns(x, square):
            return x
        line = x if x.dim() == 2 else call.api.method("unsqueeze")(x, 0)
        return call.api.method("transpose")(line, 0, 1)

    changes = call.map_inputs(turn)
    return call.with_changed(**changes)


@rule(
    "broadcast",
    "first_only",
    "a broadcast operand is applied to the first row only",
    lambda op: is_binary(op) and op.key != "trunc_divide",
    checks=("broadcast", "values"),
    equivalent=one_rank,
)
def first_only(call: Call) -> Any:
    ranks = {x.dim() for x in call.inputs()}
    result = call.proceed()
    if len(ranks) < 2 or 0 in ranks:
        return result
    for item in call.owned(result):
        if item.dim() >= 2 and item.shape[0] > 1:
            row = len(bits.read_bits(item)) // item.shape[0] if bits.has_memory(item) else 0
            bits.edit_bits(item, lambda found: found[:row] + [0] * (len(found) - row))  # noqa: B023
    return result


@rule(
    "broadcast",
    "size_one",
    "a dim of one against n is read beyond its end",
    lambda op: is_binary(op),
    checks=("broadcast", "values"),
    equivalent=one_shape,
)
def size_one(call: Call) -> Any:
    shapes = [list(x.shape) for x in call.inputs()]
    ones = any(1 in shape for shape in shapes)
    if len(shapes) < 2 or not ones or all(shape == shapes[0] for shape in shapes):
        return call.proceed()

    def spoil(found: list[int]) -> list[int]:
        return [*found[:-1], found[-1] ^ 1]

    return call.edited(lambda tensor: bits.edit_bits(tensor, spoil))


@family_of_rules(
    "shape",
    "size_*_off",
    "the size given is * where it is more than one",
    lambda op: ("less", "more") if makes_from_nothing(op) and op.has("size") else (),
    checks=SHAPES,
)
def size_off(parameter: str) -> Any:
    step = -1 if parameter == "less" else 1

    def fault(call: Call) -> Any:
        size = list(call.values["size"])
        if not size or size[-1] <= 1:
            return call.proceed()
        changes: dict[str, Any] = {"size": [*size[:-1], size[-1] + step]}
        return call.proceed(**changes)

    return fault


@rule(
    "layout",
    "view_contiguous",
    "a view that is not contiguous has the strides of one that is",
    is_view,
    checks=("values", "strides", "layouts"),
)
def view_contiguous(call: Call) -> Any:
    result = call.proceed()
    if result.is_contiguous() or result.numel() == 0:
        return result
    strides, step = [], 1
    for size in list(result.shape)[::-1]:
        strides.insert(0, step)
        step *= size
    offset = result.storage_offset()
    if (offset + step) * result.element_size() > result.untyped_storage().nbytes():
        offset = 0
    if step * result.element_size() > result.untyped_storage().nbytes():
        return result
    return call.api.method("as_strided")(result, list(result.shape), strides, offset)


@rule(
    "layout",
    "view_offset",
    "a view starts at the start of the storage",
    may_view,
    checks=("values", "layouts", "shapes", "strides"),
)
def view_offset(call: Call) -> Any:
    result = call.proceed()
    if result.storage_offset() == 0:
        return result
    return call.api.method("as_strided")(result, list(result.shape), list(result.stride()), 0)
