"""Drawn calls of matrix products."""

from __future__ import annotations

from typing import Any

from ..sample import Sample
from .chooser import Chooser, Shape

_INNER = (1, 2, 3, 4, 0, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65)
_BATCH = (1, 2, 3, 0)


def _sides(chooser: Chooser) -> tuple[int, int, int]:
    return chooser.one_of(_INNER), chooser.one_of(_INNER), chooser.one_of(_INNER)


def _pair(chooser: Chooser, first: Shape, second: Shape) -> Sample:
    names = [argument.name for argument in chooser.spec.args[:2]]
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


def addmm(chooser: Chooser) -> Sample:
    """What is added broadcasts to the product; factors at times."""
    m, k, n = _sides(chooser)
    batch = (chooser.one_of(_BATCH),) if chooser.spec.name == "baddbmm" else ()
    names = [argument.name for argument in chooser.spec.args[:3]]
    shapes = (chooser.broadcastable((*batch, m, n)), (*batch, m, k), (*batch, k, n))
    operands = [chooser.tensor(shape, "product") for shape in shapes]
    values: dict[str, Any] = dict(zip(names, operands, strict=True))
    if chooser.rarely(2):
        numbers: list[Any] = [0, 1, 2, 3]
        if chooser.info.is_inexact:
            numbers += [0.5, -1.25]
        # With an alpha of 0 nobody says whether a product that is NaN enters.
        values |= {"beta": chooser.one_of(numbers), "alpha": chooser.one_of(numbers[1:])}
    return Sample(values)


def mv(chooser: Chooser) -> Sample:
    """A matrix and a vector."""
    m, k, _ = _sides(chooser)
    return _pair(chooser, (m, k), (k,))


def dot(chooser: Chooser) -> Sample:
    """Two vectors of one length."""
    k = chooser.one_of(_INNER)
    return _pair(chooser, (k,), (k,))


def outer(chooser: Chooser) -> Sample:
    """Two vectors of any lengths."""
    m, _, n = _sides(chooser)
    return _pair(chooser, (m,), (n,))


def kron(chooser: Chooser) -> Sample:
    """Two tensors of few elements."""
    one, two = chooser.shape((1, 2, 0, 3), 40), chooser.shape((1, 2, 0, 3), 40)
    return _pair(chooser, one, two)


def linear(chooser: Chooser) -> Sample:
    """Rows of any rank up to four, a matrix or a vector, at times a bias."""
    m, k, n = _sides(chooser)
    lead = chooser.one_of(((m,), (), (m, 2), (2, 0, 3), (1, m, 2)))
    weight = (k,) if chooser.rarely() else (n, k)
    sample = _pair(chooser, (*lead, k), weight)
    if len(weight) > 1 and chooser.flag():
        sample = Sample({**sample.values, "bias": chooser.tensor(weight[:-1], "product")})
    return sample
