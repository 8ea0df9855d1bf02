"""`autograd.Function` inside `vmap`."""

from __future__ import annotations

from typing import Any, NamedTuple

from cepheid import _C
from cepheid.autograd.function import Function
from cepheid.func._batched import Batched, Level, history, is_batched
from cepheid.utils._pytree import broadcast_leaves, tree_flatten, tree_unflatten


class VmapInfo(NamedTuple):
    """What a Function's `vmap` is told: how many slices there are, and how to draw."""

    batch_size: int
    randomness: str


def apply_batched(function: type[Function], args: Any) -> Any:
    """The results of a Function by its own `vmap`; None where no argument is batched.

    A Function without one is run on the batched arguments as they are, if the op's inner history
    doesn't matter; it is not recorded while `forward` runs.
    """
    batched = [a for a in args if isinstance(a, Batched)]
    if not batched:
        return None
    level = max((a.level for a in batched), key=lambda level: level.number)
    if function.vmap is Function.vmap:
        _refuse_history(function, batched)
        return None
    return _by_own_rule(function, args, level)


def _refuse_history(function: type[Function], batched: list[Batched]) -> None:
    if any(history(a.inner) for a in batched):
        raise NotImplementedError(
            f"{function.__name__}: a gradient is taken through vmap of it, so it needs the static"
            " method vmap"
        )


def _by_own_rule(function: type[Function], args: Any, level: Level) -> Any:
    dims = tuple(0 if is_batched(a, level) else None for a in args)
    inner = [a.inner if is_batched(a, level) else a for a in args]
    made, out_dims = function.vmap(VmapInfo(level.size, level.randomness), dims, *inner)
    leaves, spec = tree_flatten(made)
    places = broadcast_leaves(out_dims, spec)
    if places is None:
        raise RuntimeError(
            f"{function.__name__}.vmap: out_dims {out_dims} doesn't have the structure of the"
            f" outputs, {spec}"
        )
    return tree_unflatten([_placed(*p, level) for p in zip(leaves, places, strict=True)], spec)


def _placed(value: Any, dim: int | None, level: Level) -> Any:
    if dim is None or not isinstance(value, _C.Tensor):
        return value
    return Batched(value.movedim(dim, 0), level)
