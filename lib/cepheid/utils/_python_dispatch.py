"""The second door for overrides: `__torch_dispatch__`, below autograd and below composites."""

from __future__ import annotations

from typing import Any, Self

from cepheid import _C

__all__ = ["TorchDispatchMode"]


class TorchDispatchMode:
    """Context manager whose `__torch_dispatch__` sees every op that reaches a backend.

    It gets op overloads (`ops.aten.add.Tensor`), after composites have been taken apart. While it
    runs it is off the stack, so that the ops it calls reach the next mode or the backend.
    """

    def __torch_dispatch__(
        self,
        func: _C.OpOverload,
        types: tuple[type, ...],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__}: a TorchDispatchMode must define __torch_dispatch__; "
            f"it was asked for {func}"
        )

    def __enter__(self) -> Self:
        _C._push_torch_dispatch_mode(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _C._pop_torch_dispatch_mode()
