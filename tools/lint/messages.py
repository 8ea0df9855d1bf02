"""Messages: C++ refuses through csrc/base/error.h, with the op's name, and by no other way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tools.lint.common import CPP_SUFFIXES, Problem, blank_cpp, line_of, relative, tree

# The helper; the bridge that turns errors of one language into those of the other; the dispatcher,
# which names the entry that lacks a kernel, whatever op the user called.
HELPER = (
    "csrc/base/error.h",
    "csrc/base/error.cpp",
    "csrc/core/dispatcher.cpp",
    "csrc/python/errors.cpp",
)
_THROW = re.compile(r"\bthrow\b\s*([^;]*)")
_STANDARD = re.compile(r"\bstd::(runtime_error|logic_error|invalid_argument|out_of_range)\s*[({]")
_EMPTY_OP = re.compile(r'\bfail\s*\(\s*ErrorKind::\w+\s*,\s*""')
_RAW_PYTHON = re.compile(r'\bPyErr_SetString\s*\(\s*[^,]+,\s*(?:\w+::)?"([^"]*)"')

# What csrc/python may throw: the exception that the interpreter already holds.
_PYTHON_ERRORS = ("py::error_already_set", "pybind11::error_already_set")


def check(root: Path) -> list[Problem]:
    """Every bare throw and every message without an op's name below `root`/csrc."""
    base = root / "csrc"
    if not base.is_dir():
        return []
    return [
        Problem(relative(path, root), line, text)
        for path in tree(base, CPP_SUFFIXES)
        if relative(path, root) not in HELPER
        for line, text in _findings(path.read_text())
    ]


def _findings(text: str) -> Iterator[tuple[int, str]]:
    code = blank_cpp(text)
    for match in _THROW.finditer(code):
        what = match[1].strip()
        if what and not what.startswith(_PYTHON_ERRORS):
            yield line_of(code, match.start()), "throw: refuse with fail() of base/error.h instead"
    for match in _STANDARD.finditer(code):
        yield line_of(code, match.start()), f"std::{match[1]}: use fail() of base/error.h instead"
    with_strings = blank_cpp(text, keep_strings=True)
    for match in _EMPTY_OP.finditer(with_strings):
        yield line_of(text, match.start()), 'fail(..., ""): name the op that refuses'
    for match in _RAW_PYTHON.finditer(with_strings):
        if not re.match(r"[\w.]+(\(\))?: ", match[1]):
            yield (
                line_of(text, match.start()),
                f'the message "{match[1]}" does not begin with the name of what refuses',
            )
