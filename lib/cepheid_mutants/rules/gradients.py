"""Class `gradient`: results that are right, and take gradients back wrongly or not at all.

A faulty gradient is made by a hook on each result: it changes what comes from above, before the
op's own derivative sees it, so that the gradients of all operands are wrong alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..calls import Call
from ..mutant import COMPLEX, rule
from ..schema import Op
from ..traits import differentiable, flat

DTYPES = ("float64",)
_ONE_ELEMENT = frozenset(("dot", "_local_scalar_dense"))
_REAL = frozenset(
    "abs real imag angle var std linalg_vector_norm l1_loss _foreach_abs _foreach_norm".split()
)


def _hooked(call: Call, change: Callable[[Any], Any]) -> Any:
    result = call.proceed()
    for tensor in call.results(result):
        if tensor.requires_grad and not tensor.is_leaf:
            tensor.register_hook(change)
    return result


def _sloped(op: Op) -> bool:
    return differentiable(op) and not flat(op)


@rule(
    "gradient",
    "negated",
    "the gradient has the other sign",
    _sloped,
    dtypes=DTYPES,
    checks=("gradient",),
)
def negated(call: Call) -> Any:
    return _hooked(call, lambda gradient: call.api.method("neg")(gradient))


@rule(
    "gradient",
    "doubled",
    "the gradient is twice what it is",
    _sloped,
    dtypes=DTYPES,
    checks=("gradient",),
)
def doubled(call: Call) -> Any:
    return _hooked(call, lambda gradient: call.api.method("mul")(gradient, 2))


@rule(
    "gradient",
    "dropped",
    "the gradient is zero",
    _sloped,
    dtypes=DTYPES,
    checks=("gradient",),
)
def dropped(call: Call) -> Any:
    return _hooked(call, lambda gradient: call.api.method("mul")(gradient, 0))


@rule(
    "gradient",
    "imaginary_dropped",
    "the imaginary part of a complex gradient has the other sign",
    lambda op: _sloped(op) and bool(op.dtypes & set(COMPLEX)),
    dtypes=("complex128",),
    checks=("gradient",),
    equivalent=lambda op: "the results are real" if op.name in _REAL else "",
)
def imaginary_dropped(call: Call) -> Any:
    return _hooked(call, lambda gradient: _conjugate(call, gradient))


def _conjugate(call: Call, gradient: Any) -> Any:
    """By numbers, as not every implementation has a function for it."""
    if not gradient.dtype.is_complex:
        return gradient
    parts = call.api.function("view_as_real")(gradient)
    return gradient - 2j * parts[..., 1]


@rule(
    "gradient",
    "detached",
    "the result has no history",
    differentiable,
    dtypes=DTYPES,
    checks=("gradient", "cotangents"),
)
def detached(call: Call) -> Any:
    result = call.proceed()
    if call.delivers:
        return result
    detach = call.api.method("detach")
    return (
        type(result)(map(detach, result)) if isinstance(result, (tuple, list)) else detach(result)
    )


@rule(
    "gradient",
    "one_operand",
    "the last operand gets no gradient",
    lambda op: _sloped(op) and len(op.tensor_args) > 1,
    dtypes=DTYPES,
    checks=("gradient",),
)
def one_operand(call: Call) -> Any:
    tensors = [name for name, value in call.values.items() if call.api.is_tensor(value)]
    if len(tensors) < 2 or call.delivers:
        return call.proceed()
    last = tensors[-1]
    return call.proceed(**{last: call.api.method("detach")(call.values[last])})


@rule(
    "gradient",
    "first_order_only",
    "the gradient has no gradient",
    _sloped,
    dtypes=DTYPES,
    checks=("second_order",),
)
def first_order_only(call: Call) -> Any:
    return _hooked(call, lambda gradient: call.api.method("detach")(gradient))


@rule(
    "gradient",
    "strides_ignored",
    "a gradient that isn't contiguous is read as if it were",
    _sloped,
    dtypes=DTYPES,
    checks=("cotangents",),
    equivalent=lambda op: "the result has one element" if op.name in _ONE_ELEMENT else "",
)
def strides_ignored(call: Call) -> Any:
    return _hooked(call, lambda gradient: _as_contiguous(call, gradient))


def _as_contiguous(call: Call, gradient: Any) -> Any:
    shape = list(gradient.shape)
    room = gradient.untyped_storage().nbytes() // gradient.element_size()
    if room - gradient.storage_offset() < math.prod(shape):
        return gradient
    strides = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]
    return call.api.method("as_strided")(gradient, shape, strides, gradient.storage_offset())


@rule(
    "gradient",
    "always_recorded",
    "the result asks for a gradient though no operand does",
    differentiable,
    dtypes=DTYPES,
    checks=("cotangents",),
)
def always_recorded(call: Call) -> Any:
    result = call.proceed()
    for tensor in () if call.delivers else call.results(result):
        if tensor.dtype.is_floating_point and tensor.is_leaf and not _is_input(call, tensor):
            call.api.method("requires_grad_")(tensor)
    return result


def _is_input(call: Call, tensor: Any) -> bool:
    return any(tensor is item for item in call.inputs())
