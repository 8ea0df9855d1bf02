"""Switches a candidate into one of its mutants: a source mutant of a test build of cepheid, by
number, or a wrapper mutant of any implementation, by name."""

from __future__ import annotations

import ctypes
import importlib
import resource
from pathlib import Path
from types import ModuleType

# A mutant that asks for everything must fail alone.
ADDRESS_SPACE = 16 << 30


def activate(module: ModuleType, mutant: str) -> None:
    """Become the mutant. Called in a forked child, which never goes back."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    if mutant.isdecimal():
        library = _library(module)
        ctypes.c_int32.in_dll(library, "ceph_mutant_active").value = int(mutant)
    else:
        importlib.import_module("cepheid_mutants").activate(module, mutant)


def take_reached(module: ModuleType) -> bytes:
    """One byte for each mutation site: whether it was reached since the last call."""
    library = _library(module)
    count = ctypes.c_int32.in_dll(library, "ceph_mutant_count").value
    reached = (ctypes.c_uint8 * count).in_dll(library, "ceph_mutant_reached")
    taken = bytes(reached)
    ctypes.memset(reached, 0, count)
    return taken


def _library(module: ModuleType) -> ctypes.CDLL:
    if module.__file__ is None:
        raise ImportError(f"mutants: {module.__name__} must be a package on disk")
    path = Path(module.__file__).with_name("lib") / "libcepheid.so"
    library = ctypes.CDLL(str(path))
    if not hasattr(library, "ceph_mutant_active"):
        raise RuntimeError(f"mutants: {path} must be a build with mutants (tools/mutate)")
    return library
