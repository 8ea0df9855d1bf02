"""The list of check kinds: `KINDS` has a module each, `PLACES` wait for parts still to come."""

from __future__ import annotations

import importlib
from typing import cast

from ..cells import Check
from .places import PLACES

KINDS = (
    "values",
    "sizes",
    "accuracy",
    "special",
    "dtype",
    "promotion",
    "shapes",
    "layouts",
    "strides",
    "complex",
    "broadcast",
    "arguments",
    "purity",
    "freshness",
    "replay",
    "alias",
    "poison",
    "determinism",
    "errors",
    "hostile",
    "devices",
    "memory",
    "properties",
    "order",
    "variants",
    "overlap",
    "dependence",
    "gradient",
    "second_order",
    "cotangents",
    "vmap",
    "drawn",
)


def load(kind: str) -> Check:
    """The module of a check kind."""
    return cast(Check, importlib.import_module(f"{__name__}.{kind}"))


def every_kind() -> list[Check]:
    """All kinds, those that only have their place too."""
    return [*map(load, KINDS), *PLACES]
