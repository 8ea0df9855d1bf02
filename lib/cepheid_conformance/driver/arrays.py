"""Adapter for implementations without PyTorch's storage API whose tensors are arrays.

What is asked of such a module: `Tensor`, whose instances speak NumPy's array interface protocol
(`__array_interface__`, and `base` for views); dtypes by name; `empty(elements, dtype=, device=)`;
`as_strided(root, shape, strides, offset)` in elements. It has no version counters, which its
capability file has to say: `version_counters = false`.
"""

from __future__ import annotations

import ctypes
from typing import Any

from .adapter import TorchApi, spanned_bytes

_string_at = ctypes.string_at
_memmove = ctypes.memmove
_memset = ctypes.memset


class ArrayApi(TorchApi):
    """Tensors are read through the array interface; storages are the arrays that own memory."""

    def make_view(self, root: Any, shape: list[int], strides: list[int], offset: int) -> Any:
        """The root itself where that is meant: an array may be resized only where it owns."""
        if list(root.shape) == shape and strides == [1] and offset == 0:
            return root
        return self.module.as_strided(root, shape, strides, offset)

    def write(self, tensor: Any, data: bytes, offset: int = 0) -> None:
        """Overwrite the storage from a byte on."""
        pointer, size = _extent(tensor)
        if offset + len(data) > size:
            raise ValueError(f"driver: {len(data)} bytes don't fit {size} at {offset}")
        _memmove(pointer + offset, data, len(data))

    def storage_bytes(self, tensor: Any) -> bytes:
        """All bytes of the array that owns the memory."""
        return _string_at(*_extent(tensor))

    def version(self, tensor: Any) -> None:
        """Arrays count no writes."""

    def describe(self, tensor: Any) -> tuple[dict[str, Any], bytes]:
        """Facts about a tensor, and the bytes from its first to its last element."""
        interface = tensor.__array_interface__
        shape, item = list(interface["shape"]), tensor.itemsize
        storage, size = _extent(tensor)
        pointer = interface["data"][0]
        steps = interface["strides"] or _packed(shape, item)
        strides, offset = [step // item for step in steps], (pointer - storage) // item
        facts = {
            "kind": "tensor",
            "type": self.type_name(tensor),
            "dtype": self.dtype_names.get(tensor.dtype, str(tensor.dtype)),
            "shape": shape,
            "strides": strides,
            "offset": offset,
            "device": "cpu",
            "version": None,
            "storage": storage,
            "data_ptr": pointer,
            "nbytes": size,
        }
        return facts, spanned_bytes(storage, size, shape, strides, offset, item)

    def poison(self, sizes: list[int], pattern: int) -> None:
        """Fill memory of these sizes and free it, so that the next results are born in it."""
        held = [self.make_root("uint8", size, "cpu") for size in sizes for _ in "ab"]
        for tensor in held:
            pointer, size = _extent(tensor)
            _memset(pointer, pattern, size)


def _extent(tensor: Any) -> tuple[int, int]:
    """Address and size of the memory that a tensor is a view of."""
    owner = tensor
    while hasattr(getattr(owner, "base", None), "__array_interface__"):
        owner = owner.base
    interface = owner.__array_interface__
    size = owner.itemsize
    for length in interface["shape"]:
        size *= length
    return interface["data"][0], size


def _packed(shape: list[int], item: int) -> list[int]:
    strides = []
    for size in reversed(shape):
        strides.append(item)
        item *= max(size, 1)
    return strides[::-1]
