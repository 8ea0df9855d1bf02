"""Drawn calls of matrix products."""

from __future__ import annotations

from ..sample import Sample
from .chooser import Chooser, Shape

_INNER = (1, 2, 3, 4, 0, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65)
_BATCH = (1, 2, 3, 0)


def _sides(chooser: Chooser) -> tuple[int, int, int]:
    return chooser.one_of(_INNER), chooser.one_of(_INNER), chooser.one_of(_INNER)


def _pair(chooser: Chooser, first: Shape, second: Shape) -> Sample:
    names = [argument.name for argument in chooser.spec.args]
    operands = [chooser.tensor(shape, "product") for shape in (first, second)]
    return Sample(dict(zip(names, operands, strict=True)))


def mm(chooser: Chooser) -> Sample:
    """Two matrices."""
    m, k, n = _sides(chooser)
    return _pair(chooser, (m, k), (k, n))


def bmm(chooser: Chooser) -> Sample:
    """Two batches of matrices."""
    m, k, n = _sides(chooser)
    batch = chooser.one_of(_BATCH)
    return _pair(chooser, (batch, m, k), (batch, k, n))


def matmul(chooser: Chooser) -> Sample:
    """Vectors, matrices, batches that broadcast."""
    m, k, n = _sides(chooser)
    first: Shape = (m, k)
    second: Shape = (k, n)
    kind = chooser.integer(0, 5)
    if kind == 1:
        first = (k,)
    if kind == 2:
        second = (k,)
    if kind >= 3:
        batch = tuple(chooser.one_of(_BATCH) for _ in range(chooser.integer(1, 2)))
        first = (*chooser.broadcastable(batch), *first)
        second = (*chooser.broadcastable(batch), *second)
    if kind == 5:
        first, second = (k,), second
    return _pair(chooser, first, second)
