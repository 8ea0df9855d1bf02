"""The elements of a tensor as bit patterns and as Python numbers, read and written in its storage.

No operation of the implementation takes part, and no version counter moves. Elements come in
logical order, whatever the strides.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import struct
from array import array
from collections.abc import Callable, Sequence
from typing import Any

_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
FLOAT_FORMATS = {"float16": (16, 10), "bfloat16": (16, 7), "float32": (32, 23), "float64": (64, 52)}
COMPLEX_PARTS = {"complex64": "float32", "complex128": "float64"}
INTEGER_BITS = {
    f"{sign}int{bits}": (bits, not sign) for sign in ("", "u") for bits in (8, 16, 32, 64)
}


def dtype_name(tensor: Any) -> str:
    """`float32` for `torch.float32`."""
    return str(tensor.dtype).rpartition(".")[2]


def has_memory(tensor: Any) -> bool:
    """Whether the elements can be read here."""
    return str(tensor.device) == "cpu" and tensor.numel() > 0


def part_of(name: str) -> str:
    """The dtype of the parts of a complex dtype; any other is its own part."""
    return COMPLEX_PARTS.get(name, name)


def places(tensor: Any) -> list[int]:
    """Element offsets from the first element, in logical order."""
    shape, strides = list(tensor.shape), list(tensor.stride())
    steps = [
        [index * stride for index in range(size)]
        for size, stride in zip(shape, strides, strict=True)
    ]
    if not steps:
        return [0]
    if len(steps) == 1:
        return steps[0]
    return [sum(combination) for combination in itertools.product(*steps)]


def _memory(tensor: Any, found: Sequence[int]) -> tuple[int, int]:
    """Address and length in bytes of what the elements span."""
    item = tensor.element_size()
    start = tensor.untyped_storage().data_ptr() + tensor.storage_offset() * item
    return start, (max(found) + 1) * item


def _width(tensor: Any) -> tuple[int, str]:
    """Parts per element, and the array code of a part."""
    parts = 2 if dtype_name(tensor) in COMPLEX_PARTS else 1
    return parts, _CODES[tensor.element_size() // parts]


def read_bits(tensor: Any) -> list[int]:
    """Bit patterns in logical order; a complex element is two, real part first."""
    found = places(tensor)
    address, length = _memory(tensor, found)
    parts, code = _width(tensor)
    memory = array(code, ctypes.string_at(address, length))
    if parts == 1:
        return [memory[place] for place in found]
    return [memory[2 * place + part] for place in found for part in (0, 1)]


def write_bits(tensor: Any, bits: Sequence[int]) -> None:
    """The reverse of `read_bits`; bytes between the elements stay."""
    found = places(tensor)
    address, length = _memory(tensor, found)
    parts, code = _width(tensor)
    memory = array(code, ctypes.string_at(address, length))
    values = iter(bits)
    for place in found:
        for part in range(parts):
            memory[parts * place + part] = next(values)
    ctypes.memmove(address, memory.tobytes(), length)


def edit_bits(tensor: Any, change: Callable[[list[int]], list[int]]) -> None:
    """Replace the elements by what `change` makes of their bit patterns."""
    if has_memory(tensor):
        write_bits(tensor, change(read_bits(tensor)))


def storage_bits(tensor: Any) -> list[int]:
    """Bit patterns of the whole storage, in the order of memory."""
    storage = tensor.untyped_storage()
    _, code = _width(tensor)
    size = storage.nbytes() // array(code).itemsize * array(code).itemsize
    return list(array(code, ctypes.string_at(storage.data_ptr(), size)))


def write_storage(tensor: Any, memory: Sequence[int]) -> None:
    """The reverse of `storage_bits`."""
    _, code = _width(tensor)
    content = array(code, memory).tobytes()
    ctypes.memmove(tensor.untyped_storage().data_ptr(), content, len(content))


def decode(bits: int, name: str) -> Any:
    """The number that a bit pattern of a real dtype stands for."""
    if name == "float64":
        return struct.unpack("<d", struct.pack("<Q", bits))[0]
    if name == "float32":
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    if name == "bfloat16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    if name == "float16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    if name == "bool":
        return bits != 0
    width, signed = INTEGER_BITS[name]
    return bits - (1 << width) if signed and bits >> (width - 1) else bits


def encode(value: Any, name: str) -> int:
    """The bit pattern of a number: floats round to nearest even, integers wrap."""
    if name == "float64":
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    if name in ("float32", "bfloat16"):
        bits = _single(value)
        return bits if name == "float32" else _upper_half(bits)
    if name == "float16":
        return _half(value)
    if name == "bool":
        return int(bool(value))
    return int(value) & ((1 << INTEGER_BITS[name][0]) - 1)


def _single(value: float) -> int:
    try:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def _half(value: float) -> int:
    try:
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def _upper_half(bits: int) -> int:
    if bits & 0x7FFFFFFF > 0x7F800000:
        return bits >> 16 | 0x40
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def can_decode(name: str) -> bool:
    """Whether elements of a dtype can be had as Python numbers."""
    part = part_of(name)
    return part in FLOAT_FORMATS or part in INTEGER_BITS or part == "bool"


def read_numbers(tensor: Any) -> list[Any]:
    """Elements in logical order as Python numbers; complex elements as pairs of parts."""
    name = part_of(dtype_name(tensor))
    return [decode(bits, name) for bits in read_bits(tensor)]


def write_numbers(tensor: Any, values: Sequence[Any]) -> None:
    """The reverse of `read_numbers`."""
    name = part_of(dtype_name(tensor))
    write_bits(tensor, [encode(value, name) for value in values])


def edit_numbers(tensor: Any, change: Callable[[Any], Any]) -> None:
    """Replace each element, or each part of a complex one, by `change` of it."""
    if has_memory(tensor) and can_decode(dtype_name(tensor)):
        write_numbers(tensor, [change(value) for value in read_numbers(tensor)])


def round_to(value: float, name: str) -> float:
    """A number as a floating dtype holds it."""
    return float(decode(encode(value, name), name))


def nudge(bits: int, name: str, steps: int) -> int:
    """A finite non-zero float moved away from zero by `steps` units in the last place."""
    width, mantissa = FLOAT_FORMATS[name]
    sign = bits >> (width - 1) << (width - 1)
    magnitude = bits ^ sign
    infinity = ((1 << (width - 1 - mantissa)) - 1) << mantissa
    if magnitude == 0 or magnitude >= infinity:
        return bits
    return sign | min(magnitude + steps, infinity - 1)


def is_finite(value: Any) -> bool:
    """Whether a real number is neither infinite nor NaN."""
    return not isinstance(value, float) or math.isfinite(value)
