"""Weak symbols: an ISA unit must emit none.

Note [Weak symbols of ISA units]: the linker keeps one copy of a weak (COMDAT) function. Were it
the copy of an AVX-512 unit, baseline code would run it on a processor that has no AVX-512. So a
unit above the baseline defines nothing weak: helpers are in the ISA's own namespace, static or
always inlined, and no standard container is used.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools.lint.common import Problem

WEAK_KINDS = frozenset("WVu")
BASELINE = "scalar"
FOLDERS = ("isa_units", "generated/pointwise")


def check(build: Path) -> list[Problem]:
    """Every weak definition in the objects of the ISA units of the build folder `build`.

    A folder without such objects is a problem: a check that looks at nothing proves nothing.
    """
    objects = [path for path in sorted(build.rglob("*.o")) if is_vector_unit(path)]
    if not objects:
        return [Problem(str(build), 0, "no object of an ISA unit here; build first")]
    return [
        Problem(path.name, 0, f"weak symbol in an ISA unit: {symbol}")
        for path in objects
        for symbol in weak_symbols(path)
    ]


def is_vector_unit(path: Path) -> bool:
    """Whether an object is a unit of an instruction set above the baseline."""
    unit = any(f"/{folder}/" in path.as_posix() for folder in FOLDERS)
    return unit and BASELINE not in path.name


def weak_symbols(path: Path) -> list[str]:
    """The demangled names of the weak definitions in one object file."""
    listing = subprocess.run(
        ["nm", "-C", "--defined-only", str(path)], capture_output=True, text=True, check=True
    ).stdout
    rows = (line.split(maxsplit=2) for line in listing.splitlines())
    return [row[2] for row in rows if len(row) == 3 and row[1] in WEAK_KINDS]
