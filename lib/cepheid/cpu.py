"""The CPU as a device."""

from __future__ import annotations

from cepheid import _C

__all__ = ["current_device", "device_count", "get_isa", "is_available", "synchronize"]


def is_available() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1: all cores are one device."""
    return 1


def current_device() -> str:
    """ "cpu"."""
    return "cpu"


def synchronize(device: object = None) -> None:
    """Return at once: work on the CPU is done when its call returns."""


def get_isa() -> str:
    """The instruction set of the kernels: scalar, avx2 or avx512; CEPHEID_ISA forces one."""
    return _C._isa()
