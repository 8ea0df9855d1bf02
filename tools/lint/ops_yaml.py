"""Op entries: the generator accepts them, and the judge has every function that they name.

Composites written by hand in C++ (`native: {composite: ...}`) stay under 5 % of the ops: a rule
runs in eager C++, in tracing and in the compiler alike, a hand-written one only in C++.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.codegen.model import OpEntry
from tools.codegen.problems import CodegenError
from tools.codegen.registry import read_registry
from tools.lint.common import Problem

HAND_WRITTEN_SHARE = 0.05
NO_FUNCTION = "none"


def check(root: Path) -> list[Problem]:
    """What is wrong with the entries below `root`/csrc/ops."""
    try:
        entries = read_registry(root / "csrc" / "ops").entries
    except CodegenError as error:
        return [Problem(p.file, p.line, f"{p.op}: {p.text}") for p in error.problems]
    return [*_missing_functions(root, entries), *too_many_hand_written(entries)]


def too_many_hand_written(entries: tuple[OpEntry, ...]) -> Iterator[Problem]:
    """One problem when more ops than allowed are composites written in C++."""
    by_hand = [
        entry
        for entry in entries
        if entry.implementation.kind == "native" and "composite" in entry.implementation.cases
    ]
    if len(by_hand) >= HAND_WRITTEN_SHARE * len(entries) and by_hand:
        names = ", ".join(entry.full_name for entry in by_hand)
        text = (
            f"{len(by_hand)} of {len(entries)} ops are composites written in C++, under "
            f"{HAND_WRITTEN_SHARE:.0%} may be; write rules for some of {names}"
        )
        yield Problem(by_hand[-1].source.file, by_hand[-1].source.line, text)


def _missing_functions(root: Path, entries: tuple[OpEntry, ...]) -> Iterator[Problem]:
    """Names of oracles, samples and error cases that no function of the judge has."""
    judge = root / "lib" / "cepheid_conformance"
    defined = {
        kind: {path.stem: names_bound(path) for path in (judge / kind).glob("*.py")}
        for kind in ("oracle", "samples")
    }
    for entry in entries:
        for field, kind, name in _named_functions(entry):
            if name not in defined[kind].get(entry.family, set()):
                text = f"{entry.full_name}: {field}: no function {name} in {kind}/{entry.family}.py"
                yield Problem(entry.source.file, entry.source.at(field), text)


def _named_functions(entry: OpEntry) -> Iterator[tuple[str, str, str]]:
    """(field, folder of the judge, function) of each function that an entry names."""
    if isinstance(entry.oracle, str):
        yield "oracle", "oracle", entry.oracle
    yield "samples", "samples", entry.samples
    for name in entry.errors:
        if name != NO_FUNCTION:
            yield "errors", "samples", name


def names_bound(path: Path) -> set[str]:
    """The names that a module binds at its top level."""
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names
