"""Utilities that are not ops."""

import importlib
from types import ModuleType

_LAZY_MODULES = ("checkpoint", "data", "hooks")


def __getattr__(name: str) -> ModuleType:
    """Load a subpackage when it is first named."""
    if name in _LAZY_MODULES:
        return importlib.import_module(f"cepheid.utils.{name}")
    raise AttributeError(f"module 'cepheid.utils' has no attribute {name!r}")
