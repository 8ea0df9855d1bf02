"""Functions of neural networks: activations, convolutions, pooling, norms, losses.

Most are ops of their own, generated from the op entries with `module: nn`. Those below give an op
of another signature the one that users of PyTorch know.
"""

from __future__ import annotations

from cepheid import _C

globals().update({name: getattr(_C.nn, name) for name in _C.nn.__all__})

__all__ = [*_C.nn.__all__]
