"""Writes calls and what they must give as files, for implementations that Python can't reach.

    python -m cepheid_conformance.vectors FOLDER [-k TEXT] [--classes small special]

One file of JSON lines for each op; a line is a call: `op`, `schema`, `dtype`, `class`, `arguments`
by schema name, `seed`, and `results`. Bytes are little-endian and in base64.

- A tensor among the arguments: `dtype`, `shape`, `strides` and `offset` in elements, `storage`.
- Numbers that JSON lacks: `{"float": HEX}`, as C writes them in hexadecimal, or `nan` and `inf`;
  `{"complex": [HEX, HEX]}`.
- A result: `dtype`, `shape`, `rung`, and `value`, its elements rounded to the dtype. On the rungs
  `exact` and `rounded` they must be met bit for bit (any NaN for a NaN); on `ulp` and `bound` the
  real number is `high` + `low` (float64, parts of complex numbers interleaved), and a result may be
  off by `ulp` + 1/2 units in the last place of `value`, and by `bound` (float64) besides. Zeros at
  `any_zero_sign` (bool) may have either sign. On `free` only dtype and shape are determined.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import tolerances
from .dtypes import DTYPES, Array, encode, round_to
from .expected import BOUND, FREE, ULP, Expected
from .families import expected_of, samples_of
from .op_spec import OpSpec, load_specs
from .sample import CLASSES, Sample
from .tensors import Tensor


def vectors(spec: OpSpec, dtype: str, kind: str) -> Iterator[dict[str, Any]]:
    """The calls of one op, dtype and input class."""
    for sample in samples_of(spec, dtype, kind):
        if sample.or_error:
            continue  # whether it is refused is left open, which a vector can't say
        yield {
            "op": spec.key,
            "schema": spec.schema,
            "dtype": dtype,
            "class": kind,
            "note": sample.note,
            "arguments": {name: _argument(value) for name, value in sample.values.items()},
            "seed": sample.seed,
            "results": [_result(spec, dtype, each) for each in _expected(spec, sample)],
        }


def _expected(spec: OpSpec, sample: Sample) -> list[Expected]:
    with np.errstate(all="ignore"):
        return expected_of(spec, sample)


def _argument(value: Any) -> Any:
    if isinstance(value, Tensor):
        return {
            "dtype": value.dtype,
            "shape": value.shape,
            "strides": value.element_strides(),
            "offset": value.offset,
            "storage": _text(value.storage_bytes()),
        }
    if isinstance(value, (list, tuple)):
        return [_argument(item) for item in value]
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    return {"float": value.hex()} if isinstance(value, float) else value


def _result(spec: OpSpec, dtype: str, expected: Expected) -> dict[str, Any]:
    found: dict[str, Any] = {"dtype": expected.dtype, "shape": expected.shape, "rung": FREE}
    if expected.value is None or expected.rung == FREE:
        return found
    info = DTYPES[expected.dtype]
    value = np.asarray(expected.value)
    near = round_to(value, info) if info.is_inexact else value
    found |= {"rung": expected.rung, "value": _text(encode(near, info).tobytes())}
    if np.any(expected.any_zero_sign):
        found["any_zero_sign"] = _text(_spread(expected.any_zero_sign, value, np.bool_))
    if expected.rung in (ULP, BOUND):
        high, low = _parts(value)
        budget = tolerances.load().ulp(spec.key, dtype, "cpu") if expected.rung == ULP else 0.0
        found |= {"ulp": budget, "high": _text(high), "low": _text(low)}
        if expected.bound is not None:
            found["bound"] = _text(_spread(expected.bound, value, np.float64))
    return found


def _spread(facts: Array | float | bool, value: Array, dtype: Any) -> bytes:
    return np.broadcast_to(np.asarray(facts, dtype), value.shape).tobytes()


def _parts(value: Array) -> tuple[bytes, bytes]:
    """A wide number as the sum of two of float64; infinities and NaN stand in the first."""
    narrow: Any = np.complex128 if value.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        high = value.astype(narrow)
        low = np.where(np.isfinite(high), value - high, 0).astype(narrow)
    return high.tobytes(), low.tobytes()


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files; returns an exit status."""
    parser = argparse.ArgumentParser(prog="cepheid_conformance.vectors", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-k", dest="keyword", default="", help="part of the ops' names")
    parser.add_argument("--classes", nargs="+", choices=CLASSES, default=["small", "special"])
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = [spec for spec in load_specs().values() if options.keyword in spec.key]
    count = 0
    for spec in chosen:
        with (options.folder / f"{spec.key}.jsonl").open("w") as file:
            for dtype in spec.dtypes["cpu"]:
                for kind in options.classes:
                    for call in vectors(spec, dtype, kind):
                        file.write(json.dumps(call) + "\n")
                        count += 1
    print(f"{count} calls of {len(chosen)} ops in {options.folder}")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
