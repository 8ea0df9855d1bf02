"""Reads the page of deviations: lines to run, what they print, and what they should print."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCKS = re.compile(
    r"^## (?P<title>[^\n]+)\n(?:(?!^## ).)*?"
    r"^```python\n(?P<lines>.*?)^```\n\nprints\n\n```text\n(?P<comes>.*?)^```\n\n"
    r"should print\n\n```text\n(?P<should>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_TIMEOUT = 300
_FORKS = """
import json, os, sys, traceback
results = []
pieces = json.load(sys.stdin)
for package in {piece.split(chr(10))[0] for piece in pieces}:
    exec(package)
for piece in pieces:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 1)
        os.dup2(writing, 2)
        try:
            exec(piece, {})
        except Exception:
            traceback.print_exc()
        sys.stdout.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        printed = stream.read()
    results.append([printed, os.waitpid(child, 0)[1]])
print(json.dumps(results))
"""


@dataclass(frozen=True)
class Entry:
    """One deviation."""

    title: str
    lines: str
    comes: str
    should: str

    @property
    def id(self) -> str:
        """The title as the name of a test."""
        return re.sub(r"\W+", "-", self.title)

    @property
    def package(self) -> str:
        """What the lines import: torch or numpy."""
        return self.lines.split("\n", 1)[0].removeprefix("import ")


def read(page: Path) -> Iterator[Entry]:
    """The entries of the page, in order. Raises ValueError where a title lacks its blocks."""
    text = page.read_text()
    entries = [Entry(**match.groupdict()) for match in _BLOCKS.finditer(text)]
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if [entry.title for entry in entries] != titles:
        found = {entry.title for entry in entries}
        missing = [title for title in titles if title not in found]
        raise ValueError(f"{page.name}: entries must have lines and both outputs; got {missing}")
    yield from entries


def outputs(pieces: Sequence[str], python: str) -> list[str]:
    """What each piece of lines prints in an interpreter, and the signal that ended it. Packages are
    imported once; each piece runs in a fork of its own."""
    done = subprocess.run(
        [python, "-W", "ignore", "-c", _FORKS],
        input=json.dumps(list(pieces)),
        capture_output=True,
        text=True,
        timeout=_TIMEOUT,
        check=True,
    )
    return [_told(*piece) for piece in json.loads(done.stdout)]


def _told(printed: str, status: int) -> str:
    ended = os.waitstatus_to_exitcode(status)
    return printed + (f"ended by {signal.Signals(-ended).name}\n" if ended < 0 else "")
