"""`Batched`: a tensor inside `vmap`, which looks like one slice and holds all of them.

The batch is the first dimension of `inner`. An op on batched tensors of several levels is a rule's
matter at the innermost level; what belongs to an outer one is to it a tensor like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from cepheid import _C

__all__ = ["Batched", "Level"]

Rule = Callable[..., Any]
_make = _C.Tensor._make_wrapper_subclass


class Level:
    """One running `vmap`: how deep it is, how many slices it has, how random numbers are drawn."""

    def __init__(self, number: int, size: int, randomness: str) -> None:
        self.number = number
        self.size = size
        self.randomness = randomness
        self.watcher: Any = None  # the mode that sees the function's calls


class Batched(_C.Tensor):
    """All slices of an argument of a function under `vmap`."""

    __torch_function__ = _C._disabled_torch_function_impl
    inner: _C.Tensor
    level: Level

    @staticmethod
    def __new__(cls, inner: _C.Tensor, level: Level) -> Batched:
        """A wrapper of `inner`, whose first dimension is the batch."""
        self: Batched = _make(
            cls,
            inner.shape[1:],
            strides=inner.stride()[1:],
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=inner.device,
        )
        self.inner = inner
        self.level = level
        return self

    def alias(self) -> Batched:
        """The same slices in a tensor without this level's history; that of `inner` stays."""
        made = Batched(self.inner, self.level)
        _C._share_memory(made, self, 0)
        return made

    def detach(self) -> Batched:
        """The same slices without any history."""
        made = Batched(self.inner.detach(), self.level)
        _C._share_memory(made, self, 0)
        return made

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"Batched(level={self.level.number}, {self.inner!r})"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs an op on all slices; histories of the inner tensors are recorded."""
        before = _C._exclude_autograd(False)
        try:
            level = _innermost(args) or _innermost(kwargs.values())
            assert level is not None
            watched = _pause_watching(level, func.opname)
            try:
                made = rule_of(func)(func, level, args, kwargs)
            finally:
                if watched:
                    _C._push_torch_function_mode(level.watcher)
            if func.is_view and func.opname != "detach":
                _mark_views(made, args[0])
            return made
        finally:
            _C._exclude_autograd(before)


def _pause_watching(level: Level, name: str) -> bool:
    """Takes the level's mode away while a rule runs that draws nothing: it would see every call."""
    top = _C._len_torch_function_stack() - 1
    if top < 0 or _C._torch_function_mode_at(top) is not level.watcher:
        return False
    if name in level.watcher.drawing:
        return False
    _C._pop_torch_function_mode()
    return True


def _mark_views(made: Any, source: _C.Tensor) -> None:
    if isinstance(made, list | tuple):
        for view in made:
            _C._share_memory(view, source, len(made) + 1)
    else:
        _C._share_memory(made, source, 1)


def _innermost(values: Any) -> Level | None:
    found: Level | None = None
    for value in values:
        if isinstance(value, Batched):
            level: Level | None = value.level
        elif type(value) in (list, tuple):
            level = _innermost(value)
        else:
            continue
        if level is not None and (found is None or level.number > found.number):
            found = level
    return found


def history(tensor: _C.Tensor) -> bool:
    """Whether the tensor, or one that a batched tensor is made of, requires a gradient."""
    while isinstance(tensor, Batched):
        if tensor.requires_grad:
            return True
        tensor = tensor.inner
    return tensor.requires_grad


RULES: dict[str, Rule] = {}
_found: dict[Any, Rule] = {}


def rule_of(func: Any) -> Rule:
    """The rule of an op: its own, or slice by slice."""
    rule = _found.get(func)
    if rule is None:
        rule = _found[func] = RULES.get(func.name.partition("::")[2], slice_by_slice)
    return rule


def is_batched(value: Any, level: Level) -> TypeGuard[Batched]:
    """Whether the value differs from slice to slice."""
    return isinstance(value, Batched) and value.level is level


def wrap(value: Any, level: Level) -> Any:
    """The results of an op on inner tensors as results at the level."""
    if isinstance(value, _C.Tensor):
        return Batched(value, level)
    return type(value)([wrap(part, level) for part in value])


def spread(value: _C.Tensor, level: Level) -> _C.Tensor:
    """The inner tensor; one that is the same for all slices is expanded."""
    if is_batched(value, level):
        return value.inner
    return value.expand(level.size, *value.shape)


def slice_by_slice(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """What is right for every op that gives results of one shape: run it for each slice."""
    if func.overload.endswith("out"):
        raise RuntimeError(f"vmap: {func.name}: out= isn't supported here; use the returned tensor")
    if func.mutates and not is_batched(args[0], level):
        refuse_shared(func)
    made = []
    for i in range(max(level.size, 1)):
        options = {name: _slice(value, level, i) for name, value in kwargs.items()}
        made.append(func(*_slice(args, level, i), **options))
    if func.mutates:
        return args[0]
    return _stack(func, made, level)


def _slice(value: Any, level: Level, index: int) -> Any:
    if is_batched(value, level):
        if level.size == 0:
            return value.inner.new_zeros(value.shape)
        return value.inner.select(0, index)
    if type(value) in (list, tuple):
        return [_slice(part, level, index) for part in value]
    return value


def _stack(func: Any, made: list[Any], level: Level) -> Any:
    first = made[0]
    if isinstance(first, list | tuple):
        if len({len(part) for part in made}) != 1:
            refuse_shapes(func)
        return [_stack(func, list(parts), level) for parts in zip(*made, strict=True)]
    if not isinstance(first, _C.Tensor):
        raise RuntimeError(
            f"vmap: {func.name} gives a number, which can't differ from slice to slice; keep"
            " results in tensors (where, masks) instead of data-dependent control flow or .item()"
        )
    if any(part.shape != first.shape for part in made):
        refuse_shapes(func)
    return Batched(_C.functions.stack(made)[: level.size], level)


def refuse_shapes(func: Any) -> None:
    """For ops whose result's shape depends on values."""
    raise RuntimeError(
        f"vmap: {func.name} has a result whose shape depends on values, which can differ from"
        " slice to slice; use where or a mask"
    )


def refuse_shared(func: Any) -> None:
    """For writing what differs by slice into a tensor that all slices share."""
    raise RuntimeError(
        f"vmap: {func.name} would write values that differ from slice to slice into a tensor that"
        " all slices share; use the form that returns a new tensor"
    )
