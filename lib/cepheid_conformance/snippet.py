"""Prints a call as lines to paste: the public API only, values bit for bit."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from .doors import call_text
from .dtypes import DTYPES
from .op_spec import OpSpec
from .sample import Sample
from .tensors import Tensor

_MAX_VALUES = 64


def snippet(spec: OpSpec, sample: Sample, variant: str, device: str = "cpu") -> str:
    """Python lines that make the arguments and print the result. `torch` is the candidate."""
    lines = ["import base64, operator, zlib", "import torch"]
    names: dict[str, str] = {}
    for argument in spec.args:
        if argument.name in sample.values:
            value = sample.values[argument.name]
            names[argument.name] = _expression(lines, argument.name, value, argument.type, device)
    if sample.seed is not None:
        lines.append(f"torch.manual_seed({sample.seed})")
    if variant == "out":
        lines.append("out = torch.empty(0)  # of the result's dtype")
    lines.append(f"print({call_text(spec, variant, names)})")
    return "\n".join(lines)


def _expression(lines: list[str], name: str, value: Any, schema_type: str, device: str) -> str:
    bare = schema_type.rstrip("?")
    if value is not None and bare in ("ScalarType", "MemoryFormat"):
        return f"torch.{value}"
    if bare == "Device":
        return repr(device if value == "same" else value)
    if value is not None and bare == "Generator":
        return f"torch.Generator().manual_seed({value})"
    if isinstance(value, Tensor):
        variable = name if name != "self" else "x"
        lines.append(f"{variable} = {tensor_text(value, device)}")
        return variable
    if isinstance(value, list):
        items = [
            _expression(lines, f"{name}{number}", item, "", device)
            for number, item in enumerate(value)
        ]
        return f"[{', '.join(items)}]"
    if isinstance(value, float) and not np.isfinite(value):
        return f"float('{value}')"
    return repr(value)


def tensor_text(tensor: Tensor, device: str = "cpu") -> str:
    """An expression that makes the tensor, by its bytes where its values aren't short."""
    if device == "meta":
        text = f"torch.empty({tensor.elements()}, dtype=torch.{tensor.dtype}, device='meta')"
        return f"{text}.as_strided({tensor.shape}, {tensor.element_strides()}, {tensor.offset})"
    info = DTYPES[tensor.dtype]
    if tensor.data.size > _MAX_VALUES:
        return _packed_text(tensor)
    plain = tensor.data.ravel()
    if (info.itemsize == 1 and info.is_floating) or tensor.data.size == 0:
        text = f"torch.tensor({plain.tolist()}).to(torch.{tensor.dtype})"
    else:
        text = f"torch.tensor({_numbers(plain)}, dtype=torch.{tensor.dtype})"
    if tensor.strides is None and not tensor.offset:
        shape = "" if tensor.shape == (tensor.data.size,) else f".reshape({tensor.shape})"
        return text + shape
    return _strided_text(tensor)


def _strided_text(tensor: Tensor) -> str:
    flat = np.zeros(tensor.elements(), tensor.data.dtype)
    if tensor.data.size:
        item = flat.dtype.itemsize
        view = np.lib.stride_tricks.as_strided(
            flat[tensor.offset :],
            tensor.shape,
            [stride * item for stride in tensor.element_strides()],
        )
        view[...] = tensor.data
    place = f"{tensor.shape}, {tensor.element_strides()}, {tensor.offset}"
    return f"torch.tensor({_numbers(flat)}, dtype=torch.{tensor.dtype}).as_strided({place})"


def _numbers(values: Any) -> str:
    text = repr(values.tolist())
    return text.replace("nan", "float('nan')").replace("inf", "float('inf')")


def _packed_text(tensor: Tensor) -> str:
    """The storage's bytes, compressed: exact whatever the size."""
    packed = base64.b64encode(zlib.compress(tensor.storage_bytes())).decode()
    raw = f"bytearray(zlib.decompress(base64.b64decode('{packed}')))"
    text = f"torch.frombuffer({raw}, dtype=torch.{tensor.dtype})"
    return f"{text}.as_strided({tensor.shape}, {tensor.element_strides()}, {tensor.offset})"
