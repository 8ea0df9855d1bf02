"""Writes generated files: only those that changed, and away with those no longer made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MANIFEST = "files.txt"


@dataclass(frozen=True)
class Written:
    """What a run did to the output folder."""

    changed: tuple[str, ...]
    removed: tuple[str, ...]
    total: int


def write_files(folder: Path, files: Mapping[str, str]) -> Written:
    """Makes `folder` hold these files (path relative to it -> text).

    A file whose text is the same keeps its time stamp. Of other files only those are removed that
    an earlier run wrote, which the manifest lists.
    """
    changed = tuple(name for name, text in sorted(files.items()) if _write(folder / name, text))
    manifest = folder / MANIFEST
    before = manifest.read_text(encoding="utf-8").split("\n") if manifest.exists() else []
    removed = tuple(name for name in before if name and name not in files)
    for name in removed:
        (folder / name).unlink(missing_ok=True)
    _write(manifest, "".join(f"{name}\n" for name in sorted(files)))
    return Written(changed, removed, len(files))


def _write(path: Path, text: str) -> bool:
    data = text.encode("utf-8")
    if path.exists() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return True
