"""Class `batch`: calls that are right, and wrong inside vmap.

There a tensor stands for several, and has no values to be asked for: that is how a fault knows.
"""

from __future__ import annotations

from typing import Any

from ..calls import Call
from ..mutant import rule
from ..schema import Op
from ..traits import differentiable, flat

DTYPES = ("float64",)


def _is_batched(call: Call, tensor: Any) -> bool:
    try:
        call.api.method("tolist")(tensor)
    except RuntimeError:
        return True
    return False


def _sloped(op: Op) -> bool:
    """Not of ops on lists, as no page says that vmap takes them."""
    return differentiable(op) and not flat(op) and not op.name.startswith("_foreach")


@rule(
    "batch",
    "negated",
    "inside vmap the result has the other sign",
    _sloped,
    dtypes=DTYPES,
    checks=("vmap",),
)
def negated(call: Call) -> Any:
    result = call.proceed()
    if call.delivers or not any(_is_batched(call, tensor) for tensor in call.inputs()):
        return result
    neg = call.api.method("neg")
    return type(result)(map(neg, result)) if isinstance(result, (tuple, list)) else neg(result)


@rule(
    "batch",
    "cotangents_doubled",
    "several gradients at once come out twice what they are",
    _sloped,
    dtypes=DTYPES,
    checks=("vmap",),
    equivalent=lambda op: "the result is the operand itself" if op.name == "contiguous" else "",
)
def cotangents_doubled(call: Call) -> Any:
    def change(gradient: Any) -> Any:
        return gradient + gradient if _is_batched(call, gradient) else gradient

    result = call.proceed()
    for tensor in call.results(result):
        if tensor.requires_grad and not tensor.is_leaf:
            tensor.register_hook(change)
    return result
