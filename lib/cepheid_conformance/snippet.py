"""Prints a call script as lines of Python to paste: public API only, values bit for bit."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from .dtypes import DTYPES, DType, decode
from .script import Script
from .tensors import contiguous_strides

_MAX_VALUES = 64  # longer storages are printed as compressed bytes


def snippet(script: Script) -> str:
    """The script as Python. `torch` is the candidate; `t<n>` are inputs, `r<n>` results."""
    lines = ["import base64, operator, zlib", "import torch"]
    payload = b"".join(script.chunks)
    makes = {step["id"]: step for step in script.steps if step["do"] == "make"}
    for step in script.steps:
        lines += _STEPS[step["do"]](step, payload, makes)
    return "\n".join(lines)


def _bytes(step: dict[str, Any], payload: bytes) -> bytes:
    start, size = step["data"]
    return payload[start : start + size]


def _make(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    key, base = step["id"], step["base"]
    place = f"{tuple(step['shape'])}, {tuple(step['strides'])}, {step['offset']}"
    if base is not None:
        return [f"t{key} = s{base}.as_strided({place})"]
    if step["data"] is None:
        made = f"dtype=torch.{step['dtype']}, device={step['device']!r}"
        root = f"torch.empty({step['elements']}, {made})"
    else:
        root = storage_text(_bytes(step, payload), DTYPES[step["dtype"]])
    plain = tuple(step["shape"]) == (step["elements"],) and tuple(
        step["strides"]
    ) == contiguous_strides(tuple(step["shape"]))
    if plain and step["offset"] == 0:
        return [f"s{key} = t{key} = {root}"]
    return [f"s{key} = {root}", f"t{key} = s{key}.as_strided({place})"]


def storage_text(raw: bytes, info: DType) -> str:
    """An expression for a flat tensor of these bytes."""
    values = decode(np.frombuffer(raw, info.stored), info)
    if len(values) > _MAX_VALUES:
        packed = base64.b64encode(zlib.compress(raw)).decode()
        data = f"bytearray(zlib.decompress(base64.b64decode('{packed}')))"
        return f"torch.frombuffer({data}, dtype=torch.{info.name})"
    numbers = repr(values.tolist()).replace("nan", "float('nan')").replace("inf", "float('inf')")
    if info.itemsize == 1 and info.is_floating:
        return f"torch.tensor({numbers}, dtype=torch.float32).to(torch.{info.name})"
    return f"torch.tensor({numbers}, dtype=torch.{info.name})"


def _write(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    key = step["id"]
    values = storage_text(_bytes(step, payload), DTYPES[makes[key]["dtype"]])
    return [f"s{key}.copy_({values})"]


def _seed(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    return [f"torch.manual_seed({step['value']})"]


def _generator(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    return [f"r{step['id']} = torch.Generator().manual_seed({step['value']})"]


def _poison(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    sizes, pattern = step["sizes"], step["pattern"]
    return [f"[torch.full((n,), {pattern}, dtype=torch.uint8) for n in {sizes} for _ in 'ab']"]


def _read(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    return [f"print({_text(step['of'], makes)})"]


def _call(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    result = f"r{step['id']}"
    return [f"{result} = {_expression(step, makes)}", f"print({result})"]


def _vmap(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    names = ", ".join(f"r{key}" for key in step["slices"])
    function = f"lambda {names}: {_expression(step['call'], makes)}"
    options = ", ".join(f"{name}={value!r}" for name, value in step["options"].items())
    for _ in range(step["levels"]):
        function = f"torch.func.vmap({function}, {options})"
    result = f"r{step['id']}"
    wholes = ", ".join(f"t{key}" for key in step["wholes"])
    return [f"{result} = {function}({wholes})", f"print({result})"]


def _expression(step: dict[str, Any], makes: dict[int, Any]) -> str:
    args = [_text(argument, makes) for argument in step["args"]]
    args += [f"{name}={_text(value, makes)}" for name, value in step["kwargs"].items()]
    if step["via"] == "attribute":
        return f"{args[0]}.{step['name']}"
    if step["via"] == "method":
        target = f"{args.pop(0)}.{step['name']}"
    else:
        target = f"{'operator' if step['via'] == 'operator' else 'torch'}.{step['name']}"
    return f"{target}({', '.join(args)})"


def _text(value: Any, makes: dict[int, Any]) -> str:
    """An encoded argument as an expression."""
    if isinstance(value, list):
        return f"[{', '.join(_text(item, makes) for item in value)}]"
    if not isinstance(value, dict):
        return repr(value)
    ((kind, content),) = value.items()
    if kind == "t":
        return f"{'t' if content in makes else 'r'}{content}"
    if kind == "item":
        return f"r{content[0]}[{content[1]}]"
    if kind == "float":
        number = float.fromhex(content)
        return repr(number) if np.isfinite(number) else f"float('{number}')"
    if kind == "complex":
        return f"complex({', '.join(_text({'float': part}, makes) for part in content)})"
    if kind in ("tuple", "slice"):
        parts = [_text(item, makes) for item in content]
        inside = ", ".join(parts) if kind == "slice" else "".join(f"{part}, " for part in parts)
        return f"slice({inside})" if kind == "slice" else f"({inside})"
    if kind == "is":
        return "..."
    return repr(content) if kind == "device" else f"torch.{content}"


def _poke(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    make = makes[step["id"]]
    info, lines = DTYPES[make["dtype"]], []
    for offset, (start, size) in step["pieces"]:
        values = storage_text(payload[start : start + size], info)
        first = offset // info.itemsize
        lines.append(f"s{step['id']}[{first}:{first + size // info.itemsize}] = {values}")
    return lines


def _threads(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    return [f"torch.set_num_threads({step['count']})"]


def _load(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    lines = ["import threading"]
    for number in range(step["threads"]):
        called = _expression(step["calls"][number % len(step["calls"])], makes)
        run = f"lambda: [{called} for _ in range(1000)]"
        lines.append(f"threading.Thread(target={run}, daemon=True).start()")
    return lines


def _repeat(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    called = _expression(step["call"], makes)
    if step["seed"] is not None:
        called = f"(torch.manual_seed({step['seed']}), {called})[1]"
    return [f"print([{called} for _ in range({step['count']})])"]


def _growth(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    return [
        "import resource",
        f"for _ in range({step['count'] * step['rounds']}):",
        f"    {_expression(step['call'], makes)}",
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)",
    ]


def _peak(step: dict[str, Any], payload: bytes, makes: dict[int, Any]) -> list[str]:
    return _growth({"count": 1, "rounds": 1, **step}, payload, makes)


_STEPS = {
    "make": _make,
    "poke": _poke,
    "threads": _threads,
    "load": _load,
    "repeat": _repeat,
    "growth": _growth,
    "peak": _peak,
    "vmap": _vmap,
    "write": _write,
    "seed": _seed,
    "generator": _generator,
    "poison": _poison,
    "read": _read,
    "call": _call,
}
