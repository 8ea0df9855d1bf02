"""The mutation score: `python -m tools.mutate.score [--write]`.

Source mutants from build/mutants/results.jsonl, wrapper mutants and re-made bugs from the file that
tools/mutate/wrappers.py writes. `--write` records the result in test/mutation/score.json, unless it
is below what stands there.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import cepheid_mutants
from cepheid_conformance.op_spec import find_schemas
from tools.mutate.paths import BUILD, ROOT
from tools.mutate.rewrite import Site
from tools.mutate.rules import THROUGH
from tools.mutate.run import KILLED, SURVIVED, UNREACHED, Result, read_results, read_table
from tools.mutate.scope import is_mutated

SCORE = ROOT / "test" / "mutation" / "score.json"
WRAPPERS = BUILD / "wrappers.json"
EQUIVALENT_FILE = Path(__file__).with_name("equivalent.toml")
EQUIVALENT, REAL = "equivalent", "real"
KINDS = ("same result", "within bound", "speed", "unreachable", "text", "no mutant")
LEAST_SCORE, LEAST_CLASS, LEAST_OP, LEAST_MUTANTS = 0.95, 0.90, 0.90, 10

Entry = dict[str, Any]


class ScoreError(ValueError):
    """The records don't belong together."""


@dataclass(frozen=True)
class Tally:
    """Killed of counted; equivalent mutants don't count."""

    killed: int
    counted: int
    equivalent: int

    @property
    def score(self) -> float:
        return self.killed / self.counted if self.counted else 1.0

    def __str__(self) -> str:
        return f"{self.killed}/{self.counted} {100 * self.score:.1f} %"


def read_equivalents(path: Path = EQUIVALENT_FILE) -> dict[str, str]:
    """Reason by key. Raises ScoreError for an entry without a kind or a reason."""
    reasons: dict[str, str] = {}
    for entry in tomllib.loads(path.read_text()).get("equivalent", ()):
        if entry.get("kind") not in KINDS or len(entry.get("reason", "")) < 20:
            raise ScoreError(f"{path.name}: an entry needs a kind of {KINDS} and a reason: {entry}")
        for key in entry["keys"]:
            reasons[key] = f"{entry['kind']}: {entry['reason']}"
    return reasons


def _place(entry: Entry) -> str:
    if entry["kind"] != "source":
        return ""
    change = f"{entry['rule']}: {entry['before']} -> {entry['after']}"
    return f" {entry['file']}:{entry['line']} {entry['function']} | {change}"


def source_entries(
    sites: Sequence[Site], results: dict[str, Result], equivalents: dict[str, str]
) -> list[Entry]:
    """One entry for each source mutant. Raises ScoreError where the files contradict."""
    by_key = {site.key: site for site in sites}
    wrong = [key for key in equivalents if key not in by_key or _killed(results.get(key))]
    missing = [site.key for site in sites if site.key not in results]
    if wrong or missing:
        raise ScoreError(
            f"mutate: entries of equivalent.toml must name mutants of the build that live; these "
            f"don't: {wrong}; mutants without a result: {len(missing)} {missing[:5]}"
        )
    entries = [entry_of(site, results[site.key], equivalents) for site in sites]
    return [entry for entry in entries if entry is not None]


def _killed(result: Result | None) -> bool:
    return result is not None and result.verdict == KILLED


def entry_of(site: Site, result: Result, equivalents: dict[str, str]) -> Entry | None:
    """The record of one source mutant; None where there is none for the types that come there."""
    verdict, reason = result.verdict, ""
    if verdict == UNREACHED and site.how == THROUGH:
        return None  # runtime/mutant.h has no such mutant for the types that come here
    if site.key in equivalents:
        verdict, reason = EQUIVALENT, equivalents[site.key]
    return {
        "id": site.key,
        "kind": "source",
        "class": site.fault,
        "rule": site.rule,
        "file": site.file,
        "line": site.line,
        "function": site.function,
        "ops": list(result.ops),
        "before": site.before[:90],
        "after": site.after[:60],
        "verdict": verdict,
        "killed_by": result.killed_by,
        "check": result.check,
        "seconds": round(result.seconds, 2),
        "reason": reason,
    }


def tally(entries: Iterable[Entry]) -> Tally:
    """Count verdicts."""
    verdicts = Counter(entry["verdict"] for entry in entries)
    lived = verdicts[SURVIVED] + verdicts[UNREACHED]
    return Tally(verdicts[KILLED], verdicts[KILLED] + lived, verdicts[EQUIVALENT])


def tally_by(entries: Sequence[Entry], field: str) -> dict[str, Tally]:
    """Tallies by the value, or each of the values, of a field."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        values = entry[field] if isinstance(entry[field], list) else [entry[field]]
        for value in values:
            groups[value].append(entry)
    return {value: tally(group) for value, group in sorted(groups.items())}


def problems(entries: Sequence[Entry]) -> list[str]:
    """What is below the bounds of the suite's design."""
    found = []
    for kind, group in _by_kind(entries).items():
        if (whole := tally(group)).score < LEAST_SCORE:
            found.append(f"{kind} mutants: {whole}; at least {LEAST_SCORE:.0%}")
        for fault, part in tally_by(group, "class").items():
            # Re-made bugs are as many as were found: of a handful in a class a share says nothing.
            few = kind == REAL and part.counted < LEAST_MUTANTS
            if part.score < LEAST_CLASS and not few:
                found.append(f"{kind} mutants, class {fault}: {part}; at least {LEAST_CLASS:.0%}")
    for op, part in tally_by(entries, "ops").items():
        if part.score < LEAST_OP or part.counted < LEAST_MUTANTS:
            found.append(f"op {op}: {part}; at least {LEAST_MUTANTS} mutants, {LEAST_OP:.0%}")
    return found


def _by_kind(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    kinds = sorted({entry["kind"] for entry in entries})
    return {kind: [each for each in entries if each["kind"] == kind] for kind in kinds}


def report(entries: Sequence[Entry]) -> str:
    """The tables, for people."""
    lines = []
    for kind, group in _by_kind(entries).items():
        lines += [f"{kind} mutants: {tally(group)}, {tally(group).equivalent} equivalent"]
        lines += [f"  {name:12} {part}" for name, part in tally_by(group, "class").items()]
    lines += ["by op", *(f"  {op:20} {part}" for op, part in tally_by(entries, "ops").items())]
    killed = [entry for entry in entries if entry["verdict"] == KILLED]
    counts = Counter(entry["check"] for entry in killed)
    lines += ["killed first by", *(f"  {name:12} {n}" for name, n in counts.most_common())]
    for entry in entries:
        if entry["verdict"] in (SURVIVED, UNREACHED):
            lines.append(f"{entry['verdict']} {entry['id']}{_place(entry)}")
        if entry["verdict"] == EQUIVALENT:
            lines.append(f"{EQUIVALENT} {entry['id']}{_place(entry)} | {entry['reason']}")
    return "\n".join(lines)


def file_hashes() -> dict[str, str]:
    """Of each mutated source; generated ones go by what they are made from."""
    hashes = {}
    for path in sorted((ROOT / "csrc").rglob("*")):
        name = str(path.relative_to(ROOT))
        if is_mutated(name) or path.suffix in (".yaml", ".py"):
            hashes[name] = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return hashes


@dataclass(frozen=True)
class Record:
    """What score.json holds. `absent` are keys of sites without a mutant for their types."""

    mutants: tuple[Entry, ...]
    files: dict[str, str]
    absent: frozenset[str]

    @property
    def source(self) -> list[Entry]:
        return [entry for entry in self.mutants if entry["kind"] == "source"]

    @cached_property
    def by_key(self) -> dict[str, Entry]:
        return {entry["id"]: entry for entry in self.source}

    def changed_files(self) -> set[str]:
        """Mutated files, generated ones too, whose source is not the recorded one."""
        now = file_hashes()
        changed = {name for name in now if self.files.get(name) != now[name]}
        for name in list(changed):
            family = Path(name).stem
            if name.endswith(".py"):
                changed.add(f"generated/rules/{family}.cpp")
            elif name.endswith(".yaml"):
                changed |= {e["file"] for e in self.source if e["file"].startswith(_POINTWISE)}
        return changed


_POINTWISE = "generated/pointwise/"


def read_record(path: Path = SCORE) -> Record:
    """The committed score."""
    content = json.loads(path.read_text())
    absent = frozenset(content["absent"])
    return Record(tuple(content["mutants"]), content["files"], absent)


def source_hash() -> str:
    """Of the mutated sources and of the suite: what the score belongs to."""
    digest = hashlib.sha256()
    for folder in ("csrc", "lib/cepheid_conformance", "lib/cepheid_mutants"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".h", ".py", ".yaml", ".toml"):
                digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def write(entries: Sequence[Entry], absent: Sequence[str], path: Path = SCORE) -> None:
    """Record the score, a mutant a line, and the keys of sites that have none."""
    totals = {kind: vars(tally(group)) for kind, group in _by_kind(entries).items()}
    head = {
        "format": 1,
        "source_hash": source_hash(),
        "files": file_hashes(),
        "date": datetime.date.today().isoformat(),
        "totals": totals,
        "absent": sorted(absent),
    }
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{json.dumps(head)[:-1]}, "mutants": [\n{lines}\n]}}\n')


def current() -> list[Entry]:
    """All mutants as they stand in the build folder. Raises ScoreError where some are missing."""
    entries = source_entries(read_table(), read_results(), read_equivalents())
    schemas = json.loads(find_schemas().read_text())
    wanted = [mutant.id for mutant in cepheid_mutants.list_mutants(schemas)]
    rows = json.loads(WRAPPERS.read_text())["mutants"] if WRAPPERS.exists() else []
    by_id = {row["id"]: row for row in rows}
    missing = [name for name in wanted if name not in by_id]
    if missing:
        raise ScoreError(
            f"mutate: {len(missing)} wrapper mutants have no result, {missing[:3]} and others; "
            f"run python -m tools.mutate.wrappers --missing --json {WRAPPERS.relative_to(ROOT)}"
        )
    return [*entries, *(_of_wrapper(by_id[name]) for name in sorted(wanted))]


def _of_wrapper(record: Entry) -> Entry:
    """A record of tools/mutate/wrappers.py, without what its name says already."""
    fields = ("id", "kind", "class", "verdict", "killed_by", "check", "reason")
    return {**{name: record[name] for name in fields if record[name]}, "ops": [record["op"]]}


def fallen(entries: Sequence[Entry], record: Record) -> list[str]:
    """Where the score of the mutants that both know is below the recorded one. New code's mutants
    are held to the bounds."""
    known, here = set(record.by_key), {entry["id"] for entry in entries}
    before = _by_kind([entry for entry in record.mutants if entry["id"] in here])
    after = _by_kind([entry for entry in entries if entry["id"] in known])
    return [
        f"{kind} mutants: {tally(after.get(kind, ()))}; recorded {tally(group)}; it may not fall"
        for kind, group in before.items()
        if tally(after.get(kind, ())).score < tally(group).score
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the score; 1 when something is below its bound or, to be recorded, has fallen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"record it in {SCORE.name}")
    entries = current()
    print(report(entries))
    found = problems(entries)
    if parser.parse_args(arguments).write:
        fell = fallen(entries, read_record())
        known = {entry["id"] for entry in entries}
        if not fell:
            write(entries, [site.key for site in read_table() if site.key not in known])
        found += fell
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
