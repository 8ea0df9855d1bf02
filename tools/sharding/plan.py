"""The shards of a run as a pure function of (ids, durations, n).

Longest first onto the shard with the least work, ties by id and by shard number; whole
microseconds, so that no sum depends on its order. Nothing else enters: neither the clock, nor the
host, nor the hash seed.
"""

import hashlib
import heapq
import json
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from tools.sharding.durations import Durations, family


@dataclass(frozen=True)
class ShardPlan:
    """Shard number i (from 1) runs `shards[i - 1]`, sorted ids."""

    shards: tuple[tuple[str, ...], ...]

    @property
    def hash(self) -> str:
        """Names the plan: shards that print the same hash belong together."""
        text = json.dumps(self.shards, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def ids(self) -> list[str]:
        """Ids of all shards, sorted."""
        return sorted(test for shard in self.shards for test in shard)


def make_plan(
    ids: Sequence[str], durations: Durations, shards: int, whole: Set[str] = frozenset()
) -> ShardPlan:
    """Divide `ids` over `shards` shards; the families in `whole` are not divided.

    Raises ValueError for a repeated id or fewer than one shard.
    """
    if shards < 1:
        raise ValueError(f"make_plan: expected at least 1 shard; got {shards}")
    repeated = [test for test, count in Counter(ids).items() if count > 1]
    if repeated:
        raise ValueError(f"make_plan: expected each id once; got {min(repeated)!r} more than once")
    units: dict[str, list[str]] = {}
    for test in ids:
        units.setdefault(family(test) if family(test) in whole else test, []).append(test)
    weights = {name: _microseconds(tests, durations) for name, tests in units.items()}
    loads = [(0, shard) for shard in range(shards)]
    parts: list[list[str]] = [[] for _ in range(shards)]
    for unit in sorted(units, key=lambda name: (-weights[name], name)):
        load, shard = heapq.heappop(loads)
        parts[shard] += units[unit]
        heapq.heappush(loads, (load + weights[unit], shard))
    return ShardPlan(tuple(tuple(sorted(part)) for part in parts))


def _microseconds(tests: Sequence[str], durations: Durations) -> int:
    return sum(round(durations.seconds(test) * 1e6) for test in tests)


def write_plan(path: Path, plan: ShardPlan) -> None:
    """Write a plan for `--plan FILE`."""
    path.write_text(json.dumps({"hash": plan.hash, "shards": plan.shards}, indent=1) + "\n")


def read_plan(path: Path) -> ShardPlan:
    """Read a plan; raises ValueError when it is none, or not what its hash says."""
    try:
        data = json.loads(path.read_text())
        plan, named = ShardPlan(tuple(tuple(shard) for shard in data["shards"])), data["hash"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: expected a plan of tools.sharding; {error!r}") from error
    if plan.hash != named:
        raise ValueError(f"{path}: expected plan {named}; its content is {plan.hash}")
    return plan


def parse_shard(text: str) -> tuple[int, int]:
    """`I/N` with 1 <= I <= N. Raises ValueError for anything else."""
    index, _, count = text.partition("/")
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
        raise ValueError(f"--shard: expected I/N with 1 <= I <= N, as 1/4; got {text!r}")
    return int(index), int(count)
