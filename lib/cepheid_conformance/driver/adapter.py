"""How the driver reaches tensors of one kind of implementation, through its public API only.

`TorchApi` serves every implementation with PyTorch's API. Bytes travel through
`untyped_storage().data_ptr()`, so neither NumPy nor a copy kernel of the candidate takes part.
"""

from __future__ import annotations

import ctypes
import importlib
from types import ModuleType
from typing import Any

DTYPE_NAMES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
    "complex64 complex128 float8_e4m3fn float8_e5m2"
).split()
_LAYOUT_NAMES = ("strided",)
_MEMORY_FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")

# Captured before the candidate is imported: a candidate that patches ctypes does not reach us.
_string_at = ctypes.string_at
_memmove = ctypes.memmove
_memset = ctypes.memset


def load_candidate(implementation: str) -> Any:
    """Import `pkg` or call `pkg:factory`, and return the adapter around the module it gives.

    Three ways to take part: PyTorch's tensor and storage API (`TorchApi`); arrays with NumPy's
    array interface (`arrays.ArrayApi`); or an adapter of the implementation's own, which its
    factory returns: an object with the public methods of `TorchApi`.
    """
    package, _, factory = implementation.partition(":")
    module: Any = importlib.import_module(package)
    if factory:
        module = getattr(module, factory)()
    if hasattr(module, "make_view"):
        return module
    if hasattr(module.Tensor, "__array_interface__") and not hasattr(
        module.Tensor, "untyped_storage"
    ):
        arrays: Any = importlib.import_module(".arrays", __package__)
        return arrays.ArrayApi(module)
    return TorchApi(module)


class TorchApi:
    """Adapter for an implementation with PyTorch's tensor and storage API."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.tensor_type = module.Tensor
        self.dtypes = {name: getattr(module, name) for name in DTYPE_NAMES if hasattr(module, name)}
        self.dtype_names = {dtype: name for name, dtype in self.dtypes.items()}

    def named(self, kind: str, name: str) -> Any:
        """A dtype, device, layout or memory format by its public name."""
        if kind == "dtype":
            return self.dtypes[name]
        if kind == "device":
            return self.module.device(name)
        if kind == "layout" and name in _LAYOUT_NAMES:
            return getattr(self.module, name)
        if kind == "memory_format" and name in _MEMORY_FORMATS:
            return getattr(self.module, name)
        raise ValueError(f"driver: no {kind} is called {name!r}")

    def make_root(self, dtype: str, elements: int, device: str) -> Any:
        """A fresh one-dimensional tensor that owns its storage."""
        return self.module.empty(elements, dtype=self.dtypes[dtype], device=device)

    def make_view(self, root: Any, shape: list[int], strides: list[int], offset: int) -> Any:
        """Any layout over a root, by `as_strided`."""
        return root.as_strided(shape, strides, offset)

    def write(self, tensor: Any, data: bytes, offset: int = 0) -> None:
        """Overwrite the storage from a byte on, behind the version counter's back."""
        storage = tensor.untyped_storage()
        if offset + len(data) > storage.nbytes():
            raise ValueError(f"driver: {len(data)} bytes don't fit {storage.nbytes()} at {offset}")
        if data:
            _memmove(storage.data_ptr() + offset, data, len(data))

    def set_threads(self, count: int) -> int:
        """Set the number of threads; returns the one before."""
        before: int = self.module.get_num_threads()
        self.module.set_num_threads(count)
        return before

    def storage_bytes(self, tensor: Any) -> bytes:
        """All bytes of the tensor's storage."""
        storage = tensor.untyped_storage()
        size = storage.nbytes()
        return _string_at(storage.data_ptr(), size) if size else b""

    def is_tensor(self, value: Any) -> bool:
        """Whether the value is a tensor of the implementation."""
        return isinstance(value, self.tensor_type)

    def version(self, tensor: Any) -> int | None:
        """Writes counted so far; None, if declared, where an implementation counts none."""
        return int(tensor._version)

    def type_name(self, tensor: Any) -> str:
        """`Tensor` for the implementation's own type alone, whatever a subclass calls itself."""
        if type(tensor) is self.tensor_type:
            return "Tensor"
        return f"{type(tensor).__name__}, a subclass of Tensor"

    def describe(self, tensor: Any) -> tuple[dict[str, Any], bytes]:
        """Facts about a tensor, and the bytes from its first to its last element."""
        if getattr(tensor, "_is_zerotensor", bool)():
            tensor = tensor.clone()  # zeros for which there is no memory: a copy has some
        shape, strides = list(tensor.shape), list(tensor.stride())
        offset, item = tensor.storage_offset(), tensor.element_size()
        device = str(tensor.device)
        facts = {
            "kind": "tensor",
            "type": self.type_name(tensor),
            "dtype": self.dtype_names.get(tensor.dtype, str(tensor.dtype)),
            "shape": shape,
            "strides": strides,
            "offset": offset,
            "device": device,
            "version": self.version(tensor),
            "requires_grad": bool(getattr(tensor, "requires_grad", False)),
            "is_leaf": bool(getattr(tensor, "is_leaf", True)),
            # What memory holds isn't the value of a tensor that conjugates or negates when read.
            "conj": _has_bit(tensor, "is_conj"),
            "neg": _has_bit(tensor, "is_neg"),
        }
        if device != "cpu":
            return facts, b""
        storage = tensor.untyped_storage()
        facts["storage"] = storage.data_ptr()
        facts["data_ptr"] = tensor.data_ptr()
        facts["nbytes"] = storage.nbytes()
        size = storage.nbytes()
        return facts, spanned_bytes(storage.data_ptr(), size, shape, strides, offset, item)

    def seed(self, value: int) -> None:
        """Seed the default generator."""
        self.module.manual_seed(value)

    def generator(self, seed: int) -> Any:
        """A generator of its own, seeded."""
        return self.module.Generator().manual_seed(seed)

    def poison(self, sizes: list[int], pattern: int) -> None:
        """Fill memory of these sizes and free it, so that the next results are born in it."""
        held = [self.module.empty(size, dtype=self.dtypes["uint8"]) for size in sizes for _ in "ab"]
        for tensor in held:
            storage = tensor.untyped_storage()
            _memset(storage.data_ptr(), pattern, storage.nbytes())


def _has_bit(tensor: Any, name: str) -> bool:
    asked = getattr(tensor, name, None)
    return bool(asked()) if callable(asked) else False


def spanned_bytes(
    storage: int, size: int, shape: list[int], strides: list[int], offset: int, item: int
) -> bytes:
    """The bytes from the first to the last element of a view; it must lie in its storage."""
    if 0 in shape:
        return b""
    last = offset + sum((length - 1) * step for length, step in zip(shape, strides, strict=True))
    if last < offset or (last + 1) * item > size:
        raise ValueError(
            f"driver: a tensor must lie in its storage; got shape {shape}, strides {strides}, "
            f"offset {offset} in {size} bytes of {item}-byte elements"
        )
    return _string_at(storage + offset * item, (last + 1 - offset) * item)
