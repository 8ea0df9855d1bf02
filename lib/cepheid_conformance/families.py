"""Finds the oracle, sample and error functions that op entries name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from .expected import Expected
from .op_spec import OpSpec
from .sample import Draw, ErrorSample, Sample


@cache
def _function(kind: str, family: str, name: str) -> Callable[..., Any]:
    module = importlib.import_module(f".{kind}.{family}", __package__)
    function = getattr(module, name, None)
    if not callable(function):
        raise LookupError(f"{family}.yaml: {kind}/{family}.py must define {name}; it doesn't")
    return function  # type: ignore[no-any-return]  # checked to be callable above


def expected_of(spec: OpSpec, sample: Sample, source: object = None) -> list[Expected]:
    """What the oracle expects, one entry per result; of a random op whose generator has given
    numbers before, with that generator for the sample's seed."""
    values = spec.bind(sample.values)
    if sample.seed is not None:
        values["seed"] = sample.seed if source is None else source
    result = _function("oracle", spec.family, spec.oracle)(
        **{_safe(k): v for k, v in values.items()}
    )
    return list(result) if isinstance(result, tuple) else [result]


def _safe(name: str) -> str:
    """Schema names that Python reserves get an underscore."""
    return f"{name}_" if name in ("from", "lambda") else name


@lru_cache(maxsize=32)
def samples_of(spec: OpSpec, dtype: str, kind: str) -> list[Sample]:
    """The samples of one op, dtype and input class; the same ones on every call."""
    return list(_function("samples", spec.family, spec.samples)(Draw(spec, dtype, kind)))


@cache
def has_samples(spec: OpSpec, dtype: str, kind: str) -> bool:
    """Whether there is a first sample; draws no more than that."""
    draws = iter(_function("samples", spec.family, spec.samples)(Draw(spec, dtype, kind)))
    return next(draws, None) is not None


def errors_of(spec: OpSpec, dtype: str) -> list[tuple[str, ErrorSample]]:
    """The error cases of an op in one dtype, with the names of their functions."""
    found = []
    for name in spec.errors:
        if name == "none":
            continue
        function = _function("samples", spec.family, name)
        found += [(name, case) for case in function(Draw(spec, dtype, name))]
    return found
