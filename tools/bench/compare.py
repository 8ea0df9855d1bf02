"""Cepheid beside PyTorch: `python -m tools.bench.compare [--full] [options of tools.bench]`.

Makes both environments, runs the benchmarks (quick mode, unless --full) and writes
build/reports/bench.json and docs/performance.md.
"""

from __future__ import annotations

import sys

from tools.bench import report, run
from tools.runner import bootstrap

JSON = bootstrap.ROOT / "build" / "reports" / "bench.json"


def main(arguments: list[str]) -> int:
    """Run everything; the exit status."""
    own = bootstrap.prepare_own()
    peer = bootstrap.prepare_candidate(["--impl", "torch"])[bootstrap.CANDIDATE_VARIABLE]
    mode = [] if "--full" in arguments else ["--quick"]
    rest = [word for word in arguments if word != "--full"]
    JSON.parent.mkdir(parents=True, exist_ok=True)
    impls = ["--impl", f"torch={peer}", "--impl", f"cepheid={own}"]
    status = run.main([*impls, *mode, "--json", str(JSON), *rest])
    return status or report.main([str(JSON)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
