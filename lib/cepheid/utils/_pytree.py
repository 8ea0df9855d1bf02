"""Nested tuples, lists and dicts as flat lists and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["TreeSpec", "tree_flatten", "tree_map", "tree_unflatten"]


class TreeSpec(NamedTuple):
    """The structure of a nest; `kind` is None for a leaf."""

    kind: type | None
    keys: tuple[Any, ...]  # of a dict
    children: tuple[TreeSpec, ...]

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        parts = [str(child) for child in self.children]
        if issubclass(self.kind, dict):
            pairs = zip(self.keys, parts, strict=True)
            return "{" + ", ".join(f"{k!r}: {part}" for k, part in pairs) + "}"
        inside = ", ".join(parts)
        if issubclass(self.kind, list):
            return f"[{inside}]"
        return f"({inside},)" if len(parts) == 1 else f"({inside})"


LEAF = TreeSpec(None, (), ())


def tree_flatten(tree: Any) -> tuple[list[Any], TreeSpec]:
    """The leaves from left to right, and the structure."""
    leaves: list[Any] = []
    return leaves, _flatten_into(tree, leaves)


def _flatten_into(tree: Any, leaves: list[Any]) -> TreeSpec:
    kind = type(tree)
    if isinstance(tree, dict):
        keys = tuple(tree)
        return TreeSpec(kind, keys, tuple(_flatten_into(tree[k], leaves) for k in keys))
    if kind in (tuple, list) or (isinstance(tree, tuple) and _has_names(kind)):
        return TreeSpec(kind, (), tuple(_flatten_into(part, leaves) for part in tree))
    leaves.append(tree)
    return LEAF


def _has_names(kind: type) -> bool:
    """Whether it is a named tuple: Python's, or of an op that returns several tensors."""
    return hasattr(kind, "_fields") or hasattr(kind, "n_sequence_fields")


def tree_unflatten(leaves: Any, spec: TreeSpec) -> Any:
    """The nest of that structure with those leaves."""
    return _build(iter(leaves), spec)


def _build(leaves: Any, spec: TreeSpec) -> Any:
    if spec.kind is None:
        return next(leaves)
    parts = [_build(leaves, child) for child in spec.children]
    if issubclass(spec.kind, dict):
        return spec.kind(zip(spec.keys, parts, strict=True))
    return spec.kind(*parts) if hasattr(spec.kind, "_fields") else spec.kind(parts)


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """The nest of what `function` gives for each leaf."""
    leaves, spec = tree_flatten(tree)
    return tree_unflatten(map(function, leaves), spec)


def broadcast_leaves(tree: Any, spec: TreeSpec) -> list[Any] | None:
    """The leaves of `tree`, one for each of `spec`'s, where a leaf stands for all below it.

    None where the structures don't fit.
    """
    own, own_spec = tree_flatten(tree)
    spread: list[Any] = []
    return spread if _spread(iter(own), own_spec, spec, spread) else None


def _spread(leaves: Any, have: TreeSpec, want: TreeSpec, spread: list[Any]) -> bool:
    if have.kind is None:
        spread += [next(leaves)] * _count(want)
        return True
    if have.kind is not want.kind or have.keys != want.keys:
        return False
    if len(have.children) != len(want.children):
        return False
    pairs = zip(have.children, want.children, strict=True)
    return all(_spread(leaves, h, w, spread) for h, w in pairs)


def _count(spec: TreeSpec) -> int:
    return 1 if spec.kind is None else sum(map(_count, spec.children))
