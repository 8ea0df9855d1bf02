"""`autograd.Function` inside `vmap`.

Note [A Function's layers]
A Function of batched arguments has two histories. The one of the batched tensors, for a gradient
taken inside `vmap`, is a node like any other, whose `forward` is what lies below: the Function's
own `vmap`, or the Function on all slices, called with the inner tensors. That call records the
other history, for a gradient taken outside.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from cepheid import _C
from cepheid.autograd.function import Function, FunctionCtx, derivative_of
from cepheid.autograd.grad_mode import set_grad_enabled
from cepheid.func._batched import Batched, Level, is_batched
from cepheid.func._vmap import vmap
from cepheid.utils._pytree import broadcast_leaves, tree_flatten, tree_unflatten


class VmapInfo(NamedTuple):
    """What a Function's `vmap` is told: how many slices there are, and how to draw."""

    batch_size: int
    randomness: str


def apply_batched(function: type[Function], args: Any) -> Any:
    """The results of a Function in `vmap`; None where no argument is batched."""
    levels = [a.level for a in args if isinstance(a, Batched)]
    if not levels:
        return None
    _check(function)
    level = max(levels, key=lambda level: level.number)
    recording = _C.is_grad_enabled()

    def below(*given: Any) -> Any:
        with set_grad_enabled(recording):
            return _by_rule(function, given, level)

    if recording and any(isinstance(a, _C.Tensor) and a.requires_grad for a in args):
        return function._backward_cls()._run(below, function.setup_context, args)
    return below(*args)


def _check(function: type[Function]) -> None:
    name = function.__name__
    if function.setup_context is Function.setup_context:
        raise RuntimeError(
            f"{name}: in vmap its forward must take no ctx; define the static method setup_context"
        )
    has_own = function.vmap is not Function.vmap
    if has_own and function.generate_vmap_rule:
        raise RuntimeError(
            f"{name}: it has both generate_vmap_rule=True and the static method vmap; keep one"
        )
    if not has_own and not function.generate_vmap_rule:
        raise RuntimeError(
            f"{name}: it doesn't say what vmap of it is; define the static method vmap, or set"
            " generate_vmap_rule=True where its methods use only tensor operations"
        )


def _by_rule(function: type[Function], args: Any, level: Level) -> Any:
    dims = tuple(0 if is_batched(a, level) else None for a in args)
    inner = [a.inner if is_batched(a, level) else a for a in args]
    if function.generate_vmap_rule:
        made, out_dims = _on_slices(function).apply(dims, level.randomness, *inner), 0
    else:
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


@functools.cache
def _on_slices(function: type[Function]) -> type[Function]:
    """The Function whose methods are those of `function` under `vmap`."""

    class OnSlices(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(dims: Any, randomness: str, *args: Any) -> Any:
            return vmap(function.forward, dims, randomness=randomness)(*args)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            ctx.dims, ctx.randomness, *args = inputs
            ctx.held = FunctionCtx()
            _keep(function, ctx, tuple(args), output)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            if all(g is None for g in gradients):
                return (None,) * (2 + len(ctx.dims))
            return (None, None, *_pulled(function, ctx, gradients))

    OnSlices.__name__ = function.__name__
    return OnSlices


def _keep(function: type[Function], ctx: Any, args: tuple[Any, ...], output: Any) -> None:
    """What the Function's `setup_context` says of a slice, said of all."""
    held, said = ctx.held, {}

    def of_slice(args: Any, output: Any) -> Any:
        held.needs_input_grad = ctx.needs_input_grad[2:]
        function.setup_context(held, args, output)
        saved = getattr(held, "to_save", ())
        constant = getattr(held, "non_differentiable", ())
        results = output if isinstance(output, tuple) else (output,)
        said["saved"] = [t is not None for t in saved]
        said["constant"] = [any(r is c for c in constant) for r in results]
        return [t for t in saved if t is not None]

    kept = iter(vmap(of_slice, (ctx.dims, 0))(args, output))
    if hasattr(held, "dirty_tensors"):
        raise NotImplementedError(
            f"{function.__name__}: generate_vmap_rule doesn't take mark_dirty; return a new tensor"
        )
    results = output if isinstance(output, tuple) else (output,)
    ctx.save_for_backward(*(next(kept) if there else None for there in said["saved"]))
    constant = [r for r, c in zip(results, said["constant"], strict=True) if c]
    ctx.mark_non_differentiable(*constant)
    ctx.set_materialize_grads(getattr(held, "materialize_grads", True))


def _pulled(function: type[Function], ctx: Any, gradients: tuple[Any, ...]) -> list[Any]:
    """The gradients of the arguments; those of a shared one add up over the slices."""
    held, given = ctx.held, []

    def of_slice(gradients: Any, saved: Any) -> Any:
        held.saved_tensors = saved
        made = derivative_of(function)(held, *gradients)
        made = made if isinstance(made, tuple) else (made,)
        given[:] = [g is not None for g in made]
        return [g for g in made if g is not None]

    dims = tuple(
        tuple(None if t is None else 0 for t in part) for part in (gradients, ctx.saved_tensors)
    )
    found = iter(vmap(of_slice, dims, randomness=ctx.randomness)(gradients, ctx.saved_tensors))
    made = [next(found) if there else None for there in given]
    return [
        g if g is None else g.sum(0) if dim is None else g.movedim(0, dim)
        for g, dim in zip(made, ctx.dims, strict=False)
    ]
