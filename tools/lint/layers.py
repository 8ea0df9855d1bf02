"""Layers: includes and imports point downwards, as layers.toml says."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.lint.common import CPP_SUFFIXES, Problem, relative, tree

RULES = Path(__file__).with_name("layers.toml")
_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def check(root: Path, rules: Path = RULES) -> list[Problem]:
    """Every upward or sideways include and import below `root`."""
    config = tomllib.loads(rules.read_text())
    return [
        *_check_cpp(root, config["cpp"]),
        *_check_levels(root, config["python"]),
        *_check_never(root, config["python"]["never"]),
    ]


def _check_cpp(root: Path, config: dict[str, Any]) -> Iterator[Problem]:
    base = root / config["root"]
    if not base.is_dir():
        return
    for path in tree(base, CPP_SUFFIXES):
        folder = path.relative_to(base).parts[0]
        text = path.read_text()
        for match in _INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(2)) + 1
            wrong = _wrong_include(folder, match[2], match[1] == '"', config)
            if wrong:
                yield Problem(relative(path, root), line, wrong)


def _wrong_include(folder: str, header: str, quoted: bool, config: dict[str, Any]) -> str:
    for name, folders in config["only"].items():
        if (header.startswith(name) if name.endswith("/") else header == name) and (
            folder not in folders
        ):
            return f"{folder}/ may not include {header}: only {', '.join(folders)} may"
    if not quoted or "/" not in header:
        return ""
    allowed = config["may_include"].get(folder)
    if allowed is None:
        return f"csrc/{folder} is in no layer; place it in tools/lint/layers.toml"
    below = [folder, *allowed]
    if any(header.startswith(f"{name}/") for name in below + list(config["only"])):
        return ""
    return f"{folder}/ may include {', '.join(below)}; not {header}"


@dataclass(frozen=True)
class _Level:
    name: str
    modules: list[str]
    together: bool = False
    siblings: list[str] = field(default_factory=list)


def _check_levels(root: Path, config: dict[str, Any]) -> Iterator[Problem]:
    base = root / config["root"]
    if not base.is_dir():
        return
    levels = [_Level(**level) for level in config["level"]]
    placed = {module: rank for rank, level in enumerate(levels) for module in level.modules}
    for path in tree(base, (".py",)):
        module = _module_name(path, base)
        home = _placed_name(module, placed)
        if home is None:
            text = f"cepheid.{module} is in no level; place it in tools/lint/layers.toml"
            yield Problem(relative(path, root), 0, text)
            continue
        for line, target in _package_imports(path, module, config["package"], placed):
            to = _placed_name(target, placed)
            if to is not None and not _may_import(home, to, placed, levels):
                text = (
                    f"{home or 'cepheid'} ({levels[placed[home]].name}) may not import "
                    f"{to or 'cepheid'} ({levels[placed[to]].name})"
                )
                yield Problem(relative(path, root), line, text)


def _may_import(home: str, to: str, placed: dict[str, int], levels: list[_Level]) -> bool:
    if home == to or placed[to] < placed[home]:
        return True
    level = levels[placed[home]]
    return placed[to] == placed[home] and (level.together or f"{home} -> {to}" in level.siblings)


def _module_name(path: Path, base: Path) -> str:
    """'nn.linear' for lib/cepheid/nn/linear.py; '' for the package itself."""
    parts = list(path.relative_to(base).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def _placed_name(module: str, placed: dict[str, int]) -> str | None:
    """The longest placed prefix of `module`, or None."""
    if module == "":
        return "" if "" in placed else None
    parts = module.split(".")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if name in placed:
            return name
    return None


def _package_imports(
    path: Path, module: str, package: str, placed: dict[str, int]
) -> Iterator[tuple[int, str]]:
    """(line, module inside the package) of each run-time import of the package in a file."""
    is_package = path.name == "__init__.py"
    for node in _run_time_imports(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = _from_targets(node, module, is_package, package, placed)
        for name in names:
            if name == package or name.startswith(f"{package}."):
                yield node.lineno, name.removeprefix(package).removeprefix(".")


def _from_targets(
    node: ast.ImportFrom, module: str, is_package: bool, package: str, placed: dict[str, int]
) -> list[str]:
    source = node.module or ""
    if node.level:
        parts = [package, *(module.split(".") if module else [])]
        keep = len(parts) - node.level + (1 if is_package else 0)
        source = ".".join([*parts[:keep], *([source] if source else [])])
    if source != package:
        return [source]
    return [f"{package}.{a.name}" if a.name in placed else package for a in node.names]


def _run_time_imports(module: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports outside `if TYPE_CHECKING:` blocks."""
    pending: list[ast.AST] = [module]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending.extend(node.orelse)
        else:
            pending.extend(ast.iter_child_nodes(node))


def _check_never(root: Path, never: dict[str, list[str]]) -> Iterator[Problem]:
    for folder, packages in never.items():
        if not (root / folder).is_dir():
            continue
        for path in tree(root / folder, (".py",)):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module or ""]
                else:
                    continue
                for name in names:
                    if name.split(".")[0] in packages:
                        text = f"{folder} must never import {name.split('.')[0]}"
                        yield Problem(relative(path, root), node.lineno, text)
