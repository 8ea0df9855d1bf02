"""Builds call scripts: judge-side values become steps and raw bytes."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np

from .dtypes import DTYPES, encode
from .tensors import Tensor

_NAMED_TYPES = {
    "ScalarType": "dtype",
    "Device": "device",
    "Layout": "layout",
    "MemoryFormat": "memory_format",
}


class Ref:
    """The result of an earlier call, or one item of it."""

    def __init__(self, key: int, item: int | None = None) -> None:
        self.key = key
        self.item = item


class Script:
    """A list of steps with the bytes they need; ids count up from 0."""

    def __init__(self, device: str = "cpu") -> None:
        self.device = device
        self.steps: list[dict[str, Any]] = []
        self.chunks: list[bytes] = []
        self.size = 0
        self.made: dict[int, int] = {}  # id(Tensor) -> script id
        self.elsewhere: dict[int, str] = {}  # id(Tensor) -> a device other than the script's
        self.kept: list[Tensor] = []  # keeps those objects alive while their id() is a key
        self._next = 0

    def placed(self, start: int) -> list[dict[str, Any]]:
        """The steps, with the places of their bytes moved by `start`."""
        placed = []
        for step in self.steps:
            moved = step
            if step.get("data") is not None:
                moved = {**step, "data": [step["data"][0] + start, step["data"][1]]}
            if step["do"] == "poke":
                pieces = [[to, [at + start, size]] for to, (at, size) in step["pieces"]]
                moved = {**step, "pieces": pieces}
            placed.append(moved)
        return placed

    def tensor(self, tensor: Tensor, base: int | None = None) -> int:
        """Make the tensor once; the same object always gives the same id."""
        if id(tensor) in self.made:
            return self.made[id(tensor)]
        key = self._new_id()
        device = self.elsewhere.get(id(tensor), self.device)
        on_host = device == "cpu"
        self.steps.append(
            {
                "do": "make",
                "id": key,
                "dtype": tensor.dtype,
                "elements": tensor.elements(),
                "device": device,
                "base": base,
                "shape": tensor.shape,
                "strides": tensor.element_strides(),
                "offset": tensor.offset,
                "data": self._put(tensor.storage_bytes()) if on_host and base is None else None,
            }
        )
        self.made[id(tensor)] = key
        self.kept.append(tensor)
        return key

    def write(self, key: int, tensor: Tensor) -> None:
        """New bytes into the storage of a made tensor."""
        self.steps.append({"do": "write", "id": key, "data": self._put(tensor.storage_bytes())})

    def sparse(self, tensor: Tensor) -> int:
        """Make a tensor over a storage of which only its own elements are written: one that is
        far too large to be sent or touched whole."""
        key = self.fresh(tensor)
        raw = np.ascontiguousarray(encode(tensor.data, tensor.info))
        places = itertools.product(*map(range, tensor.shape))
        pieces = []
        for index in places:
            element = tensor.offset + sum(map(operator.mul, index, tensor.element_strides()))
            pieces.append([element * tensor.info.itemsize, self._put(raw[index].tobytes())])
        self.steps.append({"do": "poke", "id": key, "pieces": pieces})
        return key

    def fresh(self, tensor: Tensor) -> int:
        """Make a tensor of this layout whose storage is left as it comes."""
        key = self._new_id()
        step = {"do": "make", "id": key, "dtype": tensor.dtype, "elements": tensor.elements()}
        step |= {"device": self.device, "base": None, "shape": tensor.shape, "data": None}
        step |= {"strides": tensor.element_strides(), "offset": tensor.offset}
        self.steps.append(step)
        self.made[id(tensor)] = key
        self.kept.append(tensor)
        return key

    def seed(self, value: int) -> None:
        """Seed the candidate's default generator."""
        self.steps.append({"do": "seed", "value": value})

    def poison(self, sizes: list[int], pattern: int) -> None:
        """Leave freed memory of these sizes filled with a pattern."""
        self.steps.append({"do": "poison", "sizes": sizes, "pattern": pattern})

    def read(self, ref: int | Ref) -> None:
        """Report facts about an object as it is at this point."""
        self.steps.append(
            {"do": "read", "of": self.encode(ref if isinstance(ref, Ref) else Ref(ref))}
        )

    def call(
        self,
        via: str,
        name: str,
        args: list[Any],
        kwargs: dict[str, Any] | None = None,
        may_fail: bool = False,
    ) -> int:
        """Call with already encoded arguments; returns the id of the result."""
        key = self._new_id()
        step = {"do": "call", "id": key, "via": via, "name": name, "args": args}
        step["kwargs"] = kwargs or {}
        if may_fail:
            step["may_fail"] = True
        self.steps.append(step)
        return key

    def load(self, calls: list[dict[str, Any]], threads: int) -> None:
        """Threads that make these calls until the script ends."""
        self.steps.append({"do": "load", "calls": calls, "threads": threads})

    def threads(self, count: int) -> None:
        """Set the number of threads until the script ends."""
        self.steps.append({"do": "threads", "count": count})

    def repeat(self, call: dict[str, Any], count: int, seed: int | None = None) -> None:
        """Make a call many times, seeded each time; reports a digest of each result."""
        self.steps.append({"do": "repeat", "call": call, "count": count, "seed": seed})

    def stand_in(self, tensor: Tensor) -> int:
        """An id for a slice of a batch, in place of the tensor: calls inside `vmap` get it."""
        key = self._new_id()
        self.made[id(tensor)] = key
        self.kept.append(tensor)
        return key

    def vmap(
        self, call: dict[str, Any], slices: list[int], wholes: list[int], levels: int,
        **options: Any,
    ) -> int:  # fmt: skip
        """Make a call on all slices of batches, by so many levels of vmap with these options."""
        key = self._new_id()
        step = {"do": "vmap", "id": key, "call": call, "slices": slices, "wholes": wholes}
        self.steps.append({**step, "levels": levels, "options": options})
        return key

    def growth(self, call: dict[str, Any], count: int, rounds: int) -> None:
        """Report what rounds of a call leave behind: heap bytes and Python blocks of each."""
        self.steps.append({"do": "growth", "call": call, "count": count, "rounds": rounds})

    def peak(self, call: dict[str, Any]) -> None:
        """Report by how many bytes a call raised the highest resident size."""
        self.steps.append({"do": "peak", "call": call})

    def encode(self, value: Any, schema_type: str = "") -> Any:
        """An argument as JSON. `schema_type` tells a dtype's name from a string."""
        bare = schema_type.rstrip("?")
        if bare == "Device" and value == "same":
            value = self.device
        if value is not None and bare in _NAMED_TYPES:
            return {_NAMED_TYPES[bare]: value}
        if bare == "Generator" and value is not None:
            key = self._new_id()
            self.steps.append({"do": "generator", "id": key, "value": value})
            return {"t": key}
        if isinstance(value, Tensor):
            return {"t": self.tensor(value)}
        if isinstance(value, Ref):
            return {"t": value.key} if value.item is None else {"item": [value.key, value.item]}
        if isinstance(value, float):
            return {"float": value.hex()}
        if isinstance(value, complex):
            return {"complex": [value.real.hex(), value.imag.hex()]}
        if isinstance(value, list):
            return [self.encode(item) for item in value]
        if isinstance(value, tuple):
            return {"tuple": [self.encode(item) for item in value]}
        if isinstance(value, slice):
            parts = (value.start, value.stop, value.step)
            return {"slice": [self.encode(part) for part in parts]}
        if value is Ellipsis:
            return {"is": "ellipsis"}
        if isinstance(value, str) and value in DTYPES and not schema_type:
            return {"dtype": value}
        return value

    def _new_id(self) -> int:
        self._next += 1
        return self._next - 1

    def _put(self, data: bytes) -> list[int]:
        place = [self.size, len(data)]
        self.chunks.append(data)
        self.size += len(data)
        return place
