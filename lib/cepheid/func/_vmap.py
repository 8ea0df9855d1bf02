"""`vmap`: a function of slices as a function of batches."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cepheid import _C
from cepheid.autograd import transforms
from cepheid.func import _rules_views  # noqa: F401  # registers the rules
from cepheid.func._batched import Batched, Level, is_batched
from cepheid.func._random import RandomMode
from cepheid.utils._pytree import broadcast_leaves, tree_flatten, tree_unflatten

__all__ = ["vmap"]


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Any:
    """A function that runs `func` on every slice of its arguments at once, and stacks the results.

    `in_dims` says along which dimension each argument is sliced, None for one that all slices
    share: a nest like the arguments, where an int stands for all below it. `out_dims` says where
    the results are stacked. `randomness` says whether random numbers inside are an "error", the
    "same" for all slices, or "different". `chunk_size` bounds how many slices run at once.
    """
    if randomness not in ("error", "same", "different"):
        raise RuntimeError(
            f"vmap: randomness must be 'error', 'different', or 'same'; got {randomness!r}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size must be None or greater than 0; got {chunk_size}")
    name = getattr(func, "__name__", repr(func))

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        leaves, dims, spec, size = _inputs(name, in_dims, args)
        if chunk_size is None or chunk_size >= size:
            made, out_spec = _run(func, leaves, dims, spec, kwargs, size, randomness)
            placed = _out_dims(name, out_dims, out_spec)
            results = [_unwrapped(name, *pair) for pair in zip(made, placed, strict=True)]
            return tree_unflatten(results, out_spec)
        return _in_chunks(wrapper_options(chunk_size), leaves, dims, spec, kwargs, size)

    def wrapper_options(chunk: int) -> Any:
        whole = vmap(func, in_dims, out_dims, randomness)
        return whole, chunk, out_dims, name

    return wrapper


def _inputs(name: str, in_dims: Any, args: Any) -> tuple[list[Any], list[Any], Any, int]:
    """The arguments' leaves, the dimension of each or None, their structure, the batch's size."""
    if not isinstance(in_dims, int | tuple | list):
        raise ValueError(
            f"vmap({name}): in_dims must be an int or a tuple that has the structure of the inputs;"
            f" got {type(in_dims).__name__}"
        )
    leaves, spec = tree_flatten(args)
    if not leaves:
        raise ValueError(f"vmap({name}): got no inputs; it slices what the function is called with")
    wanted = tuple(in_dims) if isinstance(in_dims, list) else in_dims
    dims = broadcast_leaves(wanted, spec)
    if dims is None:
        raise ValueError(
            f"vmap({name}): in_dims {in_dims} is not compatible with the structure of the inputs,"
            f" {spec}"
        )
    dims = [_checked(name, leaf, dim) for leaf, dim in zip(leaves, dims, strict=True)]
    pairs = zip(leaves, dims, strict=True)
    sizes = {leaf.shape[dim] for leaf, dim in pairs if dim is not None}
    if not sizes:
        raise ValueError(
            f"vmap({name}): expected at least one Tensor to slice; all in_dims are None"
        )
    if len(sizes) > 1:
        raise ValueError(
            f"vmap({name}): expected all tensors to have the same size in the mapped dimension; got"
            f" sizes {sorted(sizes)}"
        )
    return leaves, dims, spec, sizes.pop()


def _checked(name: str, leaf: Any, dim: Any) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"vmap({name}): got in_dim={dim} for an input; it must be an integer dimension or None"
        )
    if not isinstance(leaf, _C.Tensor):
        raise ValueError(
            f"vmap({name}): got in_dim={dim} for an input of type {type(leaf).__name__}; only"
            " tensors are sliced, use None as its in_dim"
        )
    rank = leaf.dim()
    if not -rank <= dim < rank:
        raise ValueError(
            f"vmap({name}): got in_dim={dim} for an input of dimensionality {rank}; expected"
            f" {-rank} <= in_dim < {rank}"
        )
    return dim % rank


def _run(
    func: Any, leaves: Any, dims: Any, spec: Any, kwargs: Any, size: int, randomness: str
) -> tuple[list[Any], Any]:
    """The function's results, of this level or shared by all slices, and their structure."""
    running = transforms.levels()
    depth = sum(isinstance(level, Level) for level in running)
    level = Level(depth + 1, size, randomness)
    sliced = [
        leaf if dim is None else Batched(leaf.movedim(dim, 0) if dim else leaf, level)
        for leaf, dim in zip(leaves, dims, strict=True)
    ]
    running.append(level)
    try:
        with RandomMode(level):
            made, out_spec = tree_flatten(func(*tree_unflatten(sliced, spec), **kwargs))
    finally:
        running.pop()
    return [(value, level) for value in made], out_spec


def _out_dims(name: str, out_dims: Any, out_spec: Any) -> list[Any]:
    wanted = out_dims
    if out_spec.kind is None and isinstance(out_dims, tuple | list) and len(out_dims) == 1:
        wanted = out_dims[0]
    given, _ = tree_flatten(out_dims)
    if not all(isinstance(dim, int | None) for dim in given):
        raise ValueError(
            f"vmap({name}): out_dims must be an int, None or a nest of them; got {out_dims!r}"
        )
    placed = broadcast_leaves(wanted, out_spec)
    if placed is None:
        raise ValueError(
            f"vmap({name}): out_dims {out_dims} is not compatible with the structure of the"
            f" outputs, {out_spec}"
        )
    return placed


def _unwrapped(name: str, made: tuple[Any, Level], dim: int | None) -> Any:
    """A result with its slices along `dim`."""
    value, level = made
    if dim is None:
        if is_batched(value, level):
            raise ValueError(
                f"vmap({name}): {name} can not return a tensor that differs by slice where out_dims"
                " is None"
            )
        return value
    if not isinstance(value, _C.Tensor):
        raise ValueError(
            f"vmap({name}): {name} must only return tensors; got type {type(value).__name__}; where"
            " out_dims is None it may be anything"
        )
    rank = value.dim() + 1
    if not -rank <= dim < rank:
        raise IndexError(
            f"vmap({name}): dimension out of range (expected to be in range of [{-rank},"
            f" {rank - 1}], but got {dim})"
        )
    if isinstance(value, Batched) and value.level is level:
        whole = value.inner
    else:
        whole = value.expand(level.size, *value.shape)
    return whole.movedim(0, dim) if dim % rank else whole


def _in_chunks(options: Any, leaves: Any, dims: Any, spec: Any, kwargs: Any, size: int) -> Any:
    """Slices in groups, joined where the groups' results are stacked."""
    whole, chunk, out_dims, name = options
    groups = []
    for start in range(0, size, chunk):
        count = min(chunk, size - start)
        some = [
            leaf if dim is None else leaf.narrow(dim, start, count)
            for leaf, dim in zip(leaves, dims, strict=True)
        ]
        groups.append(tree_flatten(whole(*tree_unflatten(some, spec), **kwargs)))
    out_spec = groups[0][1]
    placed = _out_dims(name, out_dims, out_spec)
    columns = zip(*(group[0] for group in groups), strict=True)
    joined = [
        column[0] if dim is None else _C.functions.cat(list(column), dim)
        for column, dim in zip(columns, placed, strict=True)
    ]
    return tree_unflatten(joined, out_spec)
