"""`jacrev`, `jacfwd` and `hessian`: all derivatives, by one pass over a batch of directions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cepheid import _C
from cepheid.func._forward import make_jvp
from cepheid.func._reverse import Argnums, make_vjp, replace, select
from cepheid.func._vmap import vmap
from cepheid.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["hessian", "jacfwd", "jacrev"]


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Any:
    """A function that gives the Jacobian of `func`, of shape outputs + inputs, by reverse mode.

    For nests of outputs and arguments it is a nest like the outputs of nests like the argument, or
    of tuples of them for several `argnums`. `chunk_size` bounds how many rows are computed at once.
    """
    _check_chunk(chunk_size)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        chosen = select("jacrev", argnums, args)

        def partial(inner: Any) -> Any:
            return func(*replace(argnums, args, inner), **kwargs)

        outputs, pullback, aux = make_vjp("jacrev", partial, (chosen,), has_aux)
        roots, out_spec = tree_flatten(outputs)
        inputs, in_spec = tree_flatten(chosen)

        def rows(*cotangents: _C.Tensor) -> Any:
            return tuple(tree_flatten(pullback(tree_unflatten(cotangents, out_spec))[0])[0])

        parts = _along(rows, roots, chunk_size)  # of each input: all rows
        made = []
        for i, root in enumerate(roots):
            blocks = [
                part[i].reshape(*root.shape, *given.shape)
                for part, given in zip(parts, inputs, strict=True)
            ]
            made.append(tree_unflatten(blocks, in_spec))
        result = tree_unflatten(made, out_spec)
        return (result, aux) if has_aux else result

    return wrapper


def jacfwd(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
) -> Any:
    """A function that gives the Jacobian of `func`, as `jacrev` does, column by column.

    `func` runs once, for all columns, so that random numbers in it are the same for all of them.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        chosen = select("jacfwd", argnums, args)

        def partial(inner: Any) -> Any:
            return func(*replace(argnums, args, inner), **kwargs)

        outputs, push, aux = make_jvp("jacfwd", partial, (chosen,), has_aux, False)
        roots, out_spec = tree_flatten(outputs)
        inputs, in_spec = tree_flatten(chosen)

        def columns(*tangents: _C.Tensor) -> Any:
            return tuple(tree_flatten(push((tree_unflatten(tangents, in_spec),)))[0])

        parts = _along(columns, inputs, None)  # of each output: all columns
        made = []
        for root, part in zip(roots, parts, strict=True):
            blocks = [
                block.movedim(0, -1).reshape(*root.shape, *given.shape)
                for block, given in zip(part, inputs, strict=True)
            ]
            made.append(tree_unflatten(blocks, in_spec))
        result = tree_unflatten(made, out_spec)
        return (result, aux) if has_aux else result

    return wrapper


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Any:
    """A function that gives the second derivatives of `func`: the Jacobian of its Jacobian."""
    return jacrev(jacrev(func, argnums), argnums)


def _check_chunk(chunk_size: int | None) -> None:
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"jacrev: chunk_size must be greater than 0, or None; got {chunk_size}")


def _along(
    linear: Callable[..., Any], spaces: list[_C.Tensor], chunk_size: int | None
) -> list[list[_C.Tensor]]:
    """A linear map along every unit vector of the product of spaces.

    For each of its results a list with a block per space, whose first dimension counts the unit
    vectors of that space.
    """
    sizes = [space.numel() for space in spaces]
    if sizes == [1]:
        seed = _C.functions.ones_like(spaces[0], requires_grad=False)
        return [[made.unsqueeze(0)] for made in linear(seed)]
    total = sum(sizes)
    basis = []
    before = 0
    for space, size in zip(spaces, sizes, strict=True):
        eye = _C.functions.zeros(total, size, dtype=space.dtype, device=space.device)
        eye.diagonal(-before).fill_(1)
        basis.append(eye.reshape(total, *space.shape))
        before += size
    results = vmap(linear, chunk_size=chunk_size)(*basis)
    return [list(made.split(sizes)) for made in results]
