"""What the exit status of `run_test.py` means. Numbers are never reused; README.md has them all.

Where several hold, the first of 130, 3, 1, 8, 9, 5, 10, 6 counts.
"""

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
"""No test failed for good, but at least one both failed and passed."""

BLANK_CELLS = 6
"""Every test passed, but the conformance matrix has cells without a verdict."""

BOOTSTRAP = 7
"""The environment could not be made or the build failed."""

ORDER_DEPENDENT = 8
"""No test failed for good, but at least one passes or fails by what ran before it."""

INFRASTRUCTURE = 9
"""No test failed for good, but at least one met a fault of the machine: run it again."""

QUARANTINE = 10
"""Every test passed, but ci/quarantine.toml has entries that are expired or name nothing."""

MERGE = 11
"""`merge`: the reports are not one whole run, each test of its plan with one outcome."""

INTERRUPTED = 130
"""Stopped by Ctrl-C or SIGTERM; the report says what had run."""
