"""`jvp` and `linearize`: forward mode.

The product of a Jacobian and a vector is the derivative, by the cotangent, of the product of the
cotangent and the Jacobian: two passes backward, and every formula serves both modes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cepheid import _C
from cepheid.func._levels import GradLevel, history, pull, tensor_leaves
from cepheid.func._reverse import split_aux
from cepheid.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["jvp", "linearize"]


def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """The outputs of `func(*primals)`, and the Jacobian times `tangents`.

    `primals` and `tangents` are tuples of the same structure. With `strict`, an output that doesn't
    depend on the primals is an error; otherwise its tangent is zero.
    """
    outputs, push, aux = make_jvp("jvp", func, primals, has_aux, strict)
    pushed = push(tangents)
    return (outputs, pushed, aux) if has_aux else (outputs, pushed)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The outputs of `func(*primals)`, and `jvp` at them as a function of the tangents.

    `func` runs once, however often the function is called.
    """
    outputs, push, _ = make_jvp("linearize", func, primals, False, False)
    return outputs, lambda *tangents: push(tangents)


def make_jvp(
    op: str, func: Any, primals: Any, has_aux: bool, strict: bool
) -> tuple[Any, Callable[[Any], Any], Any]:
    """The outputs, a function of a tuple of tangents, and `aux`."""
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{op}: expected primals to be a tuple, so that func(*primals) can be called; got"
            f" {type(primals).__name__}"
        )
    with GradLevel() as level:
        leaves, spec = tensor_leaves(primals, op, "the primals")
        if not leaves:
            raise RuntimeError(f"{op}: expected primals to contain at least one Tensor")
        inputs = [level.fresh(leaf) for leaf in leaves]
        value, aux = split_aux(op, func(*tree_unflatten(inputs, spec)), has_aux)
        roots, out_spec = tensor_leaves(value, op, "what the function returns")
        if strict and not all(root.requires_grad for root in roots):
            raise RuntimeError(
                f"{op}: with strict=True every output must depend on the inputs, and one of the"
                " function's is independent of them"
            )
        again = level.seen_outside(roots)
        turning = [_turning(level, root) for root in roots]
        turned = pull(roots, inputs, turning, create_graph=True)
        outputs = tree_unflatten([level.result(root) for root in roots], out_spec)
        aux_results = level.results(aux, op) if has_aux else None

    def push(tangents: Any) -> Any:
        seeds, seed_spec = tree_flatten(tangents)
        if seed_spec != spec:
            raise RuntimeError(
                f"{op}: the primals and tangents must have the same structure; got {spec} and"
                f" {seed_spec}"
            )
        fitting = [_tangent(op, *pair) for pair in zip(seeds, turned, strict=True)]
        create_graph = _C.is_grad_enabled() and (again or any(map(history, seeds)))
        return tree_unflatten(pull(turned, turning, fitting, create_graph), out_spec)

    return outputs, push, aux_results


def _turning(level: GradLevel, root: _C.Tensor) -> _C.Tensor:
    """A cotangent to differentiate by; an integer output gets one as well, for its zeros.

    Not of zeros, though its product is linear: a formula may take its logarithm.
    """
    made: _C.Tensor = _C.functions.ones_like(root, requires_grad=False)
    if root.is_floating_point() or root.is_complex():
        level.keep(made.requires_grad_())
    return made


def _tangent(op: str, tangent: Any, like: _C.Tensor) -> _C.Tensor:
    if not isinstance(tangent, _C.Tensor):
        raise RuntimeError(f"{op}: tangents must be tensors; got {type(tangent).__name__}")
    if tangent.shape != like.shape:
        raise RuntimeError(
            f"{op}: a tangent has a different size than its primal: {list(tangent.shape)} and"
            f" {list(like.shape)}"
        )
    return tangent if tangent.dtype == like.dtype else tangent.to(like.dtype)
