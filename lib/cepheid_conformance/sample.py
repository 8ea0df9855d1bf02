"""A sample: the arguments of one call. A draw: the deterministic source that samples come from."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .dtypes import DTYPES, Array, DType, integer_range, round_to
from .op_spec import OpSpec
from .tensors import Tensor


@dataclass(frozen=True)
class Sample:
    """Arguments by schema name; what is left out takes the schema's default."""

    values: dict[str, Any]
    note: str = ""
    seed: int | None = None
    or_error: str = ""  # an exception that is as good an answer as the right value

    def tensors(self) -> Iterator[Tensor]:
        """All tensor arguments, those in lists too."""
        for value in self.values.values():
            for item in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(item, Tensor):
                    yield item

    def mapped(self, change: Callable[[Tensor], Tensor], note: str) -> Sample:
        """The same call with every tensor changed."""

        def apply(value: Any) -> Any:
            if isinstance(value, Tensor):
                return change(value)
            if isinstance(value, list):
                return [apply(item) for item in value]
            return value

        values = {name: apply(value) for name, value in self.values.items()}
        return replace(self, values=values, note=f"{self.note} {note}".strip())


@dataclass(frozen=True)
class ErrorSample:
    """An invalid call, the exception it must raise, and cepheid's wording as a pattern."""

    values: dict[str, Any]
    error: str
    pattern: str
    variant: str = ""  # "" means the first variant of the op
    note: str = ""
    # Extra accepted classes for implementations whose documentation names no class.
    also: tuple[str, ...] = ()
    device: str = "cpu"  # where its tensors lie


CLASSES = (
    "small",
    "sizes",
    "accuracy",
    "special",
    "dtype",
    "promotion",
    "shapes",
    "broadcast",
    "arguments",
    "ties",
)


@dataclass
class Draw:
    """What a sample function draws from: op, dtype, input class and a seeded generator."""

    spec: OpSpec
    dtype: str
    kind: str
    device: str = "cpu"
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        text = f"{self.spec.key}/{self.dtype}/{self.kind}".encode()
        self.rng = np.random.default_rng(zlib.crc32(text))

    @property
    def info(self) -> DType:
        return DTYPES[self.dtype]

    def tensor(
        self, shape: tuple[int, ...], domain: str = "any", dtype: str | None = None
    ) -> Tensor:
        """A tensor of random values in a domain (see `random_values`)."""
        name = dtype or self.dtype
        return Tensor(name, random_values(self.rng, DTYPES[name], shape, domain))

    def integers(self, low: int, high: int, shape: tuple[int, ...]) -> Array:
        """Index values in [low, high)."""
        return self.rng.integers(low, high, shape, dtype=np.int64)


def random_values(
    rng: np.random.Generator, dtype: DType, shape: tuple[int, ...], domain: str = "any"
) -> Array:
    """Random carrier values.

    Domains: `any` (about +-4, integers +-9), `positive` (0.1 to 8), `nonzero`, `small` (integers
    that never overflow a product of three), `exact` (multiples of 1/8 that every floating dtype
    of 16 bits holds, not zero; positive integers), `wide` (the whole range of an integer dtype),
    `unit` (0 to 1), `offset` (1000 + noise where the dtype resolves it: well conditioned).
    """
    if dtype.kind == "bool":
        return rng.random(shape) < 0.5
    if dtype.is_integral:
        return _random_integers(rng, dtype, shape, domain)
    if dtype.is_complex:
        real = _random_reals(rng, shape, domain)
        return (real + 1j * _random_reals(rng, shape, domain)).astype(dtype.carrier)
    return round_to(_random_reals(rng, shape, domain), dtype)


def _random_integers(
    rng: np.random.Generator, dtype: DType, shape: tuple[int, ...], domain: str
) -> Array:
    low, high = integer_range(dtype)
    if domain == "wide":
        return rng.integers(low, high, shape, dtype=dtype.carrier, endpoint=True)
    bound = {"small": 3, "unit": 1}.get(domain, 9)
    if domain in ("positive", "exact"):
        return rng.integers(1, bound, shape).astype(dtype.carrier)
    values = rng.integers(max(low, -bound), bound, shape, endpoint=True)
    if domain == "nonzero":
        values = np.where(values == 0, 3, values)
    return np.asarray(values).astype(dtype.carrier)


def _random_reals(rng: np.random.Generator, shape: tuple[int, ...], domain: str) -> Array:
    if domain == "unit":
        return np.asarray(rng.random(shape))
    if domain == "positive":
        return rng.uniform(0.1, 8, shape)
    if domain == "exact":
        return np.asarray(rng.integers(1, 25, shape) / 8 * rng.choice([-1.0, 1.0], shape))
    if domain == "offset":
        return rng.uniform(1, 2, shape) + 1000
    values = rng.uniform(-4, 4, shape)
    if domain == "nonzero":
        values = np.where(np.abs(values) < 0.25, values + np.copysign(0.5, values), values)
    return np.asarray(values)
