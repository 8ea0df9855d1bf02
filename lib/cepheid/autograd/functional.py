"""Jacobians, Hessians and their products with vectors, of functions of tensors.

`func` takes the tensors of `inputs`, one or a tuple, and returns a tensor or a tuple. With
`create_graph` the result can be differentiated; with `strict`, an output or a derivative that
doesn't depend on an input is an error, where otherwise it is zero.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from cepheid import _C, autograd
from cepheid.autograd.grad_mode import enable_grad, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = _C.Tensor | tuple[_C.Tensor, ...]
Several = tuple[_C.Tensor, ...]


def vjp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs, and `v` times the Jacobian; `v` has the outputs' shapes, None for a number."""
    with enable_grad():
        call = _Call("vjp", func, inputs, create_graph, strict)
        vectors = call.vectors(v, call.outputs, "the outputs")
        made = call.gradients(call.outputs, vectors, create_graph)
    return call.result(call.outputs, call.one_output), call.result(made, call.one_input)


def jvp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs, and the Jacobian times `v`, which is of the inputs' shapes.

    It is the derivative of `vjp` with respect to its vector, so that `func` is run once.
    """
    with enable_grad():
        call = _Call("jvp", func, inputs, create_graph, strict)
        vectors = call.vectors(v, call.inputs, "the inputs")
        dummies = tuple(_C.functions.zeros_like(o, requires_grad=True) for o in call.outputs)
        turned = call.gradients(call.outputs, dummies, True)
        made = call.through(turned, dummies, vectors)
    return call.result(call.outputs, call.one_output), call.result(made, call.one_output)


def jacobian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivative of every output element by every input element.

    Of shape outputs + inputs: a tensor for one tensor each, a tuple for several inputs, for several
    outputs a tuple of those. `vectorize` takes all output elements at once, by vmap; the strategy
    "forward-mode" all input elements, always at once.
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ValueError(
            f"jacobian: strategy must be 'reverse-mode' or 'forward-mode'; got {strategy!r}"
        )
    if strict and (vectorize or strategy == "forward-mode"):
        raise RuntimeError(
            "jacobian: strict=True needs the reverse mode row by row, which sees what doesn't"
            " depend on an input; leave out vectorize and strategy, or strict"
        )
    if strategy == "forward-mode":
        return _columns_at_once(func, inputs, create_graph)
    with enable_grad():
        call = _Call("jacobian", func, inputs, create_graph, strict)
        made = [
            call.result(_rows(call, output, create_graph, vectorize), call.one_input)
            for output in call.outputs
        ]
    return made[0] if call.one_output else tuple(made)


def hessian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function with one number as result.

    Of shape inputs + inputs; for several inputs a tuple of tuples.
    """
    one_input = isinstance(inputs, _C.Tensor)

    def gradient(*args: _C.Tensor) -> Any:
        call = _Call("hessian", func, args, True, strict, again=False)
        _check_number("hessian", call)
        made = call.gradients(call.outputs, call.vectors(None, call.outputs, ""), True)
        return made[0] if one_input else made

    return jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def vhp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[_C.Tensor, Any]:
    """The output, one number, and `v` times the Hessian; `v` is of the inputs' shapes."""
    with enable_grad():
        call = _Call("vhp", func, inputs, create_graph, strict)
        _check_number("vhp", call)
        vectors = call.vectors(v, call.inputs, "the inputs")
        first = call.gradients(call.outputs, (_C.functions.ones_like(call.outputs[0]),), True)
        made = call.gradients(first, vectors, create_graph)
    return call.result(call.outputs, True), call.result(made, call.one_input)


def hvp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[_C.Tensor, Any]:
    """The output, one number, and the Hessian times `v`; `vhp` gives the same for less."""
    with enable_grad():
        call = _Call("hvp", func, inputs, create_graph, strict)
        _check_number("hvp", call)
        vectors = call.vectors(v, call.inputs, "the inputs")
        first = call.gradients(call.outputs, (_C.functions.ones_like(call.outputs[0]),), True)
        dummies = tuple(_C.functions.zeros_like(i, requires_grad=True) for i in call.inputs)
        turned = call.gradients(first, dummies, True)
        made = call.through(turned, dummies, vectors)
    return call.result(call.outputs, True), call.result(made, call.one_input)


class _Call:
    """A call of the user's function with inputs of its own, and derivatives of what it returned."""

    def __init__(
        self,
        op: str,
        func: Callable[..., Any],
        inputs: Tensors,
        create_graph: bool,
        strict: bool,
        again: bool = True,
    ) -> None:
        self.op = op
        self.strict = strict
        self.create_graph = create_graph
        self.one_input = isinstance(inputs, _C.Tensor)
        given = _tuple_of(op, inputs, "the inputs")
        self.inputs = tuple(_fresh(i, create_graph) for i in given) if again else given
        outputs = func(*self.inputs)
        self.one_output = isinstance(outputs, _C.Tensor)
        self.outputs = _tuple_of(op, outputs, "the outputs of the function")
        if strict:
            self._check_recorded(self.outputs, "output")

    def _check_recorded(self, tensors: Several, what: str) -> None:
        for position, tensor in enumerate(tensors):
            if not tensor.requires_grad:
                raise RuntimeError(
                    f"{self.op}: {what} {position} of the function does not require gradients; in"
                    " strict mode it must be computed in a differentiable manner from the input"
                )

    def vectors(self, v: Tensors | None, like: Several, what: str) -> Several:
        if v is None:
            if len(like) != 1 or like[0].numel() != 1:
                raise RuntimeError(
                    f"{self.op}: the vector v can be None only where {what} are one tensor with"
                    f" one element; got {[list(t.shape) for t in like]}"
                )
            return (_C.functions.ones_like(like[0], requires_grad=False),)
        given = _tuple_of(self.op, v, "v")
        if [t.shape for t in given] != [t.shape for t in like]:
            raise RuntimeError(
                f"{self.op}: v has invalid size: it must have the shapes of {what},"
                f" {[list(t.shape) for t in like]}; got {[list(t.shape) for t in given]}"
            )
        return tuple(_fresh(t, self.create_graph) for t in given)

    def gradients(self, outputs: Several, vectors: Several, create_graph: bool) -> Several:
        """Of `outputs` by the inputs, zeros where there is no dependence."""
        pairs = [(o, v) for o, v in zip(outputs, vectors, strict=True) if o.requires_grad]
        made: tuple[_C.Tensor | None, ...] = (None,) * len(self.inputs)
        if pairs:
            roots, seeds = zip(*pairs, strict=True)
            made = autograd.grad(roots, self.inputs, seeds, True, create_graph, allow_unused=True)
        for position, gradient in enumerate(made):
            if gradient is None and self.strict:
                raise RuntimeError(
                    f"{self.op}: the function is independent of input {position}, which is an error"
                    " in strict mode"
                )
        return tuple(map(_or_zeros, made, self.inputs))

    def through(self, turned: Several, dummies: Several, vectors: Several) -> Several:
        """The derivative of what is linear in `dummies` along `vectors`."""
        pairs = [(t, v) for t, v in zip(turned, vectors, strict=True) if t.requires_grad]
        made: tuple[_C.Tensor | None, ...] = (None,) * len(dummies)
        if pairs:
            roots, seeds = zip(*pairs, strict=True)
            made = autograd.grad(roots, dummies, seeds, True, self.create_graph, allow_unused=True)
        return tuple(map(_or_zeros, made, dummies))

    def result(self, tensors: Several, one: bool) -> Any:
        done = tensors if self.create_graph else tuple(t.detach() for t in tensors)
        return done[0] if one else done


def _rows(call: _Call, output: _C.Tensor, create_graph: bool, vectorize: bool) -> Several:
    """The derivative of `output` by each input."""
    if vectorize and output.requires_grad:
        return _rows_at_once(call, output, create_graph)
    rows: list[Several] = []
    for position in range(output.numel()):
        seed = _C.functions.zeros_like(output, requires_grad=False)
        seed.view(-1)[position] = 1
        rows.append(call.gradients((output,), (seed,), create_graph))
    made = []
    for i, given in enumerate(call.inputs):
        shape = (*output.shape, *given.shape)
        parts = [row[i] for row in rows]
        empty = _C.functions.zeros(shape, dtype=given.dtype, device=given.device)
        made.append(_C.functions.stack(parts).reshape(shape) if parts else empty)
    return tuple(made)


def _rows_at_once(call: _Call, output: _C.Tensor, create_graph: bool) -> Several:
    count = output.numel()
    eye = _C.functions.eye(count, dtype=output.dtype, device=output.device)
    seeds = eye.reshape(count, *output.shape)
    made = autograd.grad(
        output, call.inputs, seeds, True, create_graph, is_grads_batched=True, allow_unused=True
    )
    return tuple(
        _C.functions.zeros(shape, dtype=given.dtype, device=given.device)
        if rows is None
        else rows.reshape(shape)
        for rows, given in zip(made, call.inputs, strict=True)
        for shape in [(*output.shape, *given.shape)]
    )


def _columns_at_once(func: Callable[..., Any], inputs: Tensors, create_graph: bool) -> Any:
    jacfwd = importlib.import_module("cepheid.func").jacfwd  # which is made of this package
    given = _tuple_of("jacobian", inputs, "the inputs")
    argnums = 0 if isinstance(inputs, _C.Tensor) else tuple(range(len(given)))
    with set_grad_enabled(create_graph):
        return jacfwd(func, argnums)(*given)


def _tuple_of(op: str, tensors: Any, what: str) -> Several:
    if isinstance(tensors, _C.Tensor):
        return (tensors,)
    if not isinstance(tensors, tuple):
        raise TypeError(
            f"{op}: {what} must be either a Tensor or a tuple of Tensors; got"
            f" {type(tensors).__name__}"
        )
    for position, tensor in enumerate(tensors):
        if not isinstance(tensor, _C.Tensor):
            raise TypeError(
                f"{op}: {what} must be Tensors; element {position} is of type"
                f" {type(tensor).__name__}"
            )
    return tensors


def _fresh(tensor: _C.Tensor, create_graph: bool) -> _C.Tensor:
    """The same values as an input of their own: recorded on, or cut off."""
    if create_graph and tensor.requires_grad:
        return tensor.view_as(tensor)
    return tensor.detach().requires_grad_()


def _or_zeros(gradient: _C.Tensor | None, like: _C.Tensor) -> _C.Tensor:
    return _C.functions.zeros_like(like, requires_grad=False) if gradient is None else gradient


def _check_number(op: str, call: _Call) -> None:
    if len(call.outputs) != 1 or call.outputs[0].numel() != 1:
        raise RuntimeError(
            f"{op}: the function must return a single tensor with a single element; got"
            f" {[list(o.shape) for o in call.outputs]}"
        )
