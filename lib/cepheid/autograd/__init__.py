"""Derivatives of what was computed: `backward`, `grad`, and whether operations are recorded."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from cepheid import _C, _trace
from cepheid.autograd import anomaly_mode, function, functional, graph, transforms
from cepheid.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from cepheid.autograd.function import Function
from cepheid.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from cepheid.autograd.gradcheck import gradcheck, gradgradcheck
from cepheid.autograd.graph import GradientEdge

__all__ = [
    "Function",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]

Tensors = _C.Tensor | GradientEdge | Sequence[_C.Tensor | GradientEdge]


def backward(
    tensors: Tensors,
    grad_tensors: _C.Tensor | Sequence[_C.Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: _C.Tensor | Sequence[_C.Tensor | None] | None = None,
    inputs: Tensors | Mapping[str, _C.Tensor] | None = None,
) -> None:
    """Add the derivatives of `tensors` to the `.grad` of the leaves that they depend on.

    `grad_tensors` are the gradients of the tensors themselves, of their shapes; None stands for 1,
    which only a tensor with one element can have. `retain_graph` (by default `create_graph`) keeps
    what was saved for another pass; `create_graph` records the pass, for higher derivatives. With
    `inputs`, only their `.grad` is added to, leaves or not. RuntimeError if nothing was recorded.
    `grad_variables` is an old name of `grad_tensors`.
    """
    _trace.stage(_trace.BACKWARD, "functorch guard")
    transforms.refuse_backward()
    _trace.stage(_trace.BACKWARD, "deprecated argument", given=grad_variables is not None)
    if grad_variables is not None:
        grad_tensors = _renamed(grad_tensors, grad_variables)
    _trace.absent(
        _trace.BACKWARD, "override check", "Tensor.backward is what a class overrides, and it asks"
    )
    roots = _as_tuple("backward", tensors)
    wanted = () if inputs is None else _as_tuple("backward", inputs)
    if inputs is not None and not wanted:
        raise RuntimeError("backward: inputs must name at least one tensor, or be None")
    gradients = _root_gradients("backward", roots, grad_tensors)
    _trace.stage(_trace.BACKWARD, "tensors to tuple, make grads", roots=len(roots))
    keep = create_graph if retain_graph is None else retain_graph
    _trace.stage(_trace.BACKWARD, "retain_graph default", retain_graph=keep)
    made = _run(roots, gradients, keep, create_graph, wanted)
    for tensor, gradient in zip(wanted, made, strict=True):
        if gradient is not None:
            _trace.stage(_trace.BACKWARD, "accumulate")
            with set_grad_enabled(create_graph):
                _C._add_to_grad(tensor, gradient)


def _renamed(grad_tensors: Any, grad_variables: Any) -> Any:
    if grad_tensors is not None:
        raise RuntimeError(
            "backward: grad_tensors and grad_variables are one argument; leave out the second,"
            " its old name"
        )
    message = "backward: grad_variables is deprecated; use grad_tensors instead"
    warnings.warn(message, FutureWarning, stacklevel=3)
    return grad_variables


def _run(
    roots: tuple[Any, ...],
    gradients: tuple[_C.Tensor, ...],
    keep_graph: bool,
    create_graph: bool,
    inputs: tuple[Any, ...],
) -> tuple[Any, ...]:
    """One pass of the engine, which reports its stages while somebody listens."""
    told = functools.partial(_trace.stage, _trace.BACKWARD) if _trace.heard() else None
    _trace.stage(_trace.BACKWARD, "engine entry")
    return _C._run_backward(roots, gradients, keep_graph, create_graph, inputs, told)


def grad(
    outputs: Tensors,
    inputs: Tensors | Mapping[str, _C.Tensor],
    grad_outputs: _C.Tensor | Sequence[_C.Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[_C.Tensor | None, ...] | dict[str, _C.Tensor | None]:
    """The derivatives of `outputs` with respect to `inputs`, one for each; no `.grad` changes.

    Arguments are as for `backward`. With `is_grads_batched` the gradients of the outputs have one
    dimension more in front, and so have the results: one pass for all. An input that the outputs
    don't depend on is an error, unless `allow_unused` (its gradient is None) or
    `materialize_grads` (zeros) is set. A dict of inputs gives a dict. `only_inputs` has no meaning
    any more: `backward` is what adds to other leaves too.
    """
    if not only_inputs:
        message = "grad: only_inputs is deprecated and always true; use backward to fill .grad"
        warnings.warn(message, FutureWarning, stacklevel=2)
    if isinstance(inputs, Mapping):
        options = (grad_outputs, retain_graph, create_graph, True, allow_unused)
        found = grad(outputs, (*inputs.values(),), *options, is_grads_batched, materialize_grads)
        return dict(zip(inputs, found, strict=True))
    if is_grads_batched:
        given = (grad_outputs,) if isinstance(grad_outputs, _C.Tensor) else grad_outputs
        each = (retain_graph, create_graph, True, allow_unused, False, materialize_grads)
        return _batched_grad(outputs, inputs, given, each)
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "grad: materialize_grads=True gives unused inputs zeros; leave allow_unused out"
        )
    roots, wanted = _as_tuple("grad", outputs), _as_tuple("grad", inputs)
    gradients = _root_gradients("grad", roots, grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    made = _run(roots, gradients, keep, create_graph, wanted)
    if materialize_grads:
        pairs = zip(wanted, made, strict=True)
        return tuple(_C.functions.zeros_like(t) if g is None else g for t, g in pairs)
    for position, gradient in enumerate(made):
        if gradient is None and not allow_unused:
            raise RuntimeError(
                f"grad: the outputs don't depend on input {position}; remove it, or set"
                " allow_unused=True if None is what you want"
            )
    return tuple(made)


def _batched_grad(outputs: Any, inputs: Any, given: Any, options: Any) -> Any:
    if given is None or not any(isinstance(g, _C.Tensor) for g in given):
        raise RuntimeError("grad: is_grads_batched needs grad_outputs; got none")
    unused: list[bool] = []

    def one(*gradients: _C.Tensor) -> Any:
        made = grad(outputs, inputs, gradients, *options)
        unused[:] = [g is None for g in made]
        return tuple(g for g in made if g is not None)

    dims = tuple(0 if isinstance(g, _C.Tensor) else None for g in given)
    vmap = importlib.import_module("cepheid.func").vmap  # which is made of this module
    found = iter(vmap(one, in_dims=dims)(*given))
    return tuple(None if missing else next(found) for missing in unused)


def _as_tuple(op: str, tensors: Tensors | Mapping[str, _C.Tensor]) -> tuple[Any, ...]:
    if isinstance(tensors, Mapping):
        tensors = (*tensors.values(),)
    if isinstance(tensors, _C.Tensor | GradientEdge):
        return (tensors,)
    made = tuple(tensors)
    for item in made:
        if not isinstance(item, _C.Tensor | GradientEdge):
            raise TypeError(f"{op}: expected tensors; got {type(item).__name__}")
    return made


def _root_gradients(
    op: str,
    roots: tuple[Any, ...],
    given: _C.Tensor | Sequence[_C.Tensor | None] | None,
) -> tuple[_C.Tensor, ...]:
    """A gradient for each root: those given, ones of the roots' dtype where None stands."""
    if given is None:
        given = (None,) * len(roots)
    gradients = (given,) if isinstance(given, _C.Tensor) else tuple(given)
    if len(gradients) != len(roots):
        raise RuntimeError(
            f"{op}: got {len(roots)} tensors and {len(gradients)} gradients for them"
        )
    return tuple(_root_gradient(op, *pair) for pair in zip(roots, gradients, strict=True))


def _root_gradient(op: str, root: Any, given: _C.Tensor | None) -> _C.Tensor:
    if isinstance(root, GradientEdge):
        if given is None:
            raise RuntimeError(f"{op}: give the gradient of a GradientEdge: its shape is not known")
        return given
    if given is None:
        if root.requires_grad and root.numel() != 1:
            raise RuntimeError(
                f"{op}: grad can be implicitly created only for scalar outputs;"
                f" this tensor has shape {list(root.shape)}: give its gradient"
            )
        return _C.functions.ones_like(root, requires_grad=False)
    if given.shape != root.shape:
        raise RuntimeError(
            f"{op}: mismatch in shape: the gradient has shape {list(given.shape)} and the tensor"
            f" {list(root.shape)}"
        )
    if given.is_complex() != root.is_complex():
        raise RuntimeError(
            f"{op}: the gradient of a tensor of {root.dtype} can't be of {given.dtype}"
        )
    return given


def tensor_backward(
    self: _C.Tensor,
    gradient: _C.Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """`autograd.backward` of this tensor; see there."""
    arguments = (self, gradient, retain_graph, create_graph, inputs)
    if type(self) is not _C.Tensor and _C._has_torch_function_unary(self):
        _C._handle_torch_function(_C.Tensor.backward, (self,), arguments, {})
    else:
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)


_C._attach_methods({"backward": tensor_backward})
