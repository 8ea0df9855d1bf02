"""`grad`, `grad_and_value` and `vjp`: reverse mode, as functions of functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cepheid import _C
from cepheid.func._levels import GradLevel, history, pull, tensor_leaves
from cepheid.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["grad", "grad_and_value", "vjp"]

Argnums = int | tuple[int, ...]


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Any:
    """A function that gives the gradient of `func`, which returns a tensor with one element.

    `argnums` says by which positional arguments, nests of tensors; for several, the result is a
    tuple. With `has_aux`, `func` returns a pair and the second comes back as the second result.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradient, rest = _grad_and_value("grad", func, argnums, has_aux, args, kwargs)
        return (gradient, rest[1]) if has_aux else gradient

    return wrapper


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Any:
    """Like `grad`; the result is the pair of the gradient and what `func` returned."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return _grad_and_value("grad_and_value", func, argnums, has_aux, args, kwargs)

    return wrapper


def _grad_and_value(
    op: str, func: Any, argnums: Argnums, has_aux: bool, args: Any, kwargs: Any
) -> tuple[Any, Any]:
    with GradLevel() as level:
        chosen, fresh_args = own_arguments(op, level, argnums, args)
        inputs, spec = chosen
        value, aux = split_aux(op, func(*fresh_args, **kwargs), has_aux)
        if not isinstance(value, _C.Tensor):
            raise RuntimeError(
                f"{op}: the function must return a Tensor; got {type(value).__name__}"
            )
        if value.dim() != 0:
            raise RuntimeError(
                f"{op}: the function must return a scalar Tensor; got one with {value.dim()} dims;"
                " vjp and jacrev take any"
            )
        if value.is_complex():
            raise RuntimeError(f"{op}: the function must return a real scalar; got {value.dtype}")
        again = level.seen_outside((value,))
        seed = _C.functions.ones_like(value, requires_grad=False)
        made = [level.result(g) for g in pull((value,), inputs, (seed,), again, again)]
        gradient = tree_unflatten(made, spec)
        value = level.result(value)
        return gradient, ((value, level.results(aux, op)) if has_aux else value)


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The outputs of `func(*primals)`, and a function of cotangents.

    It takes a nest like the outputs and returns a tuple with a cotangent for each primal; it may be
    called repeatedly. With `has_aux` there is a third result, what `func` returned second.
    """
    outputs, pullback, aux = make_vjp("vjp", func, primals, has_aux)
    return (outputs, pullback, aux) if has_aux else (outputs, pullback)


def make_vjp(op: str, func: Any, primals: tuple[Any, ...], has_aux: bool) -> tuple[Any, Any, Any]:
    """`vjp` under the name of the transform that the user called."""
    with GradLevel() as level:
        leaves, spec = tensor_leaves(primals, op, "the primals")
        inputs = [level.fresh(leaf) for leaf in leaves]
        outputs, aux = split_aux(op, func(*tree_unflatten(inputs, spec)), has_aux)
        roots, out_spec = tensor_leaves(outputs, op, "what the function returns")
        again = level.seen_outside(roots)
        results = tree_unflatten([level.result(root) for root in roots], out_spec)
        aux_results = level.results(aux, op) if has_aux else None

    def pullback(cotangents: Any, retain_graph: bool = True, create_graph: Any = None) -> Any:
        seeds, seed_spec = tree_flatten(cotangents)
        if seed_spec != out_spec:
            raise RuntimeError(
                f"{op}: the cotangents must have the structure of the outputs, {out_spec};"
                f" got {seed_spec}"
            )
        seeds, _ = tensor_leaves(seeds, op, "the cotangents")
        if create_graph is None:
            create_graph = _C.is_grad_enabled() and (again or any(map(history, seeds)))
        made = pull(roots, inputs, seeds, create_graph, retain_graph)
        return tree_unflatten(made, spec)

    return results, pullback, aux_results


def split_aux(op: str, result: Any, has_aux: bool) -> tuple[Any, Any]:
    """What the function returned, apart from its `aux`."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(
            f"{op}: with has_aux the output of the function must be a tuple: (output, aux); got"
            f" {type(result).__name__}"
        )
    return result


def own_arguments(
    op: str, level: GradLevel, argnums: Argnums, args: tuple[Any, ...]
) -> tuple[tuple[list[_C.Tensor], Any], tuple[Any, ...]]:
    """The tensors of the chosen arguments, at this level, and all arguments with them in place."""
    chosen = select(op, argnums, args)
    leaves, spec = tree_flatten(chosen)
    for leaf in leaves:
        if not isinstance(leaf, _C.Tensor):
            raise ValueError(
                f"{op}: what to differentiate by must be tensors; got {type(leaf).__name__}"
            )
    inputs = [level.fresh(leaf) for leaf in leaves]
    made = tree_unflatten(inputs, spec)
    return (inputs, spec), replace(argnums, args, made)


def positions(op: str, argnums: Argnums, count: int) -> tuple[int, ...]:
    """`argnums` as a tuple of indices that count from the left."""
    if not isinstance(argnums, int | tuple):
        raise RuntimeError(
            f"{op}: argnums must be an int or a tuple of int; got {type(argnums).__name__}"
        )
    given = (argnums,) if isinstance(argnums, int) else argnums
    if not given:
        raise RuntimeError(f"{op}: argnums must be non-empty; name an argument")
    for index in given:
        if not isinstance(index, int) or not -count <= index < count:
            raise RuntimeError(f"{op}: got argnum={index}, but only {count} positional inputs")
    made = tuple(index % count for index in given)
    if len(set(made)) != len(made):
        raise RuntimeError(f"{op}: argnums elements must be unique; got {argnums}")
    return made


def select(op: str, argnums: Argnums, args: tuple[Any, ...]) -> Any:
    """The arguments that `argnums` names: one, or a tuple."""
    chosen = tuple(args[i] for i in positions(op, argnums, len(args)))
    return chosen[0] if isinstance(argnums, int) else chosen


def replace(argnums: Argnums, args: tuple[Any, ...], chosen: Any) -> tuple[Any, ...]:
    """`args` with `chosen` where `argnums` says."""
    made = list(args)
    values = (chosen,) if isinstance(argnums, int) else chosen
    for index, value in zip(positions("", argnums, len(args)), values, strict=True):
        made[index] = value
    return tuple(made)
