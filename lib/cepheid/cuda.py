"""NVIDIA and AMD GPUs. This version has no GPU backend and says so."""

from __future__ import annotations

__all__ = ["device_count", "is_available", "manual_seed", "manual_seed_all"]


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Accepted and ignored where there is no GPU, as PyTorch documents."""


def manual_seed_all(seed: int) -> None:
    """Accepted and ignored where there is no GPU, as PyTorch documents."""
