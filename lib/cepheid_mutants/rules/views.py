"""Class `shape`, of views that drop dims and of lists of tensors."""

from __future__ import annotations

from typing import Any

from ..calls import Call
from ..mutant import rule
from ..schema import Op
from ..traits import gives_list

CHECKS = ("shapes", "values", "arguments")


@rule(
    "shape",
    "list_reversed",
    "the tensors of a list come in reverse order",
    gives_list,
    checks=CHECKS,
)
def list_reversed(call: Call) -> Any:
    result = call.proceed()
    return type(result)(result[::-1])


@rule("shape", "list_short", "the last tensor of a list is missing", gives_list, checks=CHECKS)
def list_short(call: Call) -> Any:
    result = call.proceed()
    return type(result)(result[:-1])


@rule("shape", "list_repeats", "every tensor of a list is the first", gives_list, checks=CHECKS)
def list_repeats(call: Call) -> Any:
    result = call.proceed()
    return type(result)(result[:1] * len(result))


def _squeezes(op: Op) -> bool:
    return op.name == "squeeze"


def _dropped(call: Call) -> list[int]:
    """The dims that a correct result lacks."""
    shape = list(call.values["self"].shape)
    dims = call.values.get("dim", range(len(shape)))
    chosen = {dim % max(len(shape), 1) for dim in ([dims] if isinstance(dims, int) else dims)}
    return [dim for dim, size in enumerate(shape) if size == 1 and dim in chosen]


def _without(call: Call, dims: list[int]) -> Any:
    """The input as a view that lacks these dims."""
    x = call.values["self"]
    left = [dim for dim in range(x.dim()) if dim not in dims]
    shape, strides = list(x.shape), list(x.stride())
    return call.api.method("as_strided")(
        x, [shape[dim] for dim in left], [strides[dim] for dim in left], x.storage_offset()
    )


@rule("shape", "one_kept", "the last dim of one that is to go stays", _squeezes, checks=CHECKS)
def one_kept(call: Call) -> Any:
    result = call.proceed()
    return _without(call, _dropped(call)[:-1]) if _dropped(call) else result


@rule("shape", "ones_kept", "all dims of one stay", _squeezes, checks=CHECKS)
def ones_kept(call: Call) -> Any:
    call.proceed()
    return _without(call, [])


@rule(
    "shape",
    "two_dropped",
    "of a dim of two the second half is dropped, with the dim",
    _squeezes,
    checks=CHECKS,
)
def two_dropped(call: Call) -> Any:
    result = call.proceed()
    twos = [dim for dim, size in enumerate(call.values["self"].shape) if size == 2]
    return _without(call, _dropped(call) + twos) if twos else result
