"""From an op and a dtype to drawn calls: hypothesis strategies, and how a call is described."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..doors import variants_of
from ..families import samples_of
from ..op_spec import OpSpec
from ..sample import Sample
from ..tensors import Tensor
from . import engine
from .chooser import Chooser, Reject

# Variants that give a new result from the same arguments.
_PURE = ("function", "method", "operator", "varargs", "internal")


@dataclass(frozen=True)
class Call:
    """A drawn call and the variant that it goes through."""

    sample: Sample
    variant: str


def describe(values: dict[str, Any]) -> str:
    """The arguments in a line: shapes, dtypes and layouts for tensors."""
    return ", ".join(f"{name} {_describe(value)}" for name, value in values.items())


def _describe(value: Any) -> str:
    if isinstance(value, Tensor):
        layout = "" if value.layout == "contiguous" else f" {value.layout}"
        return f"{value.dtype}{list(value.shape)}{layout}"
    if isinstance(value, list):
        return f"[{', '.join(_describe(item) for item in value)}]"
    return repr(value)


def _function(spec: OpSpec) -> Callable[[Chooser], Sample]:
    """The function that draws for the op's sample function; without one, its samples are laid out
    anew."""
    module = importlib.import_module(f".{spec.family}", __package__)
    return getattr(module, spec.samples, _from_samples)


def _from_samples(chooser: Chooser) -> Sample:
    """A sample of the op with its tensors in drawn layouts."""
    spec = chooser.spec
    kinds = ("small", "arguments", "shapes", "broadcast")
    pool = [sample for kind in kinds for sample in samples_of(spec, chooser.dtype, kind)]
    selects = any(argument.type == "Tensor?[]" for argument in spec.args)
    writable = spec.mutates or selects
    return chooser.one_of(pool).mapped(lambda tensor: chooser.laid_out(tensor, writable), "")


@cache
def calls(spec: OpSpec, dtype: str) -> SearchStrategy[Call | None]:
    """Calls of an op in a dtype; None where the draw left the domain."""
    function = _function(spec)
    variants = [variant for variant in variants_of(spec) if variant in _PURE]

    @st.composite
    def one(draw: Callable[[SearchStrategy[int]], int]) -> Call | None:
        chooser = Chooser(spec, dtype, draw)
        try:
            sample = function(chooser)
        except Reject:
            return None
        variant = chooser.one_of(_fitting(variants, spec, sample))
        return Call(replace(sample, note=describe(sample.values)), variant)

    return one()


def _fitting(variants: list[str], spec: OpSpec, sample: Sample) -> list[str]:
    """Variants that take these arguments: operators take no keyword, a number has no method."""
    first = next(iter(sample.values.values()))
    found = []
    for variant in variants or list(variants_of(spec))[:1]:
        if variant == "operator" and len(sample.values) != len(_required(spec)):
            continue
        if variant == "method" and not isinstance(first, Tensor):
            continue
        if variant == "varargs" and not _integers_only(spec, sample):
            continue
        found.append(variant)
    return found


def _required(spec: OpSpec) -> list[str]:
    return [argument.name for argument in spec.args if not argument.has_default]


def _integers_only(spec: OpSpec, sample: Sample) -> bool:
    """Separate integers stand for one list; of nothing they are no argument at all."""
    lists = [value for value in sample.values.values() if isinstance(value, list)]
    return len(lists) == 1 and len(lists[0]) > 0


def seed_of(spec: OpSpec, dtype: str, seed: int) -> int:
    """The seed of one cell: cells of one run draw differently."""
    return zlib.crc32(f"{seed}/{spec.key}/{dtype}".encode())


def draw_calls(spec: OpSpec, dtype: str, seed: int, count: int) -> list[Call | None]:
    """The drawn calls of one cell."""
    return engine.collect(calls(spec, dtype), seed_of(spec, dtype, seed), count)
