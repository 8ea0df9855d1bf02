"""Seeding and state of the default generators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cepheid import _C

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


def manual_seed(seed: int) -> _C.Generator:
    """Seed the default generator, and return it.

    `seed` is in [-2**63, 2**64); a negative one counts as 2**64 + seed. The same seed gives the
    same draws as PyTorch's CPU generator. RuntimeError outside the range.
    """
    return _C.default_generator.manual_seed(seed)


def seed() -> int:
    """Seed the default generator from the system's entropy, and return the 64-bit seed."""
    return _C.default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator last got."""
    return _C.default_generator.initial_seed()


def get_rng_state() -> _C.Tensor:
    """The default generator's state: a uint8 tensor of shape (5056,)."""
    return _C.default_generator.get_state()


def set_rng_state(new_state: _C.Tensor) -> None:
    """Restore what `get_rng_state` gave."""
    _C.default_generator.set_state(new_state)


@contextmanager
def fork_rng(enabled: bool = True) -> Iterator[None]:
    """Restore the default generator's state when the block ends, however it ends."""
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
