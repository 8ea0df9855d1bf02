"""The test runner: list, select, plan, execute, report (see README.md)."""

from tools.runner.this_file import run_this_file

__all__ = ["run_this_file"]
