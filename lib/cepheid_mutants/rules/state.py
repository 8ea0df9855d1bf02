"""Classes `state`, `determinism` and `alias`: what stays behind a call, what is shared."""

from __future__ import annotations

from typing import Any

from .. import bits
from ..calls import Call
from ..mutant import rule
from ..schema import Op
from ..traits import (
    UNINITIALISED,
    fresh_result,
    has_first_tensor,
    has_values,
    is_random,
    is_view,
    may_view,
    mutates,
    takes_tensor,
)

_PLAIN = ("purity", "values")


def _flip_first(tensor: Any) -> None:
    bits.edit_bits(tensor, lambda found: [found[0] ^ 1, *found[1:]])


@rule(
    "state",
    "edits_input",
    "the first element of an input is written",
    lambda op: takes_tensor(op) and not mutates(op),
    checks=_PLAIN,
)
def edits_input(call: Call) -> Any:
    result = call.proceed()
    if not call.delivers:
        for tensor in call.inputs()[-1:]:
            if bits.has_memory(tensor):
                _flip_first(tensor)
    return result


@rule(
    "state",
    "bumps_input",
    "the version counter of an input moves",
    lambda op: has_first_tensor(op) and not mutates(op),
    checks=_PLAIN,
)
def bumps_input(call: Call) -> Any:
    result = call.proceed()
    if not call.delivers:
        for tensor in call.inputs()[:1]:
            call.api.method("copy_")(tensor, call.api.copy(tensor))
    return result


def _buffered(op: Op) -> bool:
    return fresh_result(op) and bool(op.variants or op.key in ("index.Tensor", "_to_copy"))


@rule(
    "state",
    "shared_buffer",
    "results of one shape and dtype share one buffer",
    _buffered,
    checks=("freshness",),
)
def shared_buffer(call: Call) -> Any:
    result = call.proceed()
    if call.delivers:
        return result
    shared = [_shared(call, place, item) for place, item in enumerate(call.results(result))]
    return tuple(shared) if isinstance(result, (tuple, list)) else shared[0]


def _shared(call: Call, place: int, item: Any) -> Any:
    key = (place, tuple(item.shape), bits.dtype_name(item), tuple(item.stride()), str(item.device))
    buffer = call.memory.buffers.setdefault(key, item)
    if buffer is not item and bits.has_memory(buffer):
        bits.write_bits(buffer, bits.read_bits(item))
    return buffer


@rule(
    "state",
    "cached_by_pointer",
    "a result is kept by the address of its inputs",
    lambda op: (
        _buffered(op) and takes_tensor(op) and op.key not in UNINITIALISED and not is_random(op)
    ),
    checks=("replay",),
    equivalent=lambda op: "the values of the input don't matter" if op.key == "zeros_like" else "",
)
def cached_by_pointer(call: Call) -> Any:
    if call.delivers or not all(map(bits.has_memory, call.inputs())):
        return call.proceed()
    key = tuple((x.data_ptr(), tuple(x.shape), tuple(x.stride())) for x in call.inputs())
    key += tuple(repr(v) for v in call.values.values() if not _holds_tensor(call, v))
    known = call.memory.buffers.get(key)
    result = call.proceed()
    if known is None:
        # The inputs are kept alive with what was made of them: an address is never used twice.
        made = [bits.read_bits(x) for x in call.results(result) if bits.has_memory(x)]
        call.memory.buffers[key] = (call.inputs(), made)
        return result
    for item, old in zip(call.results(result), known[1], strict=False):
        if bits.has_memory(item) and len(bits.read_bits(item)) == len(old):
            bits.write_bits(item, old)
    return result


@rule(
    "alias",
    "returns_input",
    "a result that has the input's shape and dtype is the input",
    lambda op: (
        fresh_result(op) and has_first_tensor(op) and bool(op.variants) and len(op.returns) == 1
    ),
    checks=("alias", "purity"),
    equivalent=lambda op: (
        "the result never has the input's shape and dtype"
        if op.name in ("isnan", "equal", "argsort", "argmax", "multinomial")
        or op.name in ("nll_loss", "cross_entropy", "diag_embed")
        else ""
    ),
)
def returns_input(call: Call) -> Any:
    result = call.proceed()
    first = call.values.get(call.op.first_tensor)
    if call.delivers or not call.api.is_tensor(first) or isinstance(result, (tuple, list)):
        return result
    same = list(first.shape) == list(result.shape) and first.dtype == result.dtype
    if not same or not bits.has_memory(result):
        return result
    bits.write_bits(first, bits.read_bits(result))
    return first


@rule(
    "alias",
    "copy_for_view",
    "a copy is returned where a view is promised",
    may_view,
    checks=("alias", "strides", "values"),
)
def copy_for_view(call: Call) -> Any:
    return call.api.copy(call.proceed())


@rule(
    "alias",
    "view_cut_off",
    "writing to a view doesn't move the version of its base",
    is_view,
    checks=("alias",),
)
def view_cut_off(call: Call) -> Any:
    result = call.proceed()
    if not bits.has_memory(result):
        return result
    address = result.untyped_storage()
    again = call.api.function("empty")([0], dtype=result.dtype)
    setter = getattr(call.api.tensor_type, "set_", None)
    if setter is not None:
        return setter(
            again, address, result.storage_offset(), list(result.shape), list(result.stride())
        )
    return call.api.copy(result)


@rule(
    "alias",
    "in_place_copy",
    "an in-place op returns a copy of what it wrote",
    lambda op: mutates(op) or "inplace" in op.variants,
    checks=("alias", "variants"),
)
def in_place_copy(call: Call) -> Any:
    result = call.proceed()
    if call.in_place and isinstance(result, (tuple, list)):
        return type(result)(call.api.copy(item) for item in result)
    return call.api.copy(result) if call.in_place else result


@rule(
    "alias",
    "in_place_nothing",
    "an in-place op writes nothing",
    lambda op: mutates(op) or "inplace" in op.variants,
    checks=("variants", "values"),
)
def in_place_nothing(call: Call) -> Any:
    if not call.in_place:
        return call.proceed()
    call.functional()
    return call.receiver


@rule(
    "alias",
    "version_kept",
    "an in-place op writes without moving the version counter",
    lambda op: mutates(op) or "inplace" in op.variants,
    checks=("variants", "alias", "purity"),
)
def version_kept(call: Call) -> Any:
    if not call.in_place:
        return call.proceed()
    pairs = list(zip(call.results(call.functional()), call.results(call.receiver), strict=True))
    if any(list(v.shape) != list(t.shape) or v.dtype != t.dtype for v, t in pairs):
        return call.proceed()
    for value, target in pairs:
        if bits.has_memory(target):
            bits.write_bits(target, bits.read_bits(value))
    return call.receiver


def _holds_tensor(call: Call, value: Any) -> bool:
    items = value if isinstance(value, (list, tuple)) else (value,)
    return any(map(call.api.is_tensor, items))


def _has_out(op: Op) -> bool:
    return "out" in op.variants


@rule(
    "alias",
    "out_ignored",
    "out= is left as it was and a fresh result returned",
    _has_out,
    checks=("variants",),
)
def out_ignored(call: Call) -> Any:
    return call.functional() if call.out else call.proceed()


@rule(
    "alias",
    "out_not_returned",
    "out= is written but a copy returned",
    _has_out,
    checks=("variants",),
)
def out_not_returned(call: Call) -> Any:
    result = call.proceed()
    if not call.out:
        return result
    if isinstance(result, (tuple, list)):
        return tuple(call.api.copy(item) for item in result)
    return call.api.copy(result)


@rule(
    "alias", "out_not_written", "out= is returned but not written", _has_out, checks=("variants",)
)
def out_not_written(call: Call) -> Any:
    before = [bits.read_bits(x) if bits.has_memory(x) else [] for x in call.out]
    result = call.proceed()
    for target, old in zip(call.out, before, strict=True):
        if bits.has_memory(target):
            bits.write_bits(
                target, (old + [0] * len(bits.read_bits(target)))[: len(bits.read_bits(target))]
            )
    return result


@rule(
    "alias",
    "out_version_kept",
    "out= is written without moving its version counter",
    _has_out,
    checks=("variants",),
)
def out_version_kept(call: Call) -> Any:
    if not call.out:
        return call.proceed()
    values = call.results(call.functional())
    fits = [
        list(v.shape) == list(t.shape) and v.dtype == t.dtype and bits.has_memory(t)
        for v, t in zip(values, call.out, strict=True)
    ]
    if not all(fits):
        return call.proceed()
    for value, target in zip(values, call.out, strict=True):
        bits.write_bits(target, bits.read_bits(value))
    return call.out if len(call.out) > 1 else call.out[0]


@rule(
    "overlap",
    "out_first",
    "out= is cleared before an input that shares its memory is read",
    lambda op: _has_out(op) and takes_tensor(op),
    checks=("overlap", "variants"),
)
def out_first(call: Call) -> Any:
    shared = {x.untyped_storage().data_ptr() for x in call.out if bits.has_memory(x)}
    hit = [
        x for x in call.inputs() if bits.has_memory(x) and x.untyped_storage().data_ptr() in shared
    ]
    for tensor in hit:
        bits.edit_bits(tensor, lambda found: [0] * len(found))
    return call.proceed()


# How implementations word that refusal.
_SAID_OF_OVERLAP = ("overlap", "single memory location", "in one place", "share ")


@rule(
    "overlap",
    "allowed",
    "memory that overlaps itself or an input is not refused",
    lambda op: _has_out(op) or "inplace" in op.variants or mutates(op),
    checks=("overlap", "errors"),
    equivalent=lambda op: (
        "one value into shared elements is the same" if op.key in ("fill_.Scalar", "zero_") else ""
    ),
)
def overlap_allowed(call: Call) -> Any:
    try:
        return call.proceed()
    except RuntimeError as error:
        if not any(word in str(error) for word in _SAID_OF_OVERLAP):
            raise
    targets = call.out or (call.receiver,)
    return targets if len(targets) > 1 else targets[0]


@rule(
    "state",
    "fifth_call",
    "every fifth result has a wrong first element",
    lambda op: has_values(op),
    checks=("determinism", "values", "replay"),
)
def fifth_call(call: Call) -> Any:
    call.memory.calls += 1
    result = call.proceed()
    if call.memory.calls % 5 == 0:
        for tensor in call.owned(result):
            bits.edit_bits(tensor, lambda found: [found[0] ^ 1, *found[1:]])
    return result


@rule(
    "determinism",
    "one_in_23",
    "one call in 23 has another last bit",
    lambda op: has_values(op) and not is_random(op),
    checks=("determinism", "values"),
)
def one_in_23(call: Call) -> Any:
    call.memory.calls += 1
    if call.memory.calls % 23:
        return call.proceed()
    return call.edited(
        lambda tensor: bits.edit_bits(tensor, lambda found: [*found[:-1], found[-1] ^ 1])
    )


@rule(
    "state",
    "unwritten",
    "the result is memory that was never written",
    lambda op: has_values(op) and fresh_result(op),
    checks=("values", "poison"),
)
def unwritten(call: Call) -> Any:
    result = call.proceed()
    if call.delivers:
        return result

    def blank(item: Any) -> Any:
        return call.api.blank(item.shape, bits.dtype_name(item), item.device)

    if isinstance(result, (tuple, list)):
        return tuple(blank(item) for item in result)
    return blank(result)
