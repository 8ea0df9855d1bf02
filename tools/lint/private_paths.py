"""Private paths: no tracked file names a path of one machine or the host of a package index."""

from __future__ import annotations

import re
from pathlib import Path

from tools.lint.common import Problem, relative, tree

_PATTERNS = (
    (re.compile(r"(?<![\w.$}~-])/(?:root|home|work|opt|mnt|srv|Users)/"), "a machine's path"),
    (re.compile(r"(?:pypi|pythonhosted|conda|anaconda)\.(?:org|io|com)\b"), "a package index"),
    (re.compile(r"\bdownload\.pytorch\.org\b"), "a package index"),
    (re.compile(r"--(?:extra-)?index-url\b|--find-lin[k]s\b"), "a package index option"),
)
_TEXT = {"py", "pyi", "cpp", "h", "c", "in", "cmake", "toml", "ini", "txt", "md", "yaml", "yml"}
_TEXT |= {"json", "jsonl", "cfg", "sh", "html", "css", "js", "svg"}


def check(root: Path) -> list[Problem]:
    """Every such mention in a text file below `root`."""
    return [
        Problem(relative(path, root), number, f"{what}: {match.group()}")
        for path in tree(root)
        if path.suffix.removeprefix(".") in _TEXT or not path.suffix
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for pattern, what in _PATTERNS
        for match in pattern.finditer(line)
    ]
