"""The machine of a run in words that a reader can use: no name, no path."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path


def describe() -> dict[str, str]:
    """Processor, number of processors, memory, system and date."""
    return {
        "processor": processor(),
        "processors": str(os.cpu_count()),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}, {' '.join(platform.libc_ver())}",
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def processor() -> str:
    """The processor's model, as the system names it."""
    table = Path("/proc/cpuinfo")
    if table.exists():
        for line in table.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
