"""From changed files to the tests that must run (docs/decisions/0016-target-determination.md)."""
