"""Fixed regression examples: drawn calls that once failed, run before anything is drawn."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..doors import plain_variant
from ..dtypes import DTYPES, Array, round_to
from ..op_spec import OpSpec
from ..sample import Sample
from ..tensors import Tensor
from .calls import Call, describe
from .values import fill

FILE = Path(__file__).with_name("examples.toml")
_FIELDS = {"op", "dtypes", "why", "args"}
_TENSOR_FIELDS = {"values", "plain", "shape", "strides", "offset", "extra", "dtype"}


@cache
def load(path: Path = FILE) -> tuple[dict[str, Any], ...]:
    """Read and check the file."""
    entries = tuple(tomllib.loads(path.read_text()).get("example", ()))
    for entry in entries:
        unknown = set(entry) - _FIELDS - {"seed"}
        if unknown or not set(entry) >= _FIELDS or len(entry["why"]) < 10:
            raise ValueError(f"{path.name}: an example has {sorted(_FIELDS)}; got {entry}")
        if not set(entry["dtypes"]) <= set(DTYPES):
            raise ValueError(f"{path.name}: dtypes must be known; got {entry['dtypes']}")
    return entries


def examples_of(spec: OpSpec, dtype: str) -> list[Call]:
    """The examples of one op and dtype."""
    return [
        _call(entry, spec, dtype)
        for entry in load()
        if entry["op"] == spec.key and dtype in entry["dtypes"]
    ]


def _call(entry: dict[str, Any], spec: OpSpec, dtype: str) -> Call:
    given = {name: _value(value, dtype) for name, value in entry["args"].items()}
    values = spec.in_order(given)
    if len(values) != len(given):
        raise ValueError(f"examples: arguments of {spec.key} must be in its schema; got {given}")
    note = f"example: {describe(values)}"
    return Call(Sample(values, note, entry.get("seed")), plain_variant(spec))


def _value(value: Any, dtype: str) -> Any:
    if isinstance(value, list):
        return [_value(item, dtype) for item in value]
    return _tensor(value, dtype) if isinstance(value, dict) else value


def _tensor(entry: dict[str, Any], dtype: str) -> Tensor:
    """A tensor from its values in order; numbers that TOML lacks are strings ("nan", "1-0j")."""
    if not set(entry) <= _TENSOR_FIELDS:
        raise ValueError(f"examples: a tensor has {sorted(_TENSOR_FIELDS)}; got {sorted(entry)}")
    name = entry.get("dtype", dtype)
    strides = entry.get("strides")
    return Tensor(
        name,
        _data(entry, name),
        None if strides is None else tuple(strides),
        entry.get("offset", 0),
        entry.get("extra", 0),
        "contiguous" if strides is None else f"strides {strides}",
    )


def _data(entry: dict[str, Any], dtype: str) -> Array:
    """The values given, over again as often as the shape needs, or 1, 2, 3, 1, ... for `plain`."""
    info = DTYPES[dtype]
    if entry.get("plain"):
        return fill(info, tuple(entry["shape"]), "any", "plain", 0, 0)
    numbers = [_number(item) for item in entry["values"]]
    shape = entry.get("shape", (len(numbers),))
    if math.prod(shape) % len(numbers):
        raise ValueError(f"examples: {len(numbers)} values must divide the shape {shape}")
    values = np.resize(np.array(numbers).astype(info.carrier), shape)
    return round_to(values, info) if info.is_inexact else values


def _number(item: Any) -> Any:
    if not isinstance(item, str):
        return item
    return complex(item) if "j" in item else float(item)
