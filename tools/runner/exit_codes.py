"""What the exit status of `run_test.py` means. Numbers are never reused."""

PASSED = 0
"""Every planned test passed, was skipped, or failed as expected."""

FAILED = 1
"""At least one planned test has no passing outcome."""

USAGE = 2
"""The arguments are wrong; nothing ran."""

INTERNAL = 3
"""The runner itself failed; its report is not to be trusted."""

EMPTY_SELECTION = 4
"""The selection names no test, so a pass would be untrue."""

FLAKY = 5
"""No test failed for good, but at least one passed only when it was tried again."""

BLANK_CELLS = 6
"""Every test passed, but the conformance matrix has cells without a verdict."""

BOOTSTRAP = 7
"""The environment could not be made or the build failed."""

INTERRUPTED = 130
"""Stopped by Ctrl-C or SIGTERM; the report says what had run."""
