"""`--against IMPLEMENTATION`: the judge's differential mode instead of a test run."""

import subprocess
import sys
from pathlib import Path

from tools.runner.arguments import DEFAULT_IMPLEMENTATION, Arguments
from tools.runner.settings import PEER_VARIABLE, Implementation


def compare(arguments: Arguments, root: Path) -> int:
    """Compare the implementation with the peer; returns the exit status of the comparison.

    The disagreements are written to `differential.json` in the report folder.
    """
    return subprocess.run(command(arguments, root), cwd=root, check=False).returncode


def command(arguments: Arguments, root: Path) -> list[str]:
    """The command line of the comparison; raises ValueError for an implementation without name."""
    ours = Implementation.parse(arguments.implementation or DEFAULT_IMPLEMENTATION)
    peer = Implementation.parse(str(arguments.against), PEER_VARIABLE)
    folder = arguments.report_dir or root / "build" / "reports" / "differential"
    folder.mkdir(parents=True, exist_ok=True)
    line = [sys.executable, "-P", "-m", "cepheid_conformance.differential"]
    line += ["--impl", ours.name, "--candidate-python", ours.python]
    line += ["--against", peer.name, "--against-python", peer.python]
    line += ["--json", str(folder / "differential.json")]
    for option, value in (
        ("-k", arguments.keyword or None),
        ("--seed", arguments.seed),
        ("--draws", arguments.draws),
    ):
        if value is not None:
            line += [option, str(value)]
    return line
