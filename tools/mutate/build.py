"""Builds cepheid with mutants in a folder of its own: `python -m tools.mutate.build`.

A rule looks at syntax only, so some mutants are no valid C++. They are found by building: the
compiler names lines, the sites on them are noted in not_cpp.txt, and the build goes on without.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.mutate.paths import BUILD, DROPPED, PYTHON, ROOT, SHARE, SITE

_ERROR = re.compile(r"mutated/((?:csrc|generated)/[^:\s]+):(\d+):\d+: (?:fatal )?error:")
_ROUNDS = 8


class BuildFailed(RuntimeError):
    """The build with mutants can't be made."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Configure, build, install."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=SHARE, help="of all sites, by their key")
    share: float = parser.parse_args(arguments).share
    try:
        build(share)
    except BuildFailed as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 1
    return 0


def build(share: float = SHARE) -> None:
    """Bring the build with mutants up to date. Raises BuildFailed."""
    python = Path(sys.executable)
    tools = {**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    cmake = str(python.with_name("cmake"))
    configure = [cmake, "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja"]
    configure += [f"-DPython_EXECUTABLE={python}", f"-DCEPHEID_MUTANTS={share}"]
    configure += ["-DCEPHEID_TESTS=ON"]
    _run(configure, tools)
    for _ in range(_ROUNDS):
        made = subprocess.run(
            [cmake, "--build", str(BUILD), "--", "-k", "0"],
            env=tools,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode == 0:
            return _install(cmake, tools)
        if not _drop(made.stdout):
            raise BuildFailed(f"the build fails outside of mutants:\n{made.stdout[-4000:]}")
    raise BuildFailed(f"mutants still don't compile after {_ROUNDS} rounds")


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildFailed(f"{' '.join(command)}:\n{(done.stdout + done.stderr)[-4000:]}")


def _drop(output: str) -> bool:
    """Note the sites on the lines that the compiler refuses; whether there were any."""
    refused = {(file, int(line)) for file, line in _ERROR.findall(output)}
    table: list[dict[str, Any]] = json.loads((BUILD / "mutated" / "mutants.json").read_text())
    keys: set[str] = set()
    for file, line in refused:
        here = [site for site in table if site["file"] == file and site["line"] == line]
        swaps = [site for site in here if site["rule"] == "swap"]
        keys |= {site["key"] for site in swaps or here}
    if not keys:
        return False
    known = set(DROPPED.read_text().split())
    DROPPED.write_text("".join(f"{key}\n" for key in sorted(known | keys)))
    print(f"mutate: {len(keys)} sites are no valid C++")
    return True


def _install(cmake: str, tools: dict[str, str]) -> None:
    """Into an interpreter of its own that looks into this one for packages: two installs of
    cepheid can't share an environment."""
    if not SITE.is_dir():
        _run([sys.executable, "-m", "venv", "--without-pip", str(PYTHON.parents[1])], tools)
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    (SITE / "packages.pth").write_text(f"{packages}\n")
    _run([cmake, "--install", str(BUILD), "--prefix", str(SITE)], tools)
    for package in ("cepheid", "cepheid_conformance", "cepheid_mutants"):
        source = ROOT / "lib" / package
        if source.is_dir():
            shutil.copytree(source, SITE / package, dirs_exist_ok=True)


if __name__ == "__main__":
    sys.exit(main())
