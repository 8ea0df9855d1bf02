"""`python -m tools.drill`: the fault drill five times over, written to ci/fault_drill.json.

`python -m tools.drill labelled [N]`: verdicts on N labelled tests, written to ci/verdicts.json.
Both fail when the runner was wrong. Date and hash of the sources say what the figures are of.
"""

import argparse
import datetime
import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.drill import faults, judge, labelled
from tools.runner.settings import REPOSITORY

FILE = REPOSITORY / "ci" / "fault_drill.json"
LABELLED_FILE = REPOSITORY / "ci" / "verdicts.json"
REPEATS = 5
SOURCES = ("tools/runner", "tools/drill")


def source_hash() -> str:
    """Of the runner and of the drill, whatever the time stamps of the files."""
    digest = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted((REPOSITORY / folder).rglob("*.*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.relative_to(REPOSITORY).as_posix().encode() + b"\0")
                digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def drill() -> int:
    """Five passes; returns an exit status."""
    passes: list[judge.Pass] = []
    with tempfile.TemporaryDirectory() as name:
        for number in range(REPEATS):
            passes.append(judge.run(Path(name) / str(number)))
            found = passes[-1]
            print(f"pass {number + 1}: wrong {found.wrong}, lost {found.lost}, late {found.late}")
    rows = {test: _row(test, passes) for test in faults.FAULTS}
    lost = sorted({test for found in passes for test in found.lost})
    late = sorted({test for found in passes for test in found.late})
    others = sorted({test for found in passes for test in found.wrong if test in faults.BENIGN})
    _write(FILE, {"repeats": REPEATS, "lost": lost, "late": late, "others": others, "faults": rows})
    right = sum(row["right"] for row in rows.values())
    print(f"{right} of {REPEATS * len(rows)} faults named rightly")
    bad = REPEATS * len(rows) - right + len(lost) + len(late) + len(others)
    print(f"{right} passed, {bad} failed, 0 skipped")
    return 1 if bad else 0


def _row(test: str, passes: Sequence[judge.Pass]) -> dict[str, Any]:
    wrong = [found.wrong.get(test) for found in passes if test not in found.lost]
    return {
        "expected": faults.FAULTS[test],
        "right": wrong.count(None),
        "longest_s": round(max(found.seconds.get(test, 0.0) for found in passes), 1),
    }


def verdicts(count: int) -> int:
    """Judge a labelled set; returns an exit status."""
    with tempfile.TemporaryDirectory() as name:
        score = labelled.measure(Path(name), count, labelled.SEED)
    _write(LABELLED_FILE, score.table())
    print(f"{score.right} of {score.count} verdicts right; at least {labelled.GOAL:.0%}")
    return 0 if score.share >= labelled.GOAL else 1


def _write(path: Path, table: dict[str, Any]) -> None:
    date = datetime.datetime.now().date().isoformat()
    data = {"format": 1, "date": date, "source_hash": source_hash(), **table}
    path.write_text(json.dumps(data, indent=1) + "\n")
    print(f"written: {path.relative_to(REPOSITORY)}")


def main(argv: Sequence[str]) -> int:
    """Run what is named; returns an exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.drill", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["faults", "labelled"], default="faults")
    parser.add_argument("count", nargs="?", type=int, default=labelled.COUNT)
    arguments = parser.parse_args(argv)
    return drill() if arguments.what == "faults" else verdicts(arguments.count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
