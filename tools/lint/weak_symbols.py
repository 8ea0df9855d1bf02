"""Weak symbols: an ISA unit emits none but in the namespace of its own ISA.

Note [Weak symbols of ISA units]: the linker keeps one copy of a weak (COMDAT) function. Were it
the copy of an AVX-512 unit, baseline code would run it on a processor that has no AVX-512. So a
unit above the baseline defines nothing weak that others might define too: what it instantiates is
in ceph::kernels::<isa>, helpers are static or always inlined, and no standard container is used.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tools.lint.common import Problem

WEAK_KINDS = frozenset("WVu")
BASELINE = "scalar"
FOLDERS = ("isa_units", "generated/pointwise")
_UNIT = re.compile(r"(?:^|_)(avx\w*?)(?:_\d+)?\.cpp\.o$")


def check(build: Path) -> list[Problem]:
    """Every such definition in the objects of the ISA units of the build folder `build`.

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
    """The demangled names of the weak definitions of one object that others might define too."""
    isa = _UNIT.search(path.name)
    own = _namespace(isa[1]) if isa else re.compile("(?!)")
    pairs = zip(_definitions(path), _definitions(path, "-C"), strict=True)
    return [
        shown for (kind, name), (_, shown) in pairs if kind in WEAK_KINDS and not own.match(name)
    ]


def _namespace(isa: str) -> re.Pattern[str]:
    """Mangled names (functions, their static variables, tables of types) of ceph::kernels::isa."""
    return re.compile(rf"_Z(?:TV|TS|TI|GV|Z)*NK?4ceph7kernels{len(isa)}{isa}")


def _definitions(path: Path, *options: str) -> list[tuple[str, str]]:
    """(kind, name) of each symbol that an object defines, in the order of the object."""
    listing = subprocess.run(
        ["nm", "--no-sort", "--defined-only", *options, str(path)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = (line.split(maxsplit=2) for line in listing.splitlines())
    return [(row[1], row[2]) for row in rows if len(row) == 3]
