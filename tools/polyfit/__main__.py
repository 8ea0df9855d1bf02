"""Refits the polynomials of the vector functions: `python -m tools.polyfit [--write]`.

Without --write it says whether the committed header is what the problems give (exit status 1 if
not), which is how a test keeps the two together.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.polyfit.header import render

TARGET = Path(__file__).parents[2] / "csrc" / "kernels" / "generic" / "coefficients.h"


def main() -> int:
    """Compares the header with the problems, or writes it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.polyfit", description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the header")
    text = render()
    if parser.parse_args().write:
        TARGET.write_text(text)
        return 0
    if TARGET.read_text() == text:
        print(f"{TARGET.name} is up to date")
        return 0
    message = f"{TARGET.name} differs from tools/polyfit/problems.py: run with --write"
    print(message, file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
