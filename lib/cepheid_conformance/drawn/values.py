"""Values of drawn tensors: from a few plain ones to extremes, by the domain that an op allows."""

from __future__ import annotations

import numpy as np

from ..dtypes import DTYPES, Array, DType, round_to
from ..sample import random_values
from ..samples.common import special_complex, special_values

# Modes by domain, the simplest first: a smaller choice is a smaller example.
#   full     everything the dtype has
#   finite   no infinities, NaN or extremes
#   folded   for sums: moderate scales, at most two infinities or NaN among ordinary values
#   product  the same for sums of products
#   nonzero, positive, small, exact, unit: the domains of `sample.random_values`
_REAL = {
    "full": ("plain", "any", "ties", "scaled", "special"),
    "finite": ("plain", "any", "ties", "scaled", "zeros"),
    "folded": ("plain", "any", "ties", "scaled", "zeros", "marked"),
    "product": ("plain", "any", "ties", "scaled", "zeros", "marked"),
}
_COMPLEX = {
    "full": ("plain", "any", "ties", "scaled", "special"),
    "finite": ("plain", "any", "ties"),
    "folded": ("plain", "any", "ties", "scaled"),
    "product": ("plain", "any", "ties", "scaled"),
}
_INTEGER = {
    "full": ("plain", "any", "ties", "wide", "special"),
    "finite": ("plain", "any", "ties", "wide"),
    "folded": ("plain", "any", "ties", "wide"),
    "product": ("plain", "any", "ties", "wide"),
}
# Binary orders of magnitude up or down that leave sums of thousands of terms representable.
_SUM_SCALE = {"float16": 3, "bfloat16": 40, "float32": 60, "float64": 400}
_MIXED_SHARE = 0.3  # of special values among ordinary ones


def modes(info: DType, domain: str) -> tuple[str, ...]:
    """The modes of a domain in a dtype."""
    if info.kind == "bool":
        return ("plain", "any")
    table = _COMPLEX if info.is_complex else _REAL if info.is_floating else _INTEGER
    narrow = info.is_floating and info.itemsize == 1
    found = table.get(domain, ("plain", domain) if domain != "unit" else ("unit",))
    return tuple(mode for mode in found if not (narrow and mode in ("scaled", "marked")))


def scale_limit(info: DType, domain: str) -> int:
    """How many powers of two a scaled tensor may be away from 1."""
    limit = _SUM_SCALE[info.real_name]
    if domain == "product" or info.is_complex:
        return limit // 2
    return limit if domain == "folded" or info.itemsize == 2 else 2 * limit


def fill(
    info: DType, shape: tuple[int, ...], domain: str, mode: str, scale: int, seed: int
) -> Array:
    """Carrier values of one mode."""
    rng = np.random.default_rng(seed)
    if mode == "plain":
        return _plain(info, shape)
    if mode == "ties":
        return random_values(rng, info, shape, "small" if info.is_integral else "exact")
    if mode == "scaled":
        wide = random_values(rng, DTYPES[_wider(info)], shape, "any")
        return round_to(wide * 2.0**scale, info)
    if mode in ("special", "zeros", "marked"):
        return _mixed(info, shape, mode, rng)
    return random_values(rng, info, shape, mode)


def _wider(info: DType) -> str:
    return "complex128" if info.is_complex else "float64"


def _plain(info: DType, shape: tuple[int, ...]) -> Array:
    """1, 2, 3, 1, ...: nothing is zero, neighbours differ."""
    count = int(np.prod(shape))
    values = np.arange(count) % 3 + 1
    if info.kind == "bool":
        values = values % 2
    return values.astype(info.carrier).reshape(shape)


def _mixed(info: DType, shape: tuple[int, ...], mode: str, rng: np.random.Generator) -> Array:
    """Ordinary values with others among them."""
    values = random_values(rng, info, shape, "any")
    if values.size == 0:
        return values
    flat = values.reshape(-1)
    if mode == "marked":
        marks = rng.choice([np.nan, np.inf, -np.inf], 2)
        flat[rng.integers(0, flat.size, 2)] = marks.astype(info.carrier)
        return values
    palette = special_complex(info) if info.is_complex else special_values(info)
    if mode == "zeros":
        palette = palette[palette == 0]
    chosen = rng.random(flat.size) < _MIXED_SHARE
    flat[chosen] = rng.choice(palette, int(chosen.sum()))
    return values
