"""The recorded graph: its nodes and edges, hooks over it, and what it keeps of tensors."""

from __future__ import annotations

import abc
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, Self

from cepheid import _C

__all__ = [
    "GradientEdge",
    "Node",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class Node(abc.ABC):
    """One recorded operation, as `Tensor.grad_fn` shows it."""

    @abc.abstractmethod
    def name(self) -> str:
        """The name of the operation's derivative."""

    @property
    @abc.abstractmethod
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """Where the gradients of the operands go."""

    @property
    @abc.abstractmethod
    def metadata(self) -> dict[str, Any]:
        """A dict to note something about the node in."""

    @abc.abstractmethod
    def register_hook(self, fn: Callable[..., Any]) -> Any:
        """Call `fn(grad_inputs, grad_outputs)` after the node; it may return other grad_inputs."""

    @abc.abstractmethod
    def register_prehook(self, fn: Callable[..., Any]) -> Any:
        """Call `fn(grad_outputs)` before the node runs; it may return other grad_outputs."""


Node.register(_C._Node)


class GradientEdge(NamedTuple):
    """A place in the graph that takes a gradient; may stand for one in `grad` and `backward`."""

    node: Any
    output_nr: int


def get_gradient_edge(tensor: _C.Tensor) -> GradientEdge:
    """Where the gradient of `tensor` goes: the node that made it, or the one that adds to its grad.

    RuntimeError for a tensor that requires no gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "get_gradient_edge: the tensor must require a gradient; this has requires_grad=False"
        )
    return GradientEdge(_C._gradient_node(tensor), tensor.output_nr)


def increment_version(tensor: _C.Tensor | Sequence[_C.Tensor]) -> None:
    """Say that the data of a tensor, or of several, were written to where the library can't see it.

    RuntimeError for a tensor made in inference mode, which keeps no version.
    """
    for each in (tensor,) if isinstance(tensor, _C.Tensor) else tuple(tensor):
        _C._increment_version(each)


class saved_tensors_hooks:  # noqa: N801 - the documented name
    """Context manager: what is saved for backward inside is packed and unpacked by two functions.

    `pack_hook(tensor)` returns anything; `unpack_hook` gets that when the tensor is needed and
    returns the tensor. The innermost pair is asked. The pack hook must not write to the tensor.
    """

    def __init__(
        self, pack_hook: Callable[[_C.Tensor], Any], unpack_hook: Callable[[Any], _C.Tensor]
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> Self:
        _C._push_saved_tensors_hooks(self.pack_hook, self.unpack_hook)
        return self

    def __exit__(self, *error: object) -> None:
        _C._pop_saved_tensors_hooks()


class save_on_cpu(saved_tensors_hooks):  # noqa: N801 - the documented name
    """Context manager: what is saved for backward inside waits in the memory of the CPU."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        if pin_memory:
            raise NotImplementedError("save_on_cpu: pin_memory=True arrives with the GPU backend")

        def pack(tensor: _C.Tensor) -> tuple[_C.device, _C.Tensor]:
            return tensor.device, tensor.to("cpu")

        def unpack(packed: tuple[_C.device, _C.Tensor]) -> _C.Tensor:
            device, tensor = packed
            return tensor.to(device)

        super().__init__(pack, unpack)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, hooks of saved tensors are an error with this message."""
    before = _C._disable_saved_tensors_hooks(error_message)
    try:
        yield
    finally:
        _C._disable_saved_tensors_hooks(before)


class _Handle:
    """Takes several hooks away at once."""

    def __init__(self, handles: Sequence[Any]) -> None:
        self._handles = handles

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[_C.Tensor],
    fn: Callable[..., None],
    *,
    mode: Literal["all", "any"] = "all",
) -> Any:
    """Call `fn` once in every backward pass that reaches `tensors`; returns a handle with remove().

    In mode "all", `fn` gets a list with the gradients of all tensors, None for those that the pass
    doesn't reach, as soon as the last of them is known; in mode "any", the first gradient alone.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"register_multi_grad_hook: mode must be 'all' or 'any'; got {mode!r}")
    watch = _All(tensors, fn) if mode == "all" else _Any(fn)
    hooks = [t.register_hook(watch.hook_of(i)) for i, t in enumerate(tensors)]
    return _Handle(hooks)


class _All:
    """Collects the gradients of each backward pass until the last one has come."""

    def __init__(self, tensors: Sequence[_C.Tensor], fn: Callable[..., None]) -> None:
        self._nodes = [get_gradient_edge(t).node for t in tensors]
        self._fn = fn
        self._lock = threading.Lock()
        self._passes: dict[int, tuple[int, list[_C.Tensor | None]]] = {}

    def hook_of(self, position: int) -> Callable[[_C.Tensor], None]:
        def hook(gradient: _C.Tensor) -> None:
            complete = self._take(position, gradient)
            if complete is not None:
                self._fn(complete)

        return hook

    def _take(self, position: int, gradient: _C.Tensor) -> list[_C.Tensor | None] | None:
        number = _C._current_pass()
        with self._lock:
            if number not in self._passes:
                expected = sum(map(_C._will_run, self._nodes))
                self._passes[number] = (expected, [None] * len(self._nodes))
                _C._queue_callback(lambda: self._passes.pop(number, None))
            expected, gradients = self._passes[number]
            gradients[position] = gradient
            complete = sum(g is not None for g in gradients) == expected
        return gradients if complete else None


class _Any:
    """Passes on the first gradient of each backward pass."""

    def __init__(self, fn: Callable[..., None]) -> None:
        self._fn = fn
        self._lock = threading.Lock()
        self._passes: set[int] = set()

    def hook_of(self, _: int) -> Callable[[_C.Tensor], None]:
        return self._hook

    def _hook(self, gradient: _C.Tensor) -> None:
        number = _C._current_pass()
        with self._lock:
            if number in self._passes:
                return
            self._passes.add(number)
            _C._queue_callback(lambda: self._passes.discard(number))
        self._fn(gradient)
