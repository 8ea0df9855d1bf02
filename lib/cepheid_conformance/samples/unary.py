"""Inputs of the pointwise ops of one tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..dtypes import DTYPES, Array, DType, round_to
from ..sample import Draw, Sample
from ..tensors import Tensor
from .common import every_value, samples_of_tensor, special_complex, special_tensor

ACCURACY_POINTS = 20_000


def unary(draw: Draw) -> Iterator[Sample]:
    """Any value of the dtype."""
    yield from _unary(draw, "any")


def unary_nonzero(draw: Draw) -> Iterator[Sample]:
    """Values away from zero, but special values on both sides of it."""
    yield from _unary(draw, "nonzero")


def unary_positive(draw: Draw) -> Iterator[Sample]:
    """Positive values, but special values on both sides of zero."""
    yield from _unary(draw, "positive")


def _unary(draw: Draw, domain: str) -> Iterator[Sample]:
    for sample in samples_of_tensor(draw, domain):
        yield _with_nan(draw, sample) if draw.spec.name == "isnan" else sample
    quotient = draw.spec.name in ("reciprocal", "rsqrt", "sgn")
    if draw.kind == "special" and draw.info.is_complex and quotient:
        values = special_complex(draw.info)
        values = values[is_normal(values, draw.info)]
        yield Sample({"self": Tensor(draw.dtype, values)}, "finite special values")
        if draw.spec.name == "sgn":
            zeros = np.zeros(5, draw.info.carrier)
            yield Sample({"self": Tensor(draw.dtype, zeros)}, "zeros")
    elif draw.kind == "special":
        yield Sample({"self": special_tensor(draw.info)}, "special values")
        if draw.info.is_complex and draw.spec.name == "tanh":
            yield Sample({"self": _far_from_axis(draw)}, "real parts beyond the range of exp")
        if draw.info.is_complex and draw.spec.name == "expm1":
            far = np.array([2e4, complex(2e4, -0.0), -2e4, complex(-2e4, -0.0)])
            far = far.astype(draw.info.carrier)
            yield Sample({"self": Tensor(draw.dtype, far)}, "real numbers beyond exp's range")
        if draw.spec.name == "abs" and draw.info.is_complex:
            yield Sample({"self": _extreme_magnitudes(draw)}, "squares overflow or vanish")
    if draw.kind == "dtype" and not draw.info.is_inexact:
        wide = "any" if draw.info.kind == "bool" else "wide"
        yield Sample({"self": draw.tensor((70,), wide)}, "the whole range of the dtype")
    if draw.kind == "accuracy" and draw.info.is_inexact:
        yield from _accuracy(draw, domain)


def _with_nan(draw: Draw, sample: Sample) -> Sample:
    """The sample with every third element from the last on NaN."""
    tensor = sample.values["self"]
    if not draw.info.is_inexact or not tensor.data.size:
        return sample
    data = tensor.data.copy()
    data.reshape(-1)[::-3] = np.nan
    return Sample({"self": tensor.replaced(data)}, f"{sample.note}, every third NaN")


def _far_from_axis(draw: Draw) -> Tensor:
    """Complex numbers whose tanh is plus or minus one, and whose exponential overflows."""
    real = np.array([100.0, 800.0, 1000.0])
    far = np.add.outer(np.concatenate([real, -real]), 1j * np.array([0.5, -1.25, 2.0]))
    return Tensor(draw.dtype, far.ravel().astype(draw.info.carrier))


def _extreme_magnitudes(draw: Draw) -> Tensor:
    """Complex numbers whose modulus is representable but whose square isn't."""
    part = DTYPES[draw.info.real_name]
    scales = np.array([part.max_value / 8, part.max_value**0.75, part.tiny**0.75, part.tiny * 8])
    units = np.array([3 + 4j, -4 + 3j, 1 - 1j, 5j, 0.5 + 1e-3j])
    return Tensor(draw.dtype, np.outer(scales, units).ravel().astype(draw.info.carrier))


def _accuracy(draw: Draw, domain: str) -> Iterator[Sample]:
    info = draw.info
    if info.itemsize == 2:
        yield Sample({"self": Tensor(draw.dtype, every_value(info))}, "all 65,536 values")
        return
    yield Sample({"self": draw.tensor((ACCURACY_POINTS,), domain)}, "20,000 random values")
    if not info.is_complex:
        exponents = draw.rng.uniform(-30, 7, ACCURACY_POINTS)
        signs = 1.0 if domain == "positive" else draw.rng.choice([-1.0, 1.0], ACCURACY_POINTS)
        values = round_to(signs * 2.0**exponents, info)
        yield Sample({"self": Tensor(draw.dtype, values)}, "magnitudes 2**-30 to 2**7")
        yield Sample({"self": _hard_points(draw, domain == "positive")}, "hard points")


def _hard_points(draw: Draw, positive: bool) -> Tensor:
    """Around one, where logarithms vanish; around multiples of log 2 / 2, where the argument of
    exp is reduced; near nothing, where tanh is linear; at the ends of the range of exp."""
    info = draw.info
    steps = np.arange(-8, 9) * info.eps
    halves = np.arange(1, 60) * (math.log(2) / 2)
    ends = np.array([math.log(info.max_value), -math.log(info.tiny), -math.log(info.smallest)])
    tiny = 2.0 ** np.arange(-info.precision - 3, 1)
    parts = [1 + steps, 1 + steps / 2, *(np.outer(x, 1 + steps).ravel() for x in (halves, tiny))]
    values = np.concatenate([*parts, np.outer(ends, 1 - np.arange(1, 9) * 8 * info.eps).ravel()])
    values = values if positive else np.concatenate([values, -values])
    return Tensor(draw.dtype, round_to(values, info))


def is_normal(values: Array, info: DType) -> Array:
    """A subnormal divisor loses bits in any formula; what it then overflows to is open."""
    part = DTYPES[info.real_name]
    size = np.maximum(np.abs(values.real), np.abs(values.imag))
    return np.asarray(size > part.tiny / part.eps)


def unary_unit(draw: Draw) -> Iterator[Sample]:
    """Floats between -1 and 1 mostly, where inverse functions have values."""
    for sample in unary(draw):
        yield _moved(sample, lambda data: data / 4) if draw.kind != "special" else sample


def unary_share(draw: Draw) -> Iterator[Sample]:
    """Floats between 0 and 1 mostly, next to both and to 1/2 too."""
    for sample in unary(draw):
        shares = _moved(sample, lambda data: np.abs(data) / (1 + np.abs(data)))
        yield sample if draw.kind == "special" or draw.info.itemsize == 2 else shares
    if draw.kind == "accuracy" and draw.info.is_floating:
        near = 2.0 ** -np.arange(1, draw.info.precision + 1)
        values = np.concatenate([near, 1 - near, 0.5 + near / 2, 0.5 - near / 2, 0.25 + near / 4])
        tensor = Tensor(draw.dtype, round_to(values, draw.info))
        yield Sample({"self": tensor}, "next to 0, 1/4, 1/2 and 1")


def logit(draw: Draw) -> Iterator[Sample]:
    """Shares without a bound, and with all kinds of bounds."""
    yield from unary_share(draw)
    if draw.kind == "arguments":
        for eps in (None, 0.25, 0.0625, 0.0, 0.75, -1.0):
            tensor = draw.tensor((21,))
            if draw.info.is_floating:
                tensor = tensor.replaced(round_to(np.arange(-2, 19) / 16, draw.info))
            yield Sample({"self": tensor, "eps": eps}, f"eps {eps}")


def logit_within(draw: Draw) -> Iterator[Sample]:
    """Shares with a bound."""
    for sample in unary_share(draw):
        yield Sample({**sample.values, "eps": 0.125}, sample.note)


def unary_above_one(draw: Draw) -> Iterator[Sample]:
    """Floats from 1 on; special values and some others below it too."""
    yield from unary(draw)
    for sample in unary(draw) if draw.kind in ("small", "sizes", "accuracy") else ():
        yield _moved(sample, lambda data: 1 + np.abs(data) ** 3)


def _moved(sample: Sample, change: Callable[[Array], Array]) -> Sample:
    tensor = sample.values["self"]
    if not tensor.info.is_floating:
        return sample
    with np.errstate(all="ignore"):
        data = round_to(change(tensor.data.astype(np.float64)), tensor.info)
    return Sample({"self": tensor.replaced(data)}, f"{sample.note}, moved")


def unary_angle(draw: Draw) -> Iterator[Sample]:
    """Angles near and far, around multiples of a quarter turn, and where the way to reduce them
    changes."""
    yield from unary(draw)
    if draw.kind in ("special", "accuracy") and draw.info.is_floating:
        info = draw.info
        turns = np.concatenate(
            [np.arange(1, 200), 2 ** np.arange(8, 24), 3 * 2 ** np.arange(7, 60)]
        )
        quarters = turns * (math.pi / 2)
        near = np.add.outer(np.ones(quarters.size), info.eps * np.arange(-2, 3)) * quarters[:, None]
        limit = 2.0**20 * (1 + info.eps * np.arange(-2, 3))
        # The arguments whose rest is smallest, of float64 and float32.
        hardest = [6381956970095103 * 2.0**797, 16367173 * 2.0**72, 11.0, 22.0, 355.0, 5 * 2.0**25]
        top = math.log2(info.max_value)
        far = draw.rng.uniform(1, 2, 400) * 2.0 ** (draw.rng.uniform(8, top, 400) - 1)
        values = np.concatenate([near.ravel(), limit, hardest, far])
        values = round_to(values[values <= info.max_value], info)
        yield Sample({"self": Tensor(draw.dtype, np.concatenate([values, -values]))}, "angles")


# Arguments of activations beside the defaults; the first of ops that have no default.
_ACTIVATION_ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "softplus": [{"beta": 2}, {"beta": 0.5, "threshold": 1}, {"threshold": -1.75}],
    "elu": [{"alpha": 0.5}, {"alpha": 2}, {"alpha": math.inf}],
    "celu": [{"alpha": 0.5}, {"alpha": 2}, {"alpha": math.inf}],
    "leaky_relu": [{"negative_slope": 0.25}, {"negative_slope": -0.5}, {"negative_slope": 0}],
    "hardtanh": [{"min_val": -2, "max_val": 0.5}, {"min_val": 0.25, "max_val": 0.75}],
    "threshold": [{"threshold": 0.5, "value": 20}, {"threshold": -1, "value": -3}],
    "hardshrink": [{"lambd": 1.5}, {"lambd": 0}],
    "softshrink": [{"lambd": 1.5}, {"lambd": 0}],
    "gelu": [{"approximate": "tanh"}, {"approximate": "none"}],
}


def activation(draw: Draw) -> Iterator[Sample]:
    """Any value, with the arguments of the op."""
    choices = _ACTIVATION_ARGUMENTS[draw.spec.name]
    if draw.kind == "arguments":
        for given in choices:
            yield Sample({"self": draw.tensor((70,)), **given}, f"{given}")
            ties = Tensor(draw.dtype, round_to(np.arange(-9, 10) / 4, draw.info))
            yield Sample({"self": ties, **given}, f"quarters, {given}")
        return
    required = choices[:1] if draw.spec.name == "threshold" else [{}]
    # Both functions of gelu are kernels of their own.
    for given in choices if draw.spec.name == "gelu" else required:
        for sample in unary(Draw(draw.spec, draw.dtype, draw.kind)):
            yield Sample({**sample.values, **given}, f"{sample.note} {given or ''}".strip())


def unary_rounding(draw: Draw) -> Iterator[Sample]:
    """Values with a fraction, halves among them, and as large as whole numbers are told apart."""
    yield from unary(draw)
    if draw.kind == "special" and draw.info.is_floating:
        info = draw.info
        halves = np.arange(-9, 10) / 2
        top = 2.0 ** np.arange(info.precision - 3, info.precision + 2)
        near: list[Array] = [
            halves,
            halves * (1 + info.eps),
            halves * (1 - info.eps),
            0.5 - info.eps / 4 * halves,
        ]
        near += [top + half for half in (-1.5, -1, -0.5, 0, 0.5, 1, 1.5)]
        values = np.concatenate(near)
        both = np.concatenate([values, -values])
        yield Sample({"self": Tensor(draw.dtype, round_to(both, info))}, "around halves")


def unary_infinite(draw: Draw) -> Iterator[Sample]:
    """Values with infinities of both signs and NaN among them, in one part or both."""
    marks: list[complex] = [np.inf, 1.0, -np.inf, 0.0, np.nan]
    if draw.info.is_complex:
        marks += [complex(1, np.inf), complex(-np.inf, 2), complex(np.nan, np.inf)]
        marks += [complex(0, np.nan), complex(2, -np.inf)]
    for sample in unary(draw):
        tensor = sample.values["self"]
        if not draw.info.is_inexact or not tensor.data.size:
            yield sample
            continue
        data = tensor.data.copy()
        flat = data.reshape(-1)[::-2]
        flat[:] = np.resize(np.array(marks, draw.info.carrier), flat.shape)
        yield Sample({"self": tensor.replaced(data)}, f"{sample.note}, infinities and NaN")
