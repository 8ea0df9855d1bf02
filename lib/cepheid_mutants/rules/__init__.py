"""The faults, one module per class or few; importing this package registers them all."""

from . import (
    accuracy,
    arguments,
    batches,
    complex_numbers,
    dtype,
    errors,
    gradients,
    order,
    random,
    shape,
    size,
    special,
    state,
    value,
    views,
)

__all__ = [
    "accuracy",
    "arguments",
    "batches",
    "complex_numbers",
    "dtype",
    "errors",
    "gradients",
    "order",
    "random",
    "shape",
    "size",
    "special",
    "state",
    "value",
    "views",
]
