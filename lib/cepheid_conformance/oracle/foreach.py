"""Reference values of the ops on lists: those of one tensor, for every entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..expected import Expected
from . import pointwise, reduce

Results = tuple[Expected, ...]


def each(of_one: Callable[..., Expected], *operands: Any) -> Results:
    """The oracle of one tensor for each entry of the lists; what is no list serves them all."""
    count = next(len(operand) for operand in operands if isinstance(operand, list))
    columns = [x if isinstance(x, list) else [x] * count for x in operands]
    return tuple(of_one(*entry) for entry in zip(*columns, strict=True))


def add(self: Any, alpha: Any = 1, **other: Any) -> Results:
    """self + alpha * other."""
    return each(pointwise.add, self, *other.values(), alpha)


def sub(self: Any, alpha: Any = 1, **other: Any) -> Results:
    """self - alpha * other."""
    return each(pointwise.sub, self, *other.values(), alpha)


def mul(self: Any, **other: Any) -> Results:
    """self * other."""
    return each(pointwise.mul, self, *other.values())


def div(self: Any, **other: Any) -> Results:
    """self / other."""
    return each(pointwise.true_divide, self, *other.values())


def clamp_min(self: Any, **other: Any) -> Results:
    """The larger of two, a NaN where there is one."""
    return each(pointwise.clamp_min, self, *other.values())


def clamp_max(self: Any, **other: Any) -> Results:
    """The smaller of two, a NaN where there is one."""
    return each(pointwise.clamp_max, self, *other.values())


def addcmul(self: Any, tensor1: Any, tensor2: Any, **value: Any) -> Results:
    """self + value * tensor1 * tensor2."""
    return each(pointwise.addcmul, self, tensor1, tensor2, *value.values())


def addcdiv(self: Any, tensor1: Any, tensor2: Any, **value: Any) -> Results:
    """self + value * tensor1 / tensor2."""
    return each(pointwise.addcdiv, self, tensor1, tensor2, *value.values())


def lerp(self: Any, tensors1: Any, **weight: Any) -> Results:
    """From self towards the other, by a share."""
    return each(pointwise.lerp, self, tensors1, *weight.values())


def pow(self: Any, exponent: Any) -> Results:
    """self ** exponent."""
    return each(pointwise.pow, self, exponent)


def abs(self: Any) -> Results:
    """Absolute values."""
    return each(pointwise.abs, self)


def neg(self: Any) -> Results:
    """-self."""
    return each(pointwise.neg, self)


def sign(self: Any) -> Results:
    """-1, 0 or 1."""
    return each(pointwise.sign, self)


def sqrt(self: Any) -> Results:
    """Square roots."""
    return each(pointwise.sqrt, self)


def exp(self: Any) -> Results:
    """e ** self."""
    return each(pointwise.exp, self)


def reciprocal(self: Any) -> Results:
    """1 / self."""
    return each(pointwise.reciprocal, self)


def norm(self: Any, ord: Any, dtype: str | None) -> Results:
    """The vector norm of each tensor as a whole."""
    return each(lambda x: reduce.vector_norm(x, ord, dtype=dtype), self)
