"""The project's own checks: layers, sizes, op entries, messages, notes, symbols, private paths.

Each module has `check(root) -> list[Problem]`; `main` runs them all and the general tools.
"""
