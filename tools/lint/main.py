"""Run every check: `python -m tools.lint [NAME ...] [--without NAME] [--build FOLDER] [--fix]`.

The exit status is 0 only if no check found anything. The last line counts the checks.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tools.lint import (
    baseline,
    layers,
    messages,
    notes,
    ops_yaml,
    private_paths,
    records,
    sizes,
    types,
    weak_symbols,
)
from tools.lint.common import CPP_SUFFIXES, Problem, tree

ROOT = Path(__file__).resolve().parents[2]
PYTHON_FOLDERS = ("lib", "tools", "test", "ci", "cmake", "csrc/ops/rules", "run_test.py")

Check = Callable[[], list[str]]


def main(arguments: list[str] | None = None) -> int:
    """Run the named checks (all by default) and print what they find."""
    parser = argparse.ArgumentParser(prog="python -m tools.lint", description=__doc__)
    parser.add_argument("names", nargs="*", help="checks to run; all when none is named")
    parser.add_argument("--without", action="append", default=[], help="a check to leave out")
    parser.add_argument("--build", type=Path, help="a build folder: check its stubs and objects")
    parser.add_argument("--fix", action="store_true", help="let ruff and clang-format mend files")
    options = parser.parse_args(arguments)
    checks = _checks(ROOT, options.build, options.fix)
    unknown = {*options.names, *options.without} - set(checks)
    if unknown:
        parser.error(f"no check is named {', '.join(sorted(unknown))}; there are {list(checks)}")
    chosen = [name for name in options.names or checks if name not in options.without]
    if not options.names:
        print("".join(f"records: {line} (no failure)\n" for line in records.lines(ROOT)), end="")
    return report({name: checks[name] for name in chosen})


def report(checks: dict[str, Check]) -> int:
    """Run checks two at a time and print what they find; the exit status."""
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        found = {name: pool.submit(check) for name, check in checks.items()}
    for name, future in found.items():
        for line in future.result():
            print(f"{name}: {line}")
        failed += bool(future.result())
    print(f"{len(checks) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


def _checks(root: Path, build: Path | None, fix: bool) -> dict[str, Check]:
    own = (layers, sizes, messages, notes, private_paths, ops_yaml)
    checks: dict[str, Check] = {
        "types": lambda: types.check(root, build),
        "ruff": lambda: _tool(_ruff(root, fix), root, "-m"),
        "clang-format": lambda: _clang_format(root, fix),
    }
    for module in own:
        name = module.__name__.rpartition(".")[2]
        checks[name] = partial(_own, module.check, root)
    if build is not None:
        checks["weak_symbols"] = partial(_own, weak_symbols.check, build)
        checks["baseline"] = partial(_own, baseline.check, build)
    return checks


def _own(check: Callable[[Path], list[Problem]], folder: Path) -> list[str]:
    return [str(problem) for problem in check(folder)]


def _present(root: Path, folders: tuple[str, ...]) -> list[str]:
    return [folder for folder in folders if (root / folder).exists()]


def _ruff(root: Path, fix: bool) -> list[str]:
    options = ["--fix"] if fix else []
    return ["ruff", "check", "--quiet", "--output-format=concise", *options,
            *_present(root, PYTHON_FOLDERS)]  # fmt: skip


def _clang_format(root: Path, fix: bool) -> list[str]:
    folders = [root / name for name in _present(root, ("csrc", "test/cpp", "tools/bench"))]
    files = [str(path) for folder in folders for path in tree(folder, CPP_SUFFIXES)]
    if not files:
        return []
    mode = ["-i"] if fix else ["--dry-run", "--Werror"]
    program = Path(sys.executable).with_name("clang-format")
    found = _tool([str(program), *mode, *files], root)
    return [line for line in found if "clang-formatted" in line or "error" in line]


def _tool(command: list[str], root: Path, *python: str) -> list[str]:
    """The output lines of a general tool; none when it is content."""
    prefix = [sys.executable, *python] if python else []
    done = subprocess.run([*prefix, *command], cwd=root, capture_output=True, text=True)
    if done.returncode == 0:
        return []
    lines = (done.stdout + done.stderr).splitlines()
    return lines or [f"{command[0]} ended with status {done.returncode} and said nothing"]
