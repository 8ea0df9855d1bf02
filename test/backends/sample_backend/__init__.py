"""A third party's backend in small: three kernels of its own over cepheid's, one of them wrong.

`--impl sample_backend:backend` judges cepheid with these kernels in place of the native ones.
"""

from types import ModuleType

import cepheid
from cepheid.library import Library

_library = Library("aten", "IMPL", "CPU")


def isnan(self: cepheid.Tensor) -> cepheid.Tensor:
    """Only NaN differs from itself."""
    return self != self


def logical_not(self: cepheid.Tensor) -> cepheid.Tensor:
    """True where the value is zero."""
    return self == 0


def neg(self: cepheid.Tensor) -> cepheid.Tensor:
    """Wrong: 0 - 0 is +0, and the negative of +0 is -0."""
    return 0 - self


def backend() -> ModuleType:
    """Register the kernels; the implementation is cepheid with them."""
    for kernel in (isnan, logical_not, neg):
        _library.impl(kernel.__name__, kernel)
    return cepheid
