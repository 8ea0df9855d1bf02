"""usage: footprint.py MODULE -> JSON with what importing the module costs.

Seconds (on the clock, and of processor time), memory held after it, bytes on disk. Disk counts
leave out byte code, and come with and without the distributions that the module's requires.
It runs alone in a new process and imports nothing of this project: that would be measured too.
"""

import importlib
import json
import os
import re
import sys
import time
from importlib import metadata
from pathlib import Path


def resident() -> int:
    """Bytes of memory that this process holds."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def tree_size(folder: Path) -> int:
    """Bytes of all files below a folder, without byte code."""
    total = 0
    for path, _, names in os.walk(folder):
        if Path(path).name != "__pycache__":
            total += sum(Path(path, name).lstat().st_size for name in names)
    return total


def required(distribution: metadata.Distribution, seen: set[str]) -> int:
    """Bytes of the distributions that one requires, each once; extras are not followed."""
    total = 0
    for line in distribution.requires or []:
        match = re.match(r"[\w.-]+", line)
        name = match[0].lower() if match else line
        if "extra ==" in line or name in seen:
            continue
        seen.add(name)
        try:
            other = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        paths = [Path(str(other.locate_file(path))) for path in other.files or []]
        total += sum(p.stat().st_size for p in paths if "__pycache__" not in p.parts and p.exists())
        total += required(other, seen)
    return total


def package_size(path: Path) -> int:
    """Bytes of an imported package; of all its folders, where an editable install has several."""
    return tree_size(path) + tree_size(Path(f"{path}.libs"))


def main(name: str) -> None:
    """Import the module and print what that cost."""
    start, busy = time.perf_counter(), time.process_time()
    module = importlib.import_module(name)
    seconds = [time.perf_counter() - start, time.process_time() - busy]
    memory = resident()
    size = sum(package_size(Path(folder).resolve()) for folder in module.__path__)
    owners = metadata.packages_distributions().get(name.split(".")[0], [])
    owned = [required(metadata.distribution(owner), {owner.lower()}) for owner in owners[:1]]
    found = {"statement": seconds, "rss": [memory], "size": [size]}
    print(json.dumps({**found, "size_with_required": [size + sum(owned)]}))


main(sys.argv[1])
