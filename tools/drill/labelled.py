"""A labelled set: generated tests of known nature, and how many the runner judges rightly.

A flaky test fails in its session, since one that passes there shows nothing to judge, and fails at
its rate from then on; what it does next is drawn from the seed and counted in a file, so that it
goes on from process to process.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.drill.scratch import Scratch

SEED = 20261130
COUNT = 240
GOAL = 0.95
PER_FILE = 16
"""Natures in one file."""
RATES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7)
DRAWS = 64

SHARES = (
    ("passed", 0.35),
    ("failed", 0.15),
    ("flaky", 0.25),
    ("victim", 0.1),
    ("brittle", 0.05),
    ("infrastructure", 0.1),
)
"""Natures and how large a part of the set each is; victims come with a polluter, brittle tests with
an enabler, both of which pass."""

_HEAD = """
import errno
from pathlib import Path

STATE = set()

def flake(number, results):
    path = Path(__file__).with_name(f"count{number}")
    count = len(path.read_bytes()) if path.exists() else 0
    path.write_bytes(b"x" * (count + 1))
    assert results[count % len(results)] == "1"

"""


@dataclass(frozen=True)
class Labelled:
    """One test: its source and what the runner has to say of it."""

    name: str
    source: str
    label: str


@dataclass(frozen=True)
class Score:
    """Right verdicts by label, and each wrong one."""

    by_label: dict[str, tuple[int, int]]  # label -> right, of
    wrong: dict[str, str]  # test -> label, verdict

    @property
    def count(self) -> int:
        """Tests in the set."""
        return sum(total for _, total in self.by_label.values())

    @property
    def right(self) -> int:
        """Tests judged rightly."""
        return sum(right for right, _ in self.by_label.values())

    @property
    def share(self) -> float:
        """The part of all verdicts that is right."""
        return self.right / self.count

    def table(self) -> dict[str, Any]:
        """As JSON types."""
        return {
            "tests": self.count,
            "right": self.right,
            "share": round(self.share, 4),
            "by_label": {
                label: {"right": right, "tests": total}
                for label, (right, total) in self.by_label.items()
            },
            "wrong": self.wrong,
        }


def generate(count: int, seed: int) -> list[list[Labelled]]:
    """Labelled tests of `count` natures, file by file: those that belong together share one."""
    draws = random.Random(seed)
    natures = [name for name, share in SHARES for _ in range(round(share * count))]
    draws.shuffle(natures)
    groups = [_MAKERS[name](number, draws) for number, name in enumerate(natures)]
    return [
        [test for group in groups[first : first + PER_FILE] for test in group]
        for first in range(0, len(groups), PER_FILE)
    ]


def _plain(label: str, body: str) -> Callable[[int, random.Random], list[Labelled]]:
    def make(number: int, _: random.Random) -> list[Labelled]:
        return [Labelled(f"test_{number}", body, label)]

    return make


def _flaky(number: int, draws: random.Random) -> list[Labelled]:
    rate = RATES[number % len(RATES)]
    later = ("0" if draws.random() < rate else "1" for _ in range(DRAWS))
    results = "0" + "".join(later)
    return [Labelled(f"test_{number}", f"flake({number}, {results!r})", "flaky")]


def _victim(number: int, _: random.Random) -> list[Labelled]:
    return [
        Labelled(f"test_{number}_polluter", f"STATE.add({number})", "passed"),
        Labelled(f"test_{number}_between", "pass", "passed"),
        Labelled(f"test_{number}", f"assert {number} not in STATE", "order_dependent"),
    ]


def _brittle(number: int, _: random.Random) -> list[Labelled]:
    return [
        Labelled(f"test_{number}", f"assert {number} in STATE", "order_dependent"),
        Labelled(f"test_{number}_between", "pass", "passed"),
        Labelled(f"test_{number}_enabler", f"STATE.add({number})", "passed"),
    ]


_MAKERS: dict[str, Callable[[int, random.Random], list[Labelled]]] = {
    "passed": _plain("passed", "pass"),
    "failed": _plain("failed", "assert False"),
    "flaky": _flaky,
    "victim": _victim,
    "brittle": _brittle,
    "infrastructure": _plain("infrastructure", 'raise OSError(errno.ENOSPC, "disk full")'),
}


def write(scratch: Scratch, files: Sequence[Sequence[Labelled]]) -> dict[str, str]:
    """Write the tests into files; returns id -> label."""
    labels: dict[str, str] = {}
    for number, tests in enumerate(files):
        path = f"test/unit/test_{number:03d}.py"
        scratch.write(path, _HEAD + "".join(f"def {t.name}(): {t.source}\n" for t in tests))
        labels |= {f"{path}::{test.name}": test.label for test in tests}
    return labels


def measure(folder: Path, count: int, seed: int) -> Score:
    """Run a set of `count` natures and compare verdicts with labels."""
    scratch = Scratch(folder)
    labels = write(scratch, generate(count, seed))
    ends = scratch.run("unit").finished
    return score(labels, {test: end["outcome"] for test, end in ends.items()})


def score(labels: dict[str, str], verdicts: dict[str, str]) -> Score:
    """Compare; a test without a verdict is wrong."""
    totals = Counter(labels.values())
    wrong = {
        test: f"{label}, judged {verdicts.get(test, 'not at all')}"
        for test, label in labels.items()
        if verdicts.get(test) != label
    }
    missed = Counter(labels[test] for test in wrong)
    by_label = {label: (total - missed[label], total) for label, total in sorted(totals.items())}
    return Score(by_label, wrong)
