"""What a process for each test costs: `python -m tools.drill.isolation` prints milliseconds.

The same trivial tests run in one process and each in a fork of its own; the figure is the
difference in the time from the first start to the last, per test, best of several runs.
"""

import sys
import tempfile
from pathlib import Path

from tools.drill.scratch import Scratch

TESTS = 200
REPEATS = 3
LIMIT_MS = 25.0
FILE = """
import numpy, pytest

@pytest.mark.parametrize("number", range({count}))
def test_trivial(number): pass
"""


def added_ms(folder: Path, tests: int = TESTS, repeats: int = REPEATS) -> float:
    """Milliseconds that isolation adds to a test."""
    scratch = Scratch(folder)
    scratch.write("test/unit/test_trivial.py", FILE.format(count=tests))
    best = {
        mode: min(_per_test_ms(scratch, mode, tests) for _ in range(repeats))
        for mode in ("file", "test")
    }
    return best["test"] - best["file"]


def _per_test_ms(scratch: Scratch, mode: str, tests: int) -> float:
    result = scratch.run("test/unit", "--isolation", mode)
    if result.last_line != f"{tests} passed, 0 failed, 0 skipped":
        raise RuntimeError(f"expected {tests} tests to pass; got {result.last_line}")
    starts = [event["t"] for event in result.events if event["type"] == "TestStarted"]
    return float((starts[-1] - starts[0]) / (tests - 1) * 1e3)


def main() -> int:
    """Print the figure; 1 when it is above the limit."""
    with tempfile.TemporaryDirectory() as folder:
        added = added_ms(Path(folder))
    sys.stdout.write(f"{added:.1f} ms added for each isolated test (limit {LIMIT_MS:g})\n")
    return 0 if added <= LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
