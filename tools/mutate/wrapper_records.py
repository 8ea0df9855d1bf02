"""What is written down of each judged mutant, and how the records add up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

KILLED, SURVIVED, EQUIVALENT, BROKEN = "killed", "survived", "equivalent", "broken"


@dataclass(frozen=True)
class Record:
    """One judged mutant, in the format of the mutation result file."""

    id: str
    kind: str
    fault_class: str
    rule: str
    op: str
    what: str
    verdict: str
    killed_by: str | None
    check: str | None
    seconds: float
    reason: str
    cells: int
    source: str
    held_out: bool

    def as_json(self) -> dict[str, object]:
        """The record with the field names of the file."""
        fields = asdict(self)
        fields["class"] = fields.pop("fault_class")
        return fields


@dataclass
class Tally:
    """How many of a group were killed."""

    killed: int = 0
    survived: int = 0
    equivalent: int = 0
    broken: int = 0

    def add(self, verdict: str) -> None:
        setattr(self, verdict, getattr(self, verdict) + 1)

    @property
    def score(self) -> float:
        """The killed share of those that could be."""
        judged = self.killed + self.survived
        return self.killed / judged if judged else 1.0

    def __str__(self) -> str:
        judged = self.killed + self.survived
        return f"{self.killed:5d} of {judged:5d}  {100 * self.score:5.1f} %  +{self.equivalent} eq."


def tally(records: Iterable[Record], field: str) -> dict[str, Tally]:
    """Tallies by a field of the records, in its order of appearance."""
    groups: dict[str, Tally] = {}
    for record in records:
        groups.setdefault(str(getattr(record, field)), Tally()).add(record.verdict)
    return groups


def summary(records: list[Record]) -> str:
    """Scores by class and of all, the checks that killed, and the survivors."""
    lines = ["by class"]
    lines += [f"  {name:12s} {group}" for name, group in tally(records, "fault_class").items()]
    for kind, group in tally(records, "kind").items():
        lines.append(f"all {kind:9s}  {group}")
    weak = {op: group for op, group in tally(records, "op").items() if group.score < 0.9}
    lines += ["ops below 90 %"] + [f"  {name:20s} {group}" for name, group in weak.items()]
    kills: dict[str, int] = {}
    for record in records:
        if record.check:
            kills[record.check] = kills.get(record.check, 0) + 1
    lines.append("killed by")
    lines += [f"  {name:14s} {count}" for name, count in sorted(kills.items(), key=_by_count)]
    lines += [f"broken {r.id}: {r.reason}" for r in records if r.verdict == BROKEN]
    lines.append("survivors")
    lines += [f"  {r.id}: {r.what}" for r in records if r.verdict == SURVIVED]
    return "\n".join(lines)


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
