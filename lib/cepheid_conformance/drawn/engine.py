"""Hypothesis as generator and shrinker, drawing from a source that only the seed decides.

Hypothesis's own source mixes in constants from whatever modules are loaded, so the same seed would
draw other calls under pytest than from a command line. The source here draws uniformly.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Flaky
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, PrimitiveProvider
from hypothesis.strategies import SearchStrategy

Drawn = TypeVar("Drawn")
_BACKEND = "cepheid_seeded"
_SHRINK_STEPS = 400


class SeededProvider(PrimitiveProvider):
    """Uniform integers and booleans from `random.Random(seed)`; strategies here need no more.
    Weights, by which hypothesis favours the ends of long ranges, are left aside."""

    lifetime = "test_function"
    seed = 0

    def __init__(self, data: Any, /) -> None:
        super().__init__(data)
        self._random = random.Random(self.seed)

    def draw_boolean(self, p: float = 0.5) -> bool:
        return self._random.random() < p

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        if min_value is None or max_value is None:
            _refuse("integers without bounds")
        return self._random.randint(min_value, max_value)

    def draw_float(self, *args: Any, **kwargs: Any) -> float:
        _refuse("floats")

    def draw_string(self, *args: Any, **kwargs: Any) -> str:
        _refuse("strings")

    def draw_bytes(self, *args: Any, **kwargs: Any) -> bytes:
        _refuse("bytes")


def _refuse(what: str) -> NoReturn:
    raise NotImplementedError(f"drawn: strategies must draw bounded integers; got {what}")


AVAILABLE_PROVIDERS[_BACKEND] = f"{__name__}.SeededProvider"


class _Found(Exception):
    """Ends an example that shows what is looked for."""


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    before = SeededProvider.seed
    SeededProvider.seed = seed
    try:
        yield
    finally:
        SeededProvider.seed = before


def _settings(count: int, phases: list[Phase]) -> settings:
    return settings(
        max_examples=count,
        phases=phases,
        backend=_BACKEND,
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )


def collect(strategy: SearchStrategy[Drawn], seed: int, count: int) -> list[Drawn]:
    """`count` examples (fewer where the strategy has no more), the same for the same seed."""
    drawn: list[Drawn] = []

    @_settings(count, [Phase.generate])
    @given(strategy)
    def keep(example: Drawn) -> None:
        drawn.append(example)

    with _seeded(seed):
        keep()
    return drawn


def shrink(
    strategy: SearchStrategy[Drawn], seed: int, count: int, shows: Callable[[Drawn], bool]
) -> Drawn | None:
    """The smallest example found that shows a failure, starting from the same draws as `collect`;
    None where none of them does (any more). Ends after a number of steps, or where a failure
    doesn't repeat."""
    smallest: list[Drawn] = []
    steps = 0

    @_settings(count, [Phase.generate, Phase.shrink])
    @given(strategy)
    def look(example: Drawn) -> None:
        nonlocal steps
        if smallest:
            steps += 1
        if steps <= _SHRINK_STEPS and shows(example):
            smallest[:] = [example]
            raise _Found

    with _seeded(seed):
        try:
            look()
        except (_Found, Flaky):
            pass
    return smallest[0] if smallest else None
