"""Silent bugs of public frameworks, re-made in own words and code; the source of each is named.

Where a bug needed more memory than a test has (indices beyond 32 bits), the re-making says to
what its threshold was lowered.
"""

from . import index, norm, pointwise, products, reduce, sequences
from .registry import BUGS

__all__ = ["BUGS", "index", "norm", "pointwise", "products", "reduce", "sequences"]
