"""The faults, one module per class; importing this package registers them all."""

from . import value

__all__ = ["value"]
