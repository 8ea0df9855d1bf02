"""Random numbers inside `vmap`: an error, the same for all slices, or different ones."""

from __future__ import annotations

from typing import Any

from cepheid import _C
from cepheid.func._batched import Batched, Level
from cepheid.func._rules import rules
from cepheid.overrides import TorchFunctionMode

_FACTORIES = frozenset(("rand", "randn", "randint", "normal"))
_LIKE = frozenset(("rand_like", "randn_like", "randint_like"))
_IN_PLACE = frozenset(
    (
        "bernoulli_",
        "cauchy_",
        "exponential_",
        "geometric_",
        "log_normal_",
        "normal_",
        "random_",
        "uniform_",
    )
)
_OTHER = frozenset(("bernoulli", "dropout", "multinomial", "randperm"))
_BY_ELEMENT = _LIKE | {"bernoulli"}
_DRAWING = _FACTORIES | _LIKE | _IN_PLACE | _OTHER


class RandomMode(TorchFunctionMode):
    """Sees the calls of the function under `vmap`, and draws for all slices."""

    drawing = _DRAWING

    def __init__(self, level: Level) -> None:
        self.level = level
        level.watcher = self

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Anything but drawing random numbers goes on as it is."""
        options = kwargs or {}
        name = func.__name__
        if name not in _DRAWING or (name == "dropout" and not _trains(args, options)):
            return func(*args, **options)
        _refuse_error_mode(name, self.level)
        if name == "dropout":
            return _drop(func, self.level, args, options)
        return _draw(func, name, self.level, args, options)


def _refuse_error_mode(name: str, level: Level) -> None:
    if level.randomness == "error":
        raise RuntimeError(
            f"vmap: {name}: called a random operation while in randomness error mode; give vmap"
            " randomness='same' or 'different', or draw outside of it"
        )


@rules("dropout")
def dropout(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Where another op drops out, below the public function."""
    if not _trains(args, kwargs):
        return args[0].alias()
    _refuse_error_mode("dropout", level)
    return _drop(func, level, args, kwargs)


def _draw(func: Any, name: str, level: Level, args: Any, options: Any) -> Any:
    if name in _IN_PLACE:
        return _draw_in_place(func, name, level, args, options)
    source = args[0] if args else options.get("input")
    batched = isinstance(source, Batched) and source.level is level
    if not batched:
        if level.randomness == "same":
            return func(*args, **options)
        slices = [func(*args, **options) for _ in range(level.size)]
        return Batched(_C.functions.stack(slices), level)
    if level.randomness == "different":
        if name in _BY_ELEMENT:
            return Batched(func(source.inner, *args[1:], **options), level)
        slices = [func(part, *args[1:], **options) for part in source.inner]
        return Batched(_C.functions.stack(slices), level)
    if name in _LIKE:
        return func(source.inner[0], *args[1:], **options)
    raise RuntimeError(
        f"vmap: {name} with randomness='same' can't depend on values that differ by slice"
    )


def _drop(func: Any, level: Level, args: Any, options: Any) -> Any:
    """Dropout as a product with a mask, so that derivatives at this level go through it."""
    source, *rest = args
    shape_of = source
    if isinstance(source, Batched) and source.level is level:
        shape_of = source.inner if level.randomness == "different" else source.inner[0]
    elif level.randomness == "different":
        shape_of = source.expand(level.size, *source.shape)
    kept = func(_C.functions.ones_like(shape_of, requires_grad=False), *rest, **options)
    return source * (Batched(kept, level) if level.randomness == "different" else kept)


def _trains(args: Any, options: Any) -> bool:
    return bool(args[2] if len(args) > 2 else options.get("train", options.get("training", True)))


def _draw_in_place(func: Any, name: str, level: Level, args: Any, options: Any) -> Any:
    target = args[0]
    if not (isinstance(target, Batched) and target.level is level):
        if level.randomness == "different":
            raise RuntimeError(
                f"vmap: {name} can't draw different numbers for each slice into a tensor that all"
                " slices share; use the form that returns a new tensor"
            )
        return func(*args, **options)
    if level.randomness == "different":
        func(target.inner, *args[1:], **options)
    else:
        drawn = func(target.inner[0].clone(), *args[1:], **options)
        target.inner.copy_(drawn)
    return target
