"""Backward hooks of modules: a node in the graph at the arguments, and one at the results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cepheid._C import Tensor
from cepheid.autograd import Function

if TYPE_CHECKING:
    from cepheid.nn.modules.module import Module

Gradients = tuple[Tensor | None, ...]


class _Watched(Function):
    """Its tensors themselves; `watch`, the first argument, gets their gradients and gives those
    that go on."""

    @staticmethod
    def forward(ctx: Any, watch: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.watch = watch
        ctx.set_materialize_grads(False)
        return tuple(tensor.view_as(tensor) for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Any, ...]:
        return (None, *ctx.watch(grads))


class Watch:
    """One call of a module that has backward hooks."""

    def __init__(self, module: Module, before: list[Any], after: list[Any]) -> None:
        self._module, self._before, self._after = module, before, after
        self._arguments = 0
        self._reaches_arguments = False
        self._of_results: Gradients = ()

    def arguments(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with the node that ends the module's backward pass before them."""
        self._arguments = len(args)
        self._reaches_arguments = any(isinstance(a, Tensor) and a.requires_grad for a in args)
        return _watched(args, self._at_arguments) if self._reaches_arguments else args

    def results(self, result: Any) -> Any:
        """The results, with the node that begins the module's backward pass after them."""
        if isinstance(result, Tensor):
            return _watched((result,), self._at_results)[0]
        if not isinstance(result, tuple):
            return result
        parts = _watched(result, self._at_results)
        return type(result)(*parts) if hasattr(result, "_fields") else parts

    def _at_results(self, grads: Gradients) -> Gradients:
        for hook in self._before:
            given = hook(self._module, grads)
            grads = grads if given is None else _as_many("pre-hook", given, grads)
        self._of_results = grads
        if not self._reaches_arguments:
            self._at_arguments((None,) * self._arguments)
        return grads

    def _at_arguments(self, grads: Gradients) -> Gradients:
        for hook in self._after:
            given = hook(self._module, grads, self._of_results)
            grads = grads if given is None else _as_many("hook", given, grads)
        return grads


def _as_many(what: str, given: Any, grads: Gradients) -> Gradients:
    made = given if isinstance(given, tuple) else (given,)
    if len(made) != len(grads):
        raise RuntimeError(
            f"a full backward {what} must return None or {len(grads)} gradients; got {len(made)}"
        )
    return made


def _watched(values: tuple[Any, ...], watch: Any) -> tuple[Any, ...]:
    """The values, the tensors among them through one node; `watch` sees None for the others."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    if not places:
        return values

    def watch_all(grads: Gradients) -> Gradients:
        every: list[Tensor | None] = [None] * len(values)
        for place, grad in zip(places, grads, strict=True):
            every[place] = grad
        given = watch(tuple(every))
        return tuple(given[place] for place in places)

    made = list(values)
    through = _Watched.apply(watch_all, *(values[place] for place in places))
    for place, tensor in zip(places, through, strict=True):
        made[place] = tensor
    return tuple(made)
