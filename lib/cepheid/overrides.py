"""The first door for overrides: `__torch_function__` on subclasses, and modes for whole blocks.

A public function asks every argument's class, and the active modes, before anything is computed.
The door below the dispatcher, `__torch_dispatch__`, is in `utils._python_dispatch`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

from cepheid import _C

__all__ = [
    "TorchFunctionMode",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
]

has_torch_function = _C._has_torch_function
has_torch_function_unary = _C._has_torch_function_unary
has_torch_function_variadic = _C._has_torch_function_variadic


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Give a call of `public_api` to the override that comes first.

    Active modes come first, then subclasses before their bases, then left to right. TypeError when
    every `__torch_function__` returns NotImplemented.
    """
    return _C._handle_torch_function(public_api, relevant_args, args, kwargs)


def is_tensor_like(value: object) -> bool:
    """Whether `value` is a tensor or takes part in `__torch_function__`."""
    return type(value) is _C.Tensor or hasattr(value, "__torch_function__")


class TorchFunctionMode:
    """Context manager whose `__torch_function__` sees every public call inside the block.

    Modes nest: the innermost is asked first, and while it runs it is off the stack, so that calls
    it makes itself reach the next one.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: tuple[type, ...],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__}: a TorchFunctionMode must define __torch_function__; "
            f"it was asked for {func}"
        )

    def __enter__(self) -> Self:
        _C._push_torch_function_mode(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _C._pop_torch_function_mode()
