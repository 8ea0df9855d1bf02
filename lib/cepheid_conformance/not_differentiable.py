"""Which ops, operands and calls take no part in differentiation, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .op_spec import OpSpec
from .sample import Sample
from .tensors import Tensor

_FACTORY = "the operand gives shape and dtype only; the result has no history"
_UNPROMISED = "no page promises a derivative, and the peer refuses to give one"
# Ops with floating operands and results whose results have no gradient.
CONSTANT = dict.fromkeys(
    "zeros_like ones_like full_like empty_like new_full new_zeros new_ones new_empty rand_like "
    "randn_like randint_like randint_like.low_dtype".split(),
    _FACTORY,
)
UNPROMISED = dict.fromkeys(
    "scatter.reduce scatter.value_reduce floor_divide bernoulli.p nextafter".split(),
    _UNPROMISED,
)
# Operands that no gradient reaches: weights and targets that a loss takes as given, statistics,
# operands that give a shape or a dtype only.
_LIKE = ("other",)
_STATISTICS = ("running_mean", "running_var")
_UNREACHED: dict[str, tuple[str, ...]] = {
    "_hinge_embedding": ("target",),
    "hinge_embedding_loss": ("target",),
    "_soft_margin": ("target",),
    "soft_margin_loss": ("target",),
    "_bit_cross_entropy": ("weight",),
    "binary_cross_entropy": ("weight",),
    "_logit_cross_entropy": ("weight", "pos_weight"),
    "binary_cross_entropy_with_logits": ("weight", "pos_weight"),
    "nll_loss": ("weight",),
    "cross_entropy": ("weight",),
    "to.other": _LIKE,
    "expand_as": _LIKE,
    "view_as": _LIKE,
    "reshape_as": _LIKE,
    "batch_norm": _STATISTICS,
    "instance_norm": _STATISTICS,
}


def unreached(spec: OpSpec) -> tuple[str, ...]:
    """The arguments of an op that no gradient reaches."""
    return _UNREACHED.get(spec.key, ())


def leaves_of(spec: OpSpec, sample: Sample) -> tuple[Tensor, ...]:
    """The tensors of a sample that gradients reach, each once."""
    found: list[Tensor] = []
    for name, value in sample.values.items():
        if name in unreached(spec):
            continue
        for item in value if isinstance(value, (list, tuple)) else (value,):
            inexact = isinstance(item, Tensor) and item.info.is_inexact
            if inexact and not any(item is other for other in found):
                found.append(item)
    return tuple(found)


def constant(spec: OpSpec) -> str | None:
    """Why no result of an op has a gradient, or None."""
    if "detached" in spec.tags:
        return "the result takes no part in the history of its operand"
    return CONSTANT.get(spec.key) or UNPROMISED.get(spec.key)


def undefined(spec: OpSpec, sample: Sample) -> bool:
    """Whether the documentation leaves the gradient of a call open, or gives it another meaning
    than that of a slope."""
    rule = _UNDEFINED.get(spec.key)
    return rule is not None and rule(sample.values)


def _repeated_places(values: dict[str, Any]) -> bool:
    """Which of several values at one place is kept is undefined, so that its slope is too."""
    if values.get("accumulate"):
        return False
    chosen = zip(values["indices"], values["self"].shape, strict=False)
    found = [index.data % size for index, size in chosen if _is_integers(index) and size]
    if not found:
        return False
    places = np.stack([index.ravel() for index in np.broadcast_arrays(*found)])
    return bool(len(np.unique(places, axis=1).T) < places.shape[1])


def _is_integers(index: Any) -> bool:
    return isinstance(index, Tensor) and index.dtype != "bool"


def _larger_source(values: dict[str, Any]) -> bool:
    """Backward is promised only where source and index have one shape."""
    return bool(values["src"].shape != values["index"].shape)


def _masked_rows(values: dict[str, Any]) -> bool:
    """Options that say what the gradient is to be, other than the slope."""
    return values.get("padding_idx", -1) != -1 or bool(values.get("scale_grad_by_freq"))


def _far_end(values: dict[str, Any]) -> bool:
    """A range of numbers that narrower dtypes don't hold."""
    return bool(values["to"] > _WHOLE_NUMBERS)


def _certain(values: dict[str, Any]) -> bool:
    """Probabilities that any change makes invalid."""
    return bool(np.isin(values["self"].data, (0, 1)).any())


_WHOLE_NUMBERS = 256  # up to here every floating dtype holds all


_UNDEFINED: dict[str, Callable[[dict[str, Any]], bool]] = {
    "index_put": _repeated_places,
    "scatter.src": _larger_source,
    "scatter_add": _larger_source,
    "scatter_reduce.two": _larger_source,
    "embedding": _masked_rows,
    "random_.to": _far_end,
    "bernoulli": _certain,
}
# Ops of which one piece may be a single point: its slope is that of the pieces beside it, its
# gradient by the formula of pieces is not.
POINT_PIECES = frozenset(("hardshrink", "softshrink"))
