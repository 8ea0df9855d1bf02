"""Reference values of the scans."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DTYPES, cast
from ..expected import Expected, exact, within_bound
from ..wide import widen
from .common import is_integer, normal_dim, wrapping
from .reduce import accumulation_eps


def cumsum(self: Any, dim: int, dtype: str | None) -> Expected:
    """Prefix sums along a dim; integers and bool are summed in int64."""
    result = dtype or ("int64" if is_integer(self.dtype) else self.dtype)
    values = cast(self.data, self.info, DTYPES[result])
    axis = normal_dim(dim, len(self.shape))
    if not self.shape:
        return exact(result, values, any_zero_sign=True)  # a sum may begin with +0
    if is_integer(result):
        return exact(result, np.cumsum(wrapping(values), axis=axis))
    wide = widen(values, result)
    with np.errstate(all="ignore"):
        size = np.cumsum(np.abs(wide), axis=axis)
        count = np.arange(1, self.shape[axis] + 1).reshape((-1,) + (1,) * (wide.ndim - axis - 1))
        # Terms are added one after the other: errors grow like a random walk.
        factor = (2 * np.sqrt(count) + 8) * accumulation_eps(result)
        bound = np.where(np.isfinite(size), size, 0) * factor
        return within_bound(result, np.cumsum(wide, axis=axis), bound)
