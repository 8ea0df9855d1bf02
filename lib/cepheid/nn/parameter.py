"""Tensors that a module owns: parameters, which train, and buffers, which don't."""

from __future__ import annotations

from typing import Any

from cepheid import _C
from cepheid._C import Tensor

__all__ = ["Buffer", "Parameter"]


class _MarkedMeta(_C._TensorMeta):
    """A tensor of another subclass counts as a Parameter or Buffer once it is marked as one."""

    def __instancecheck__(cls, instance: object) -> bool:  # noqa: N805 - a metaclass's self
        if super().__instancecheck__(instance):
            return True
        return isinstance(instance, Tensor) and getattr(instance, cls._mark, False) is True


class Parameter(Tensor, metaclass=_MarkedMeta):
    """A tensor that a Module takes as a parameter when it is assigned to an attribute.

    `data` of any shape (by default empty), shared, not copied; `requires_grad` as for tensors. An
    instance of a subclass of Tensor stays one and is marked as a parameter. TypeError for others.
    """

    _mark = "_is_param"
    _printed_as = "tensor"

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """Shares the memory of `data`."""
        return _marked(cls, data, requires_grad, "Parameter")

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        """A parameter over a copy of the data; its grad isn't copied."""
        if id(self) in memo:
            return memo[id(self)]
        made = type(self)(self.data.clone(), self.requires_grad)
        memo[id(self)] = made
        return made

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (type(self), self.data, self.requires_grad), _attributes(self)

    __torch_function__ = _C._disabled_torch_function_impl


class Buffer(Tensor, metaclass=_MarkedMeta):
    """A tensor that a Module takes as a buffer when it is assigned to an attribute.

    `persistent` says whether state_dict() holds it.
    """

    _mark = "_is_buffer"
    _printed_as = "tensor"
    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer:
        """Shares the memory of `data`."""
        made = _marked(cls, data, False if data is None else data.requires_grad, "Buffer")
        made.persistent = persistent
        made._is_buffer = True
        return made

    __torch_function__ = _C._disabled_torch_function_impl


def _marked(cls: Any, data: Tensor | None, requires_grad: bool, name: str) -> Any:
    if data is None:
        data = _C.functions.empty(0)
    if not isinstance(data, Tensor):
        raise TypeError(f"{name}: data must be a Tensor or None; got {type(data).__name__}")
    if type(data) in (Tensor, cls):
        return Tensor._make_subclass(cls, data, requires_grad)
    made = data.detach().requires_grad_(requires_grad)
    if type(made) is not type(data):
        raise RuntimeError(
            f"{name}: detach() of {type(data).__name__} must return the same class;"
            f" got {type(made).__name__}"
        )
    setattr(made, cls._mark, True)
    return made


def _attributes(tensor: Tensor) -> dict[str, Any] | None:
    return dict(tensor.__dict__) or None


def _rebuild(cls: type[Parameter], data: Tensor, requires_grad: bool) -> Parameter:
    return cls(data, requires_grad)
