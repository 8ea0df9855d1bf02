"""Notes: a long reason is written once, as `Note [Title]`, and each reference to it resolves.

A comment line that begins with `Note [Title]` is the note; any other mention is a reference.
"""

from __future__ import annotations

import re
from pathlib import Path

from tools.lint.common import CPP_SUFFIXES, Problem, relative, tree

SUFFIXES = (".py", ".cmake", ".in", ".yaml", *CPP_SUFFIXES)
_NOTE = re.compile(r"\bNote \[([^\]\n]+)\]")
_BEGINS = re.compile(r"^\s*(?://+|#|\*|/\*)?\s*$")


def check(root: Path) -> list[Problem]:
    """Every reference without a note, and every title with two."""
    notes: dict[str, tuple[str, int]] = {}
    references: list[tuple[str, str, int]] = []
    problems: list[Problem] = []
    for path in tree(root, SUFFIXES):
        name = relative(path, root)
        if name.startswith(("tools/lint/", "test/unit/lint/")):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for match in _NOTE.finditer(line):
                title = match[1]
                if not _BEGINS.match(line[: match.start()]):
                    references.append((title, name, number))
                elif title in notes:
                    where = "{}:{}".format(*notes[title])
                    problems.append(Problem(name, number, f"Note [{title}] is already at {where}"))
                else:
                    notes[title] = (name, number)
    problems += [
        Problem(name, number, f"no comment begins with Note [{title}]")
        for title, name, number in references
        if title not in notes
    ]
    return problems
