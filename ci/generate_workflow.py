"""Write .github/workflows/ci.yml from ci/matrix.toml: `python -m ci.generate_workflow`."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MATRIX = ROOT / "ci" / "matrix.toml"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"


def main() -> int:
    """Write the workflow."""
    WORKFLOW.parent.mkdir(parents=True, exist_ok=True)
    WORKFLOW.write_text(workflow(tomllib.loads(MATRIX.read_text())))
    return 0


def workflow(matrix: dict[str, Any]) -> str:
    """The text of the workflow."""
    lines = [
        "# Written by ci/generate_workflow.py from ci/matrix.toml; do not edit.",
        "name: ci",
        "on:",
        "  push:",
        "    branches: [main]",
        "  pull_request:",
        "permissions:",
        "  contents: read",
        "jobs:",
    ]
    minutes = matrix["defaults"]["timeout_minutes"]
    for device in matrix["device"]:
        if "absent" in device:
            lines.append(f"  # {device['name']}: absent: {device['absent']}")
            continue
        for python in device["python"]:
            lines += _jobs(device, python, minutes)
    return "\n".join(lines) + "\n"


def _jobs(device: dict[str, Any], python: str, minutes: int) -> Iterator[str]:
    name = f"{device['name']}-py{python.replace('.', '')}"
    head = _head(device, python, minutes)
    if python in device["full"]:
        yield f"  {name}:"
        yield from head
        yield "      - run: ci/run"
        return
    shards = ", ".join(str(number) for number in range(1, device["shards"] + 1))
    yield f"  {name}:"
    yield "    strategy:"
    yield "      fail-fast: false"
    yield "      matrix:"
    yield f"        shard: [{shards}]"
    yield from head
    count = device["shards"]
    yield f"      - run: python run_test.py all --shard ${{{{ matrix.shard }}}}/{count}"


def _head(device: dict[str, Any], python: str, minutes: int) -> list[str]:
    return [
        f"    runs-on: {device['runs_on']}",
        f"    timeout-minutes: {minutes}",
        "    steps:",
        "      - uses: actions/checkout@v4",
        "      - uses: actions/setup-python@v5",
        "        with:",
        f'          python-version: "{python}"',
    ]


if __name__ == "__main__":
    sys.exit(main())
