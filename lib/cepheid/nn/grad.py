"""Gradients of convolutions as functions of their own; generated from the op entries."""

from cepheid import _C
from cepheid._C.nn_grad import *  # noqa: F403  # one name for each entry with `module: nn_grad`

__all__ = _C.nn_grad.__all__
