"""Whether this thread records operations: context managers that also decorate functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, overload

from cepheid import _C

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]

is_grad_enabled = _C.is_grad_enabled
is_inference_mode_enabled = _C.is_inference_mode_enabled
Function = TypeVar("Function", bound=Callable[..., Any])


class _GradMode:
    """Sets the mode on entry and puts the earlier one back on exit; may be entered again."""

    def __init__(self, mode: bool) -> None:
        self._mode = mode
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(is_grad_enabled())
        _C._set_grad_enabled(self._mode)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _C._set_grad_enabled(self._before.pop())

    def __call__(self, function: Function) -> Function:
        """The function, run in this mode; a generator runs in it whenever it runs."""
        return _in_mode(function, functools.partial(_GradMode, self._mode))


def _in_mode(function: Any, mode: Callable[[], Any]) -> Any:
    if isinstance(function, type):
        raise TypeError("a grad mode decorates functions; decorate the class's methods instead")
    if _is_generator(function):
        return _generator_in_mode(function, mode)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with mode():
            return function(*args, **kwargs)

    return wrapped


def _is_generator(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & 0x20)


def _generator_in_mode(function: Any, mode: Callable[[], Any]) -> Any:
    """Between two values the caller's mode holds."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        try:
            with mode():
                value = next(generator)
            while True:
                try:
                    sent = yield value
                except GeneratorExit:
                    with mode():
                        generator.close()
                    raise
                except BaseException as error:  # noqa: BLE001  # handed on, whatever it is
                    with mode():
                        value = generator.throw(error)
                else:
                    with mode():
                        value = generator.send(sent)
        except StopIteration as end:
            return end.value

    return wrapped


class _Fixed(_GradMode):
    mode = False

    @overload
    def __new__(cls, function: Function) -> Function: ...
    @overload
    def __new__(cls, function: None = None) -> _Fixed: ...
    def __new__(cls, function: Any = None) -> Any:
        """`@no_grad` without brackets decorates as `@no_grad()` does."""
        return super().__new__(cls) if function is None else _in_mode(function, cls)

    def __init__(self, function: None = None) -> None:
        super().__init__(self.mode)


class no_grad(_Fixed):  # noqa: N801 - the documented name
    """Nothing is recorded inside: results don't require gradients. Also decorates functions."""

    mode = False


class enable_grad(_Fixed):  # noqa: N801 - the documented name
    """Operations are recorded inside, also within `no_grad`. Also decorates functions."""

    mode = True


class set_grad_enabled(_GradMode):  # noqa: N801 - the documented name
    """Sets the mode at once; as a context manager, until the end of the block."""

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))
        self._made = is_grad_enabled()
        _C._set_grad_enabled(self._mode)

    def __enter__(self) -> None:
        self._before.append(self._made)
        _C._set_grad_enabled(self._mode)

    def __call__(self, function: Function) -> Function:
        """The function, run in this mode; the mode set by making this object is taken back."""
        _C._set_grad_enabled(self._made)
        return super().__call__(function)


class inference_mode:  # noqa: N801 - the documented name
    """Nothing is recorded inside, and what is made there never takes part in a graph.

    Such tensors keep no version, can't be saved for backward, and may be written to only in this
    mode: `clone()` them outside. Also decorates functions. `inference_mode(False)` inside switches
    back to recording.
    """

    def __new__(cls, mode: Any = True) -> Any:
        """`@inference_mode` without brackets decorates as `@inference_mode()` does."""
        return super().__new__(cls) if isinstance(mode, bool) else _in_mode(mode, cls)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._before.append((is_inference_mode_enabled(), is_grad_enabled()))
        _C._set_inference_mode(self.mode)

    def __exit__(self, *error: object) -> None:
        inference, grad = self._before.pop()
        _C._set_inference_mode(inference)
        _C._set_grad_enabled(grad)

    def __call__(self, function: Function) -> Function:
        """The function, run in this mode; a generator runs in it whenever it runs."""
        mode: Function = _in_mode(function, functools.partial(inference_mode, self.mode))
        return mode
