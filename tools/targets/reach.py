"""The map: which conformance cells reach which function, measured by the sites of mutants.

`python -m tools.targets.reach` says which entries of reach.json belong to functions that have
changed or gone since they were measured; tools/targets/measure.py writes the file.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.targets.functions import digests

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("reach.json")
FORMAT = 1


@dataclass(frozen=True)
class Reached:
    """Cells that reach a function: pairs of op and kind, in these dtypes."""

    pairs: frozenset[tuple[str, str]]
    dtypes: frozenset[str]


@dataclass(frozen=True)
class ReachMap:
    """`functions` by `file:function`, with the digest of the text that was measured; `seconds`
    of a cell by op and kind; `kills` of mutants by kind and dtype."""

    source_hash: str
    date: str
    functions: dict[str, tuple[Reached, str]]
    seconds: dict[str, dict[str, float]]
    kills: dict[str, dict[str, int]] = field(default_factory=dict)

    def of_function(self, file: str, name: str) -> tuple[Reached, str] | None:
        """What reaches one function, None when that was not measured."""
        return self.functions.get(f"{file}:{name}")

    def below(self, prefix: str) -> list[Reached]:
        """What reaches the functions of a file (`path:`) or a folder (`path/`)."""
        found = [reached for key, (reached, _) in self.functions.items() if key.startswith(prefix)]
        return list(dict.fromkeys(found))


def read(path: Path = FILE) -> ReachMap:
    """Read the committed map. Raises ValueError for a file of another format."""
    data = json.loads(path.read_text())
    if data.get("format") != FORMAT:
        raise ValueError(f"{path}: expected format {FORMAT}; python -m tools.targets.measure")
    sets = [_reached(part) for part in data["sets"]]
    functions = {key: (sets[number], digest) for key, (number, digest) in data["functions"].items()}
    return ReachMap(data["source_hash"], data["date"], functions, data["seconds"], data["kills"])


def _reached(part: dict[str, Any]) -> Reached:
    pairs = {
        (op, kind)
        for ops, kinds in part["cells"].items()
        for op in ops.split()
        for kind in kinds.split()
    }
    return Reached(frozenset(pairs), frozenset(part["dtypes"].split()))


def write(reach: ReachMap, path: Path = FILE) -> None:
    """Write it, one set and one function a line; functions reached alike share a set."""
    sets = list(dict.fromkeys(reached for reached, _ in reach.functions.values()))
    numbers = {reached: number for number, reached in enumerate(sets)}
    functions = [
        f"{json.dumps(key)}: {json.dumps([numbers[reached], digest])}"
        for key, (reached, digest) in sorted(reach.functions.items())
    ]
    seconds = [f"{json.dumps(op)}: {json.dumps(row)}" for op, row in sorted(reach.seconds.items())]
    head = {"format": FORMAT, "source_hash": reach.source_hash, "date": reach.date}
    parts = [
        f"{json.dumps(head)[:-1]}",
        f'"kills": {json.dumps(reach.kills)}',
        '"seconds": {\n' + ",\n".join(seconds) + "}",
        '"functions": {\n' + ",\n".join(functions) + "}",
        '"sets": [\n' + ",\n".join(json.dumps(_as_json(each)) for each in sets) + "]",
    ]
    path.write_text(",\n".join(parts) + "}\n")


def _as_json(reached: Reached) -> dict[str, Any]:
    kinds: dict[str, set[str]] = defaultdict(set)
    for op, kind in reached.pairs:
        kinds[op].add(kind)
    ops: dict[str, list[str]] = defaultdict(list)
    for op, names in sorted(kinds.items()):
        ops[" ".join(sorted(names))].append(op)
    cells = {" ".join(names): kinds for kinds, names in ops.items()}
    return {"dtypes": " ".join(sorted(reached.dtypes)), "cells": cells}


def stale(reach: ReachMap, root: Path = ROOT) -> dict[str, list[str]]:
    """Entries whose function has `changed` since it was measured, or is `gone`."""
    found: dict[str, list[str]] = {"changed": [], "gone": []}
    known: dict[str, dict[str, str]] = {}
    for key, (_, digest) in reach.functions.items():
        file, _, name = key.partition(":")
        if file not in known:
            path = root / file
            known[file] = digests(file, path.read_text()) if path.is_file() else {}
        now = known[file].get(name)
        if now != digest:
            found["gone" if now is None else "changed"].append(key)
    return found


def main() -> int:
    """Say what is stale; 1 when entries name functions that are gone."""
    reach = read()
    found = stale(reach)
    print(f"{len(reach.functions)} functions measured on {reach.date}")
    for what, keys in found.items():
        print(f"{what}: {len(keys)}", *keys, sep="\n  ")
    return 1 if found["gone"] else 0


if __name__ == "__main__":
    sys.exit(main())
