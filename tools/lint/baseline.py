"""Baseline: outside the regions of the ISAs no function holds an instruction above x86-64-v2.

A region is an ISA unit, or a function in the namespace of an ISA (ceph::kernels::avx2).
AVX and everything after it is encoded with vector prefixes, whose mnemonics begin with v and take
xmm, ymm, zmm or mask registers; nothing of the baseline looks like that.
"""

from __future__ import annotations

import platform
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.lint.common import Problem
from tools.lint.weak_symbols import is_vector_unit

_ABOVE = re.compile(r"\t(v[a-z0-9]+)\s+.*%[xyzk](?:mm)?\d|\t(?:andn|bextr|pdep|pext|mulx|rorx)\s")
_REGION = re.compile(r"(?:^|\s)ceph::kernels::avx\w*::")
_SYMBOL = re.compile(r"^[0-9a-f]+ <(.+)>:$")


def check(build: Path) -> list[Problem]:
    """Every function of the baseline objects below `build` that needs a newer processor."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return []
    objects = [path for path in sorted(build.rglob("*.o")) if not is_vector_unit(path)]
    if not objects:
        return [Problem(str(build), 0, "no object here; build first")]
    with ThreadPoolExecutor(2) as pool:
        found = zip(objects, pool.map(functions_above, objects), strict=True)
    return [
        Problem(path.name, 0, f"{name} holds {instruction}, which the baseline doesn't have")
        for path, functions in found
        for name, instruction in functions.items()
    ]


def functions_above(path: Path) -> dict[str, str]:
    """function -> its first instruction above the baseline, of one object file."""
    listing = subprocess.run(
        ["objdump", "-d", "-C", "--no-show-raw-insn", str(path)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found: dict[str, str] = {}
    name = "?"
    for line in listing.splitlines():
        if symbol := _SYMBOL.match(line):
            name = symbol[1]
        elif (match := _ABOVE.search(line)) and not _REGION.search(name.partition("(")[0]):
            found.setdefault(name, match[0].split()[0])
    return found
