"""One module per check kind; `ALL` lists them in the order of the suite's design."""

from __future__ import annotations

import importlib
from typing import cast

from ..cells import Check

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
    "broadcast",
    "arguments",
    "purity",
    "freshness",
    "replay",
    "alias",
    "poison",
    "determinism",
    "errors",
    "order",
    "variants",
    "overlap",
    "dependence",
    "drawn",
)


def load(kind: str) -> Check:
    """The module of a check kind."""
    return cast(Check, importlib.import_module(f"{__name__}.{kind}"))
