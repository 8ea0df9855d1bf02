"""Types: mypy over the tools and the judge, and over cepheid with the stubs that its build made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDERS = ("lib/cepheid_conformance", "tools", "ci", "cmake", "run_test.py")


def check(root: Path, build: Path | None) -> list[str]:
    """What mypy says; without a build folder cepheid itself is left out."""
    present = [folder for folder in FOLDERS if (root / folder).exists()]
    found = _mypy(root, present)
    if build is not None:
        found += _check_package(root, build)
    return found


def _check_package(root: Path, build: Path) -> list[str]:
    """cepheid as it is installed: its sources and the generated stubs in one folder."""
    stubs = [*(build / "generated").glob("_C.pyi"), *(build / "generated").glob("_C/**/*.pyi")]
    if not stubs:
        return [f"{build}: no generated stub here; build first"]
    overlay = build / "types"
    shutil.rmtree(overlay, ignore_errors=True)
    shutil.copytree(root / "lib" / "cepheid", overlay / "cepheid")
    for stub in stubs:
        target = overlay / "cepheid" / stub.relative_to(build / "generated")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(stub, target)
    return _mypy(root, ["--package", "cepheid"], overlay)


def _mypy(root: Path, arguments: list[str], path: Path | None = None) -> list[str]:
    variables = {**os.environ, **({"MYPYPATH": str(path)} if path else {})}
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *arguments]
    done = subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True)
    lines = (done.stdout + done.stderr).splitlines()
    return lines if done.returncode else []
