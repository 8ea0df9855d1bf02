"""Drawn calls of attention."""

from __future__ import annotations

from typing import Any

from ..sample import Sample
from .chooser import Chooser

_CALM = ("plain", "any", "ties")


def attention(chooser: Chooser) -> Sample:
    """Batches and heads, causal or masked at times."""
    batch = chooser.nonempty((2, 1, 0, 3), most=12)
    queries, keys, depth, width = (chooser.nonempty((1,), most=33)[0] for _ in range(4))
    values: dict[str, Any] = {
        name: chooser.tensor((*batch, *matrix), "any", modes_of=_CALM)
        for name, matrix in (
            ("query", (queries, depth)),
            ("key", (keys, depth)),
            ("value", (keys, width)),
        )
    }
    choice = chooser.integer(0, 3)
    if choice == 1:
        values["is_causal"] = True
    if choice == 2:
        values["attn_mask"] = chooser.mask((queries, keys))
    if choice == 3:
        values["attn_mask"] = chooser.tensor((queries, keys), "any", modes_of=_CALM)
    if chooser.rarely():
        values["scale"] = chooser.one_of((0.5, 0.25))
    return Sample(chooser.spec.in_order(values))
