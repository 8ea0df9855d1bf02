"""Sizes: a file stops at 700 lines, a function at 60, a line at 100 columns.

size_exceptions.txt lists what is larger, one `limit path` or `limit path function` a line. An
entry whose subject has shrunk below its limit is a problem too: the list may only shrink.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.lint.common import CPP_SUFFIXES, Problem, relative, tree
from tools.lint.cpp_functions import Function, functions

FILE_LINES = 700
FUNCTION_LINES = 60
LINE_COLUMNS = 100
EXCEPTIONS = Path(__file__).with_name("size_exceptions.txt")
SUFFIXES = (".py", *CPP_SUFFIXES)


def check(root: Path, exceptions: Path = EXCEPTIONS) -> list[Problem]:
    """Everything below `root` that is too long, and every exception that is out of date."""
    allowed = _read_exceptions(exceptions)
    problems: list[Problem] = []
    for path in tree(root, SUFFIXES):
        for key, line, size, limit, what in _measure(path, relative(path, root)):
            limit_here = allowed.pop(key, limit)
            if size > limit_here:
                text = f"{what} has {size} lines; at most {limit_here}"
                problems.append(Problem(key.split()[0], line, text))
            elif limit_here > max(size, limit):
                text = f"{what} has {size} lines: lower its exception of {limit_here}"
                problems.append(Problem(key.split()[0], line, text))
        problems += _long_lines(path, root)
    problems += [
        Problem(exceptions.name, 0, f"'{key}' names nothing that exists: delete the entry")
        for key in allowed
    ]
    return problems


def _read_exceptions(path: Path) -> dict[str, int]:
    lines = path.read_text().splitlines() if path.exists() else []
    entries = [line.split(maxsplit=1) for line in lines if line.strip() and line[0] != "#"]
    return {key: int(limit) for limit, key in entries}


def _measure(path: Path, name: str) -> Iterator[tuple[str, int, int, int, str]]:
    """(key, line, size, limit, description) of the file and of each of its functions."""
    text = path.read_text()
    yield name, 0, text.count("\n"), FILE_LINES, "the file"
    found = _python_functions(text) if path.suffix == ".py" else functions(text)
    for function in found:
        key = f"{name} {function.name}"
        yield key, function.first_line, function.lines, FUNCTION_LINES, f"{function.name}()"


def _python_functions(text: str) -> Iterator[Function]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(node.name, node.lineno, node.end_lineno or node.lineno)


def _long_lines(path: Path, root: Path) -> Iterator[Problem]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if len(line) > LINE_COLUMNS:
            text = f"the line has {len(line)} columns; at most {LINE_COLUMNS}"
            yield Problem(relative(path, root), number, text)
