"""Checkpointing: compute again in the backward pass instead of keeping what it needs."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from cepheid import _C
from cepheid.autograd import Function, backward
from cepheid.autograd.grad_mode import enable_grad
from cepheid.autograd.graph import saved_tensors_hooks
from cepheid.random import fork_rng, get_rng_state, set_rng_state

__all__ = [
    "CheckpointError",
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_early_stop",
]

Contexts = Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]


class CheckpointError(RuntimeError):
    """The second computation did not do what the first one did."""


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """The contexts of the first and the second computation by default: none."""
    return nullcontext(), nullcontext()


_early_stop: bool | None = None


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """For checkpoints made inside: does the second computation end with the last tensor needed?"""
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Contexts = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args, **kwargs)`, without keeping what its backward needs: that is computed again.

    With `use_reentrant=False` every tensor that would be saved is replaced by a promise, which the
    second computation keeps; it ends early (`early_stop`) once the last promise is kept, and is
    compared with the first one unless `determinism_check` is "none". `use_reentrant=True` runs a
    backward pass inside the backward pass; it takes no keyword arguments of the function, and
    refuses `autograd.grad` and `inputs=`. `preserve_rng_state` gives both computations the same
    random numbers. `context_fn` returns a context manager for each of them.
    """
    if use_reentrant is None:
        warnings.warn(
            "checkpoint: pass use_reentrant explicitly; without it, True is taken, and"
            " use_reentrant=False is the form to prefer",
            stacklevel=2,
        )
        use_reentrant = True
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"checkpoint: determinism_check must be 'default' or 'none'; got {determinism_check!r}"
        )
    if use_reentrant:
        if kwargs:
            raise ValueError(f"checkpoint: unexpected keyword arguments: {', '.join(kwargs)}")
        if context_fn is not noop_context_fn or debug:
            raise ValueError("checkpoint: context_fn and debug need use_reentrant=False")
        return _Reentrant.apply(function, preserve_rng_state, *args)
    if not _C.is_grad_enabled():
        return function(*args, **kwargs)
    stop = early_stop if _early_stop is None else _early_stop
    replay = _Replay(function, args, kwargs, preserve_rng_state)
    first, second = context_fn()
    frame = _Frame(replay, second, stop, determinism_check == "default")
    with frame.hooks(), first:
        return function(*args, **kwargs)


class _KeepInputs(Function):
    """Saves the arguments of a checkpoint as any operation does: hooks around it see them."""

    @staticmethod
    def forward(ctx: Any, like: _C.Tensor, *tensors: _C.Tensor) -> _C.Tensor:
        ctx.save_for_backward(*tensors)
        return like.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: _C.Tensor) -> Any:
        raise AssertionError("nothing leads to the kept arguments of a checkpoint")


class _Replay:
    """A call that can be made again, with the arguments and random numbers of the first time."""

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], rng: bool
    ) -> None:
        self._function = function
        self._kwargs = kwargs
        self._args = [None if isinstance(a, _C.Tensor) else a for a in args]
        self._places = [i for i, a in enumerate(args) if isinstance(a, _C.Tensor)]
        like = _C.functions.empty((0,), requires_grad=True)
        kept = _KeepInputs.apply(like, *(args[i] for i in self._places))
        self._kept = kept.grad_fn
        self._rng = get_rng_state() if rng else None

    def __call__(self) -> None:
        args = list(self._args)
        for place, tensor in zip(self._places, self._kept.saved_tensors, strict=True):
            args[place] = tensor.detach().requires_grad_(tensor.requires_grad)
        with fork_rng(self._rng is not None):
            if self._rng is not None:
                set_rng_state(self._rng)
            self._function(*args, **self._kwargs)


class _Promise:
    """Stands for a saved tensor; `like` says what it must be when it is computed again."""

    def __init__(self, number: int, like: tuple[Any, ...]) -> None:
        self.number = number
        self.like = like


class _Stop(BaseException):
    """Every promise is kept: the rest of the second computation isn't needed."""


def _likeness(tensor: _C.Tensor) -> tuple[Any, ...]:
    return tuple(tensor.shape), tensor.dtype, tensor.device


class _Frame:
    """One checkpoint: what was promised in the first computation, and the keeping of it."""

    def __init__(
        self, replay: _Replay, context: AbstractContextManager[Any], stop: bool, check: bool
    ) -> None:
        self._replay = replay
        self._context = context
        self._stop = stop
        self._check = check
        self._promises: list[weakref.ref[_Promise]] = []
        self._kept: weakref.WeakKeyDictionary[_Promise, _C.Tensor] = weakref.WeakKeyDictionary()

    def hooks(self) -> saved_tensors_hooks:
        def pack(tensor: _C.Tensor) -> _Promise:
            promise = _Promise(len(self._promises), _likeness(tensor))
            self._promises.append(weakref.ref(promise))
            return promise

        return saved_tensors_hooks(pack, self._unpack)

    def _unpack(self, promise: _Promise) -> _C.Tensor:
        if promise not in self._kept:
            self._recompute()
        if promise not in self._kept:
            raise CheckpointError(
                f"checkpoint: the first computation saved {len(self._promises)} tensors, and the"
                f" second one did not get to tensor {promise.number}; the function must do the same"
                " every time"
            )
        return self._kept.pop(promise)

    def _recompute(self) -> None:
        count = 0

        def keep(tensor: _C.Tensor) -> _C.Tensor:
            nonlocal count
            number, count = count, count + 1
            self._keep(number, tensor)
            if self._stop and count == len(self._promises):
                raise _Stop
            return tensor

        try:
            with self._context, enable_grad(), saved_tensors_hooks(keep, _itself):
                self._replay()
        except _Stop:
            pass
        if self._check and count != len(self._promises):
            raise CheckpointError(
                "checkpoint: a different number of tensors was saved during the original forward"
                f" and recomputation: {len(self._promises)}, then {count}; the function must do the"
                " same every time"
            )

    def _keep(self, number: int, tensor: _C.Tensor) -> None:
        promise = self._promises[number]() if number < len(self._promises) else None
        if promise is None:
            return
        if self._check and _likeness(tensor) != promise.like:
            raise CheckpointError(
                f"checkpoint: recomputed values have different metadata than during the forward"
                f" pass: saved tensor {number} was {_text(promise.like)} and is now"
                f" {_text(_likeness(tensor))}; the function must do the same every time"
            )
        self._kept[promise] = tensor


def _itself(tensor: _C.Tensor) -> _C.Tensor:
    return tensor


def _text(likeness: tuple[Any, ...]) -> str:
    shape, dtype, device = likeness
    return f"{dtype} of shape {list(shape)} on {device}"


class _Reentrant(Function):
    """Computes again, recorded, in its backward, and runs a backward pass through that."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], rng: bool, *args: Any) -> Any:
        tensors = [a for a in args if isinstance(a, _C.Tensor)]
        if not any(t.requires_grad for t in tensors):
            warnings.warn(
                "checkpoint: none of the inputs have requires_grad=True, so that with"
                " use_reentrant=True gradients will be None",
                stacklevel=4,
            )
        ctx.function = function
        ctx.rng = get_rng_state() if rng else None
        ctx.args = [None if isinstance(a, _C.Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, _C.Tensor)]
        ctx.save_for_backward(*tensors)
        return function(*args)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        if _C._wants_inputs():
            raise RuntimeError(
                "checkpoint: with use_reentrant=True it is incompatible with autograd.grad() and"
                " with an inputs parameter of backward(); use use_reentrant=False"
            )
        args = list(ctx.args)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[place] = tensor.detach().requires_grad_(tensor.requires_grad)
        with fork_rng(ctx.rng is not None):
            if ctx.rng is not None:
                set_rng_state(ctx.rng)
            with enable_grad():
                results = ctx.function(*args)
        pairs = zip(results if isinstance(results, tuple) else (results,), gradients, strict=True)
        roots = [(r, g) for r, g in pairs if isinstance(r, _C.Tensor) and r.requires_grad]
        if not roots:
            raise RuntimeError(
                "checkpoint: none of the results requires a gradient; this checkpoint is not needed"
            )
        backward([r for r, _ in roots], [g for _, g in roots])
        grads = tuple(a.grad if isinstance(a, _C.Tensor) else None for a in args)
        return (None, None, *grads)


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Call `functions` one after the other, in `segments` parts; all but the last are checkpoints.

    `functions` is a Sequential or a list. Keyword arguments are those of `checkpoint`.
    """
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)
    length = len(steps) // segments
    last = length * (segments - 1)
    for start in range(0, last, max(length, 1)):
        part = _in_turn(steps[start : start + length])
        input = checkpoint(part, input, use_reentrant=use_reentrant, **kwargs)
    return _in_turn(steps[last:])(input)


def _in_turn(steps: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        for step in steps:
            value = step(value)
        return value

    return run
