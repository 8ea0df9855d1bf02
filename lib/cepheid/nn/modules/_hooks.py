"""Hooks of modules: registering, removing, and the call between them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from cepheid.nn.modules._backward_hooks import Watch
from cepheid.utils.hooks import RemovableHandle

if TYPE_CHECKING:
    from cepheid.nn.modules.module import Module

KINDS = (
    "_forward_pre_hooks",
    "_forward_hooks",
    "_backward_pre_hooks",
    "_backward_hooks",
    "_state_dict_pre_hooks",
    "_state_dict_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
BACKWARD_KINDS = ("_backward_pre_hooks", "_backward_hooks")


class _Hook:
    """A callable with the options that it was registered with."""

    __slots__ = ("always_call", "function", "with_kwargs")

    def __init__(self, function: Any, with_kwargs: bool, always_call: bool) -> None:
        self.function = function
        self.with_kwargs = with_kwargs
        self.always_call = always_call


def register(
    module: Module,
    kind: str,
    hook: Any,
    prepend: bool = False,
    *,
    with_kwargs: bool = False,
    always_call: bool = False,
) -> RemovableHandle:
    """Adds a hook of one of KINDS."""
    if not callable(hook):
        raise TypeError(f"a hook must be callable; got {type(hook).__name__}")
    hooks: OrderedDict[int, Any] = module.__dict__[kind]
    handle = RemovableHandle(hooks)
    hooks[handle.id] = _Hook(hook, with_kwargs, always_call)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def functions(module: Module, kind: str) -> list[Any]:
    """The callables of a kind, in order."""
    return [hook.function for hook in module.__dict__[kind].values()]


def call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """forward between its hooks."""
    called: set[int] = set()
    try:
        args, kwargs = _before(module, args, kwargs)
        before, after = (functions(module, kind) for kind in BACKWARD_KINDS)
        if not before and not after:
            result = module.forward(*args, **kwargs)
            return _after(module, args, kwargs, result, called)
        watch = Watch(module, before, after)
        args = watch.arguments(args)
        result = module.forward(*args, **kwargs)
        return watch.results(_after(module, args, kwargs, result, called))
    except BaseException:
        _always(module, args, kwargs, called)
        raise


def _before(
    module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    for hook in list(module._forward_pre_hooks.values()):
        if hook.with_kwargs:
            given = hook.function(module, args, kwargs)
            if given is None:
                continue
            if not isinstance(given, tuple) or len(given) != 2:
                raise RuntimeError(
                    "a forward pre-hook with kwargs must return None or (args, kwargs);"
                    f" got {given!r}"
                )
            args, kwargs = given
        else:
            given = hook.function(module, args)
            if given is not None:
                args = given if isinstance(given, tuple) else (given,)
    return args, kwargs


def _after(
    module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, called: set[int]
) -> Any:
    for key, hook in list(module._forward_hooks.items()):
        called.add(key)
        given = (
            hook.function(module, args, kwargs, result)
            if hook.with_kwargs
            else hook.function(module, args, result)
        )
        if given is not None:
            result = given
    return result


def _always(
    module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]
) -> None:
    """After an error: the hooks that are called all the same, without a result."""
    for key, hook in list(module._forward_hooks.items()):
        if not hook.always_call or key in called:
            continue
        if hook.with_kwargs:
            hook.function(module, args, kwargs, None)
        else:
            hook.function(module, args, None)
