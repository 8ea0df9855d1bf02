"""`python caller.py SEED COUNT LOG`: random calls of everything that a schema or the type offers.

Each call is written to LOG before it is made, so that LOG holds the culprit of a crash. Prints a
line for every answer that no argument may cause: SystemError, an internal error, a C++ exception.
"""

from __future__ import annotations

import json
import random
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arguments import Arguments

import cepheid as torch
from cepheid import _C

OPS: list[dict[str, Any]] = json.loads(
    next(file for at in torch.__path__ if (file := Path(at) / "schemas.json").is_file()).read_text()
)["ops"]
METHODS = sorted(set(dir(torch.Tensor)) - {"__class__", "__init_subclass__", "__subclasshook__"})
NAMES = """tensor as_tensor asarray from_numpy frombuffer from_dlpack promote_types result_type
    can_cast is_tensor Size UntypedStorage device Generator dtype layout memory_format OpOverload
    Tensor _TensorMeta _dispatch_keys _has_torch_function _has_torch_function_unary
    _has_torch_function_variadic _handle_torch_function _rebuild_generator _rebuild_meta_tensor
    _rebuild_storage _rebuild_tensor _to_dlpack _torch_dispatch_mode_at _torch_function_mode_at
    _get_op _overloads _library_define _library_undefine _library_remove""".split()
TEXTS = ["aten::add.Tensor", "aten::nope", "x::y", "a", "", "\0", "CPU"]
# What a call may raise; any other class ends the run.
ANSWERS = (
    TypeError, ValueError, RuntimeError, LookupError, ArithmeticError, AttributeError, MemoryError,
    BufferError,
)  # fmt: skip
FORBIDDEN = ("internal", "bad_alloc", "std::")


@dataclass
class Call:
    name: str
    function: Callable[..., Any]
    args: list[Any]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        parts = [describe(a) for a in self.args]
        parts += [f"{k!a}={describe(v)}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(parts)})"


def describe(value: Any, depth: int = 0) -> str:
    if isinstance(value, torch.Tensor):
        with _C.DisableTorchFunction():  # and attributes may hide methods
            strides = torch.Tensor.stride(value)
            geometry = f"{tuple(value.shape)}, {strides}, {value.dtype}, {value.device}"
        return f"{type(value).__name__}<{geometry}>"
    if type(value) in (list, tuple):
        return f"[{', '.join(describe(v, depth + 1) for v in value[:6])}]" if depth < 3 else "[...]"
    return f"{value!a:.80}"


def schema_arguments(draw: Arguments, op: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    rng = draw.rng
    for argument in op["args"]:
        value = draw.value(argument["type"])
        if argument["kwarg_only"] or (argument["has_default"] and rng.random() < 0.4):
            if rng.random() < 0.35:
                kwargs[argument["name"]] = value
        elif kwargs:
            kwargs[argument["name"]] = value
        else:
            args.append(value)
    if rng.random() < 0.03 and args:
        args.pop()
    if rng.random() < 0.03:
        args.append(draw.hostile())
    if rng.random() < 0.03:
        kwargs[rng.choice(["dim", "input", "self", "dtype", "\ud800"])] = draw.hostile()
    return args, kwargs


def function_call(draw: Arguments) -> Call | None:
    op = draw.rng.choice(OPS)
    module = op["module"] or "functions"
    function = getattr(getattr(_C, module), op["name"].removeprefix(f"{op['module']}_"), None)
    args, kwargs = schema_arguments(draw, op)
    if draw.rng.random() < 0.15:
        kwargs["out"] = draw.tensor() if draw.rng.random() < 0.8 else (draw.tensor(), draw.tensor())
    return Call(f"{module}.{op['name']}", function, args, kwargs) if function else None


def method_call(draw: Arguments) -> Call | None:
    op = draw.rng.choice(OPS)
    name = op["name"] + draw.rng.choice(["", "_"])
    tensor = draw.tensor()
    function = getattr(type(tensor), name, None)
    args, kwargs = schema_arguments(draw, op)
    return Call(f"Tensor.{name}", function, [tensor, *args[1:]], kwargs) if function else None


def overload_call(draw: Arguments) -> Call:
    op = draw.rng.choice(OPS)
    qualified = f"aten::{op['name']}" + (f".{op['overload']}" if op["overload"] else "")
    overload = _C._get_op(qualified)
    args, kwargs = schema_arguments(draw, op)
    if draw.rng.random() < 0.8:
        return Call(qualified, overload, args, kwargs)
    keys = draw.rng.choice([["CPU"], ["Meta"], ["Python"], ["CUDA"], [], [5], None, "CPU"])
    return Call(f"{qualified}.redispatch", overload.redispatch, [keys, *args], kwargs)


def attribute_call(draw: Arguments) -> Call:
    name, tensor = draw.rng.choice(METHODS), draw.tensor()
    kinds = [draw.tensor, draw.hostile, draw.integer, lambda: torch.float64, lambda: "cpu"]
    args = [draw.rng.choice(kinds)() for _ in range(draw.rng.randrange(3))]
    if draw.rng.random() < 0.1:
        return Call("setattr", setattr, [tensor, name, draw.hostile()])

    def use(tensor: torch.Tensor, *args: Any) -> Any:
        found = getattr(tensor, name)
        return found(*args) if callable(found) else found

    return Call(name, use, [tensor, *args])


def index_call(draw: Arguments) -> Call:
    tensor, index = draw.tensor(), draw.index()
    if draw.rng.random() < 0.1:
        index = draw.hostile()
    if draw.rng.random() < 0.5:
        return Call("getitem", lambda t, i: t[i], [tensor, index])
    value = draw.rng.choice([draw.tensor, draw.hostile, draw.integer])()
    return Call("setitem", lambda t, i, v: t.__setitem__(i, v), [tensor, index, value])


def module_call(draw: Arguments) -> Call:
    name, rng = draw.rng.choice(NAMES), draw.rng
    kinds: list[Callable[[], Any]] = [
        draw.hostile, draw.tensor, draw.integer, draw.integers, lambda: torch.int64,
        lambda: rng.choice(TEXTS),
    ]  # fmt: skip
    kwargs = {}
    if rng.random() < 0.3:
        kwargs[rng.choice(["dtype", "device", "copy", "count", "offset"])] = rng.choice(kinds)()
    args = [rng.choice(kinds)() for _ in range(rng.randrange(5))]
    return Call(name, getattr(_C, name), args, kwargs)


KINDS: list[tuple[Callable[[Arguments], Call | None], int]] = [
    (function_call, 35), (method_call, 20), (overload_call, 15), (attribute_call, 12),
    (index_call, 10), (module_call, 8),
]  # fmt: skip


def make(call: Call, draw: Arguments) -> str | None:
    """Makes the call; the text of an answer that must not be, or None."""
    try:
        result = call.function(*call.args, **call.kwargs)
        if isinstance(result, torch.Tensor) and torch.Tensor.numel(result) < 10_000:
            draw.keep(result)
    except SystemError as error:
        return f"SystemError: {error}"
    except ANSWERS as error:
        message = f"{type(error).__name__}: {error}"
        return message if any(word in message for word in FORBIDDEN) else None
    return None


def main(seed: int, count: int, log: Path) -> None:
    warnings.simplefilter("ignore")
    rng = random.Random(seed)
    draw = Arguments(rng, hostility=0.1 if seed % 2 else 0.015)
    functions, weights = zip(*KINDS, strict=True)
    with log.open("w") as file:
        for number in range(count):
            call = rng.choices(functions, weights)[0](draw)
            if call is None:
                continue
            text = call.text()
            file.seek(0)
            file.truncate()
            file.write(f"seed {seed}, call {number}: {text}")
            file.flush()
            if bad := make(call, draw):
                print(ascii(f"{text} -> {bad}"), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
