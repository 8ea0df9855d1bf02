"""`Function`: an operation whose derivative is written in Python."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, NoReturn

from cepheid import _C
from cepheid.autograd import transforms

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "once_differentiable"]


class FunctionCtx:
    """What `forward` and `backward` share: the first argument of both, and the graph's node."""

    needs_input_grad: tuple[bool, ...]
    saved_tensors: tuple[_C.Tensor | None, ...]

    def save_for_backward(self, *tensors: _C.Tensor | None) -> None:
        """Keep arguments and results for `backward`, which finds them in `saved_tensors`.

        To be called once, in `forward` or `setup_context`. It is an error of the backward pass when
        one of them was written to in between.
        """
        for position, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, _C.Tensor):
                raise TypeError(
                    f"save_for_backward: takes Tensors and None; argument {position} is of type"
                    f" {type(tensor).__name__}; set it as an attribute of ctx"
                )
        self.to_save = tensors

    def save_for_forward(self, *tensors: _C.Tensor | None) -> None:
        """Keep tensors for `jvp`."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: _C.Tensor) -> None:
        """Say which arguments `forward` writes to; all of them must be among its results."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: _C.Tensor) -> None:
        """Say which results have no derivative; `backward` gets zeros for them."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros, as by default, or None where no gradient came."""
        self.materialize_grads = value


class BackwardCFunction(FunctionCtx, _C._FunctionNode):
    """The node of a Function; each Function has a class of its own."""

    _forward_cls: type[Function]

    def apply(self, *gradients: _C.Tensor | None) -> Any:
        """The Function's derivative: its `backward`, or `vjp`."""
        return derivative_of(self._forward_cls)(self, *gradients)


def derivative_of(function: type[Function]) -> Callable[..., Any]:
    """A Function's static method `backward`, or `vjp`."""
    own = [f for f in ("backward", "vjp") if getattr(function, f) is not getattr(Function, f)]
    if len(own) == 2:
        raise RuntimeError(
            f"{function.__name__}: it has both backward and vjp, which are two names of one"
            " thing; keep one of them"
        )
    if not own:
        raise NotImplementedError(
            f"{function.__name__}: to go backward through it, it must implement either the"
            " backward or vjp method"
        )
    derivative: Callable[..., Any] = getattr(function, own[0])
    return derivative


class _FunctionMeta(type):
    """Gives every Function the class of its nodes."""

    _backward_cls: type[BackwardCFunction]

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> None:
        node = type(BackwardCFunction)(
            f"{name}Backward",
            (BackwardCFunction,),
            {"_forward_cls": cls, "__module__": cls.__module__},
        )
        cls._backward_cls = node  # type: ignore[assignment]
        super().__init__(name, bases, members)


class Function(FunctionCtx, metaclass=_FunctionMeta):
    """Base class of operations with a derivative of their own.

    A subclass defines static methods: `forward(ctx, *args)`, or `forward(*args)` together with
    `setup_context(ctx, inputs, output)`; and `backward(ctx, *gradients)`, which gets a gradient for
    each result and returns one for each argument, None for what has none. Use it by `apply`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            f"{type(self).__name__}: the methods of a Function are static and it is never"
            f" instantiated; call {type(self).__name__}.apply(...)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the results; nothing is recorded meanwhile."""
        raise NotImplementedError("Function: a subclass must define the static method forward")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keep what `backward` needs, where `forward` takes no ctx."""
        raise NotImplementedError(
            "Function: setup_context is not implemented; a subclass whose forward takes no ctx"
            " defines it as a static method"
        )

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments from those of the results."""
        raise NotImplementedError("Function: a subclass defines the static method backward or vjp")

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the results from those of the arguments."""
        raise NotImplementedError("Function: a subclass defines the static method jvp for this")

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The Function over arguments that have a batch dimension."""
        raise NotImplementedError("Function: a subclass defines the static method vmap for this")

    generate_vmap_rule = False

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run the Function, and record it where an argument requires a gradient."""
        if cls.setup_context is not Function.setup_context:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, {}
        if transforms.levels():
            # func is made of this module.
            made = importlib.import_module("cepheid.func._custom").apply_batched(cls, args)
            if made is not None:
                return made
        context = cls._backward_cls()
        if cls.setup_context is not Function.setup_context:
            return context._run(cls.forward, cls.setup_context, args)
        forward = functools.partial(cls.forward, **kwargs) if kwargs else cls.forward
        return context._run(forward, None, args)


class _Once(Function):
    """Passes gradients on; there is no way back through it."""

    @staticmethod
    def forward(ctx: Any, *gradients: Any) -> Any:
        return gradients

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> NoReturn:
        raise RuntimeError(
            "once_differentiable: the gradient is trying to differentiate twice a function that was"
            " marked with @once_differentiable; write its backward with recorded operations and"
            " leave the mark out"
        )


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `backward` that can't be differentiated itself; trying to is an error."""

    @functools.wraps(backward)
    def wrapped(ctx: Any, *gradients: Any) -> Any:
        recorded = _C.is_grad_enabled() and any(
            isinstance(g, _C.Tensor) and g.requires_grad for g in gradients
        )
        before = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            made = backward(ctx, *gradients)
        finally:
            _C._set_grad_enabled(before)
        if not recorded:
            return made
        fresh = [_ending(g) for g in (made if isinstance(made, tuple) else (made,))]
        ended = _Once.apply(*fresh)
        return ended if isinstance(made, tuple) else ended[0]

    return wrapped


def _ending(gradient: Any) -> Any:
    if (
        not isinstance(gradient, _C.Tensor)
        or not gradient.is_floating_point() | gradient.is_complex()
    ):
        return gradient
    return gradient.detach().requires_grad_()
