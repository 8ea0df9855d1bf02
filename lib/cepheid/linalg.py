"""Linear algebra: norms, decompositions, solvers. The functions are generated from the op entries."""

from cepheid import _C
from cepheid._C.linalg import *  # noqa: F403  # one name for each entry with `module: linalg`

__all__ = _C.linalg.__all__
