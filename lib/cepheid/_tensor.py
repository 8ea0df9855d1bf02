"""Methods of Tensor that need no C++; attached to the type when cepheid is imported."""

from __future__ import annotations

from typing import Any

from cepheid import _C
from cepheid._tensor_repr import tensor_repr


def _overridden(tensor: _C.Tensor) -> bool:
    return type(tensor) is not _C.Tensor and _C._has_torch_function_unary(tensor)


def tensor_text(self: _C.Tensor, *, tensor_contents: None = None) -> str:
    """The values, with what they don't show: device, dtype, size of an empty tensor."""
    if _overridden(self):
        return str(_C._handle_torch_function(_C.Tensor.__repr__, (self,), (self,), {}))
    return tensor_repr(self)


def tensor_format(self: _C.Tensor, spec: str) -> str:
    """A 0-dim tensor formats as its number, any other as its text."""
    if _overridden(self):
        return str(_C._handle_torch_function(_C.Tensor.__format__, (self,), (self, spec), {}))
    if self.dim() == 0 and self.device.type != "meta" and type(self) is _C.Tensor:
        return format(self.item(), spec)
    return object.__format__(self, spec)


def array_wrap(
    self: _C.Tensor, array: Any, context: object = None, return_scalar: bool = False
) -> _C.Tensor:
    """What NumPy makes of its result when a tensor was among its operands: a tensor."""
    return _C.from_numpy(array)


METHODS: dict[str, Any] = {
    "__repr__": tensor_text,
    "__format__": tensor_format,
    "__array_wrap__": array_wrap,
}
