"""Levels of differentiation.

Note [Levels of func]
A transform gives the function tensors of its own that require gradients: leaves where the argument
has no history, views of the argument where it has one. Whatever else the function uses (arguments
of outer transforms, captured tensors) are other nodes of the graph, so that an inner gradient
treats them as constants, and an outer one goes through all of it. Gradients are recorded
themselves only where somebody outside can ask: inside another transform of derivatives, or where
the function's result depends on a tensor from outside that requires a gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from cepheid import _C, autograd
from cepheid.autograd import transforms
from cepheid.autograd.grad_mode import enable_grad
from cepheid.func._batched import Batched, history
from cepheid.utils._pytree import tree_flatten, tree_unflatten

Tensors = Sequence[_C.Tensor]


class GradLevel:
    """A transform of derivatives while its function runs."""

    def __init__(self) -> None:
        self.recorded_outside = _C.is_grad_enabled()
        self.own: dict[int, _C.Tensor] = {}  # leaves that transforms made, by id
        self.has_history = False  # an argument requires a gradient outside

    def __enter__(self) -> Self:
        self._outer = [level for level in transforms.levels() if isinstance(level, GradLevel)]
        transforms.levels().append(self)
        self._recording = enable_grad()
        self._recording.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._recording.__exit__(*error)
        transforms.levels().pop()

    def fresh(self, tensor: _C.Tensor) -> _C.Tensor:
        """The argument as a tensor of this level."""
        self.has_history = self.has_history or history(tensor)
        if tensor.requires_grad:
            return tensor.view_as(tensor)
        made: _C.Tensor
        made = tensor.alias() if isinstance(tensor, Batched) else tensor.detach()
        self.keep(made.requires_grad_())
        return made

    def keep(self, leaf: _C.Tensor) -> None:
        """Take note of a leaf that must not count as one from outside."""
        for level in (*self._outer, self):
            level.own[id(leaf)] = leaf

    def seen_outside(self, tensors: Tensors) -> bool:
        """Whether somebody outside can differentiate what is computed from `tensors`."""
        if not self.recorded_outside:
            return False
        return self.has_history or bool(self._outer) or self.depends_outside(tensors)

    def depends_outside(self, tensors: Tensors) -> bool:
        """Whether a tensor that requires a gradient and isn't of a transform went into these."""
        leaves = [t for t in tensors if t.requires_grad and t.grad_fn is None]
        if any(id(t) not in self.own for t in leaves):
            return True
        inner = [t.inner for t in tensors if isinstance(t, Batched)]
        if inner and self.depends_outside(inner):
            return True
        open_nodes = [t.grad_fn for t in tensors if t.grad_fn is not None]
        seen = set(open_nodes)
        while open_nodes:
            for node, _ in open_nodes.pop().next_functions:
                if node is None or node in seen:
                    continue
                seen.add(node)
                open_nodes.append(node)
                variable = getattr(node, "variable", None)
                if variable is not None and id(variable) not in self.own:
                    return True
        return False

    def result(self, tensor: _C.Tensor) -> _C.Tensor:
        """What the caller gets of a tensor of this level."""
        if not history(tensor) or self.seen_outside((tensor,)):
            return tensor
        return tensor.detach()

    def results(self, tree: Any, op: str) -> Any:
        """The same for a nest of tensors."""
        leaves, spec = tree_flatten(tree)
        for leaf in leaves:
            if not isinstance(leaf, _C.Tensor):
                raise RuntimeError(
                    f"{op}: the function must return tensors; got {type(leaf).__name__}"
                )
        return tree_unflatten([self.result(leaf) for leaf in leaves], spec)


def pull(
    outputs: Tensors, inputs: Tensors, cotangents: Tensors, create_graph: bool, retain: bool = True
) -> list[_C.Tensor]:
    """The cotangents times the Jacobian; zeros for an input that no output depends on."""
    pairs = [(o, c) for o, c in zip(outputs, cotangents, strict=True) if o.requires_grad]
    wanted = [i for i in inputs if i.requires_grad]  # others are integers, results of jvp
    found: dict[int, _C.Tensor | None] = {}
    if pairs and wanted:
        roots, seeds = zip(*pairs, strict=True)
        made = autograd.grad(roots, wanted, seeds, retain, create_graph, allow_unused=True)
        found = {id(i): g for i, g in zip(wanted, made, strict=True)}
    gradients = [found.get(id(i)) for i in inputs]
    return [
        _C.functions.zeros_like(i, requires_grad=False) if g is None else g
        for g, i in zip(gradients, inputs, strict=True)
    ]


def tensor_leaves(tree: Any, op: str, what: str) -> tuple[list[_C.Tensor], Any]:
    """The leaves of a nest of tensors, and its structure."""
    leaves, spec = tree_flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, _C.Tensor):
            raise RuntimeError(
                f"{op}: expected {what} to be only tensors; got {type(leaf).__name__}"
            )
    return leaves, spec
