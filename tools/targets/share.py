"""The part of the suite's time that a selection may take; for a bare CPython's --help too."""

SHARE = 0.25
