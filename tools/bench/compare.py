"""Cepheid beside PyTorch: `python -m tools.bench.compare [--full] [options of tools.bench]`.

Makes both environments, runs the benchmarks (quick mode, unless --full) and writes
build/reports/bench.json and docs/performance.md. Cepheid is measured as users have it: a wheel in
an environment of its own, not the editable install, whose libraries lie elsewhere.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.bench import report, run
from tools.runner import bootstrap

JSON = bootstrap.ROOT / "build" / "reports" / "bench.json"
WHEELS = bootstrap.ROOT / "build" / "wheels"
BUILD = bootstrap.ROOT / "build" / "cmake" / "wheel"


def main(arguments: list[str]) -> int:
    """Run everything; the exit status."""
    own = install(bootstrap.environment_of(bootstrap.OWN, "dev.txt"))
    peer = bootstrap.prepare_candidate(["--impl", "torch"])[bootstrap.CANDIDATE_VARIABLE]
    mode = [] if "--full" in arguments else ["--quick"]
    rest = [word for word in arguments if word != "--full"]
    JSON.parent.mkdir(parents=True, exist_ok=True)
    impls = ["--impl", f"torch={peer}", "--impl", f"cepheid={own}"]
    status = run.main([*impls, *mode, "--json", str(JSON), *rest])
    return status or report.main([str(JSON)])


def install(tools: bootstrap.Environment) -> Path:
    """The interpreter of an environment that holds nothing but a wheel of cepheid."""
    bootstrap.make(tools)
    pip = [str(tools.python), "-m", "pip", "--disable-pip-version-check"]
    folder = tools.folder.with_name(tools.folder.name.replace(bootstrap.OWN, "wheel"))
    python = folder / "bin" / "python"
    offline = ["--no-deps", "--quiet"]
    subprocess.run([str(tools.python), "-m", "venv", "--without-pip", str(folder)], check=True)
    for old in WHEELS.glob("*.whl"):
        old.unlink()
    options = ["--no-build-isolation", "-C", f"build-dir={BUILD}", "-w", str(WHEELS)]
    subprocess.run([*pip, "wheel", *offline, *options, str(bootstrap.ROOT)], check=True)
    (wheel,) = WHEELS.glob("*.whl")
    into = ["--python", str(python), "install", *offline, "--force-reinstall"]
    subprocess.run([*pip, *into, str(wheel)], check=True)
    return python


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
