"""The command that runs one test again."""

import shlex


def rerun_command(test: str, implementation: str) -> str:
    """A line to paste into a shell at the repository's root."""
    return shlex.join(["python3", "run_test.py", test, "--impl", implementation])
