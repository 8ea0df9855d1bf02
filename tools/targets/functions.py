"""The functions of C++ and Python sources and the op entries of YAML, with their lines."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from tools.mutate.cpp import parse, text

CPP = (".cpp", ".h")
_ENTRY = re.compile(r'^- op: "([\w.]+)\(', re.MULTILINE)


@dataclass(frozen=True)
class Function:
    """A function or an op entry: lines from `first` to `last`; `digest` of its text."""

    name: str
    first: int
    last: int
    digest: str
    text: str


@lru_cache(maxsize=512)
def functions(path: str, source: str) -> tuple[Function, ...]:
    """Everything of a source that has a name and lines; nothing for other kinds of file."""
    if path.endswith(CPP):
        return tuple(_cpp(parse(source.encode()), source.splitlines()))
    if path.endswith(".py"):
        return tuple(_python(source))
    if path.endswith(".yaml"):
        return tuple(_entries(source))
    return ()


def changed(path: str, source: str, lines: Iterable[int]) -> set[str]:
    """Names of what the lines are part of; "" for a line outside of all."""
    known = functions(path, source)
    names: set[str] = set()
    for line in lines:
        around = [each.name for each in known if each.first <= line <= each.last]
        names |= set(around) or {""}
    return names


def digests(path: str, source: str) -> dict[str, str]:
    """A digest by name, the same for sources that differ by white space only."""
    found: dict[str, list[str]] = {}
    for each in functions(path, source):
        found.setdefault(each.name, []).append(each.digest)
    return {name: _digest(" ".join(parts)) for name, parts in found.items()}


def _cpp(root: Node, lines: Sequence[str]) -> Iterator[Function]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "function_definition":
            first, last = node.start_point.row + 1, node.end_point.row + 1
            name = _name_of(node.child_by_field_name("declarator"))
            yield _function(name, first, last, lines)
        else:
            stack.extend(reversed(node.named_children))


def _name_of(declarator: Node | None) -> str:
    """As tools/mutate names it, and so as the sites of mutants are named."""
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator") or next(
            (each for each in declarator.named_children if "declarator" in each.type), None
        )
    if declarator is None:
        return "?"
    return text(declarator.child_by_field_name("declarator")) or "?"


def _python(source: str) -> Iterator[Function]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return  # broken sources have no functions: the whole file counts
    lines = source.splitlines()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield _function(node.name, node.lineno, node.end_lineno or node.lineno, lines)


def _entries(source: str) -> Iterator[Function]:
    lines = source.splitlines()
    found = list(_ENTRY.finditer(source))
    starts = [source.count("\n", 0, each.start()) + 1 for each in found]
    ends = [start - 1 for start in starts[1:]] + [len(lines)]
    for each, first, last in zip(found, starts, ends, strict=False):
        yield _function(each.group(1), first, last, lines)


def _function(name: str, first: int, last: int, lines: Sequence[str]) -> Function:
    body = "\n".join(lines[first - 1 : last])
    return Function(name, first, last, _digest(body), body)


def _digest(body: str) -> str:
    return hashlib.sha256(" ".join(body.split()).encode()).hexdigest()[:8]
