"""Where the parts of mutation testing lie."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
BUILD = ROOT / "build" / "mutants"
TABLE = BUILD / "mutated" / "mutants.json"
_ENVIRONMENT = ROOT / "build" / "env" / f"mutants-{_VERSION}"
PYTHON = _ENVIRONMENT / "bin" / "python"
SITE = _ENVIRONMENT / "lib" / f"python{_VERSION}" / "site-packages"

DROPPED = Path(__file__).with_name("not_cpp.txt")
# Of all sites of the rules, the part that is built and scored; chosen by key, so that a change of
# one function leaves the mutants of the others as they are.
SHARE = 0.1
