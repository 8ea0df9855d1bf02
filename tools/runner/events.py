"""The typed events of a run: the only thing that dispatcher, executor and reports share.

The JSON lines report is these events, one a line, each with its class name as `type`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

Properties = tuple[tuple[str, Any], ...]


class Outcome(StrEnum):
    """How a planned test ended. Every planned test has exactly one."""

    PASSED = "passed"
    SKIPPED = "skipped"
    XFAILED = "xfailed"  # failed, as recorded beforehand
    FAILED = "failed"
    ERROR = "error"  # its file could not be collected
    CRASHED = "crashed"  # its process ended before the test did
    TIMEOUT = "timeout"
    MEMORY = "memory"
    LEAK = "leak"  # left a process, or a thread that keeps its process alive
    FLAKY = "flaky"  # failed and passed under the same conditions
    ORDER_DEPENDENT = "order_dependent"  # passes or fails by what ran before it
    INFRASTRUCTURE = "infrastructure"  # the machine failed, not the test
    MISSING = "missing"  # planned, but its file no longer collects it
    NOT_RUN = "not_run"  # the run was stopped, or its file ended too many processes


GOOD = frozenset({Outcome.PASSED, Outcome.SKIPPED, Outcome.XFAILED})


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of one test, with the evidence it left."""

    outcome: Outcome
    seconds: float = 0.0
    detail: str = ""  # longrepr, or the supervisor's sentence
    output: str = ""  # what the test wrote, head and tail
    how: str = "in its session"  # or alone, or after which tests
    cause: str = ""  # why its process was ended, or how it was lost
    stacks: str = ""  # of all threads, when the supervisor had to kill it
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events."""

    def to_json(self) -> dict[str, Any]:
        """The event as JSON types, with its class name as `type`."""
        return {"type": type(self).__name__, **asdict(self)}


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    """The first event of a run."""

    run: str
    implementation: str
    command: str
    root: str


@dataclass(frozen=True, slots=True)
class Stage(Event):
    """A stage of flow 8 was reached; `absent` is the reason why its part does nothing yet."""

    name: str
    absent: str = ""


@dataclass(frozen=True, slots=True)
class PlanMade(Event):
    """The tests are fixed and numbered: `ids[n]` is test n of this shard, `total` of all."""

    plan_hash: str
    shard: int
    shards: int
    ids: tuple[str, ...]
    all_ids: tuple[str, ...] = ()  # of every shard; empty when there is one shard only
    deselected: int = 0
    whole: bool = False  # the whole conformance group: a cell without a verdict counts


@dataclass(frozen=True, slots=True)
class FileStarted(Event):
    """A slot takes the tests of one file, or of several under pytest-xdist."""

    files: tuple[str, ...]
    tests: int
    workers: int = 0  # pytest-xdist processes; 0: none


@dataclass(frozen=True, slots=True)
class TestStarted(Event):
    """A test begins; `attempt` counts from 1. Equal `process`: one after the other in it."""

    __test__ = False
    id: str
    attempt: int
    process: str = ""


@dataclass(frozen=True, slots=True)
class TestSlow(Event):
    """A test runs for longer than the slow mark."""

    __test__ = False
    id: str
    seconds: float


@dataclass(frozen=True, slots=True)
class AttemptFinished(Event):
    """Provisional: what follows in the same process can still change it (a leak, a crash)."""

    id: str
    attempt: int
    outcome: Outcome
    seconds: float


@dataclass(frozen=True, slots=True)
class TestFinished(Event):
    """Final: written once per planned test by the supervisor's side."""

    __test__ = False
    id: str
    outcome: Outcome
    seconds: float
    attempts: tuple[Attempt, ...]
    slow: bool = False
    properties: Properties = ()
    note: str = ""  # what an investigation found: the test that this one depends on
    quarantined: str = ""  # why its failure does not fail the run


@dataclass(frozen=True, slots=True)
class CellSummary(Event):
    """Counts of the conformance matrix; `blank` combinations have no verdict at all."""

    judged: int
    verdicts: dict[str, int] = field(default_factory=dict)
    blank: int = 0
    blank_examples: tuple[str, ...] = ()
    looser: int = 0
    """Cells that pass with a tolerance that the capability file opens."""
    levels: dict[str, dict[str, int]] = field(default_factory=dict)
    """Of each level that has any, the judged cells by verdict."""


@dataclass(frozen=True, slots=True)
class RunFinished(Event):
    """The last event: the sums, and the exit status that follows from them."""

    counts: dict[str, int]
    passed: int
    failed: int
    skipped: int
    seconds: float
    exit_code: int
    reason: str
    quarantine: tuple[str, ...] = ()  # entries that are expired or name nothing


_KINDS = {kind.__name__: kind for kind in Event.__subclasses__()}


def from_json(data: Mapping[str, Any]) -> Event:
    """The event that `to_json` wrote; `t`, the time at which it was written, is left out.

    Raises KeyError, TypeError or ValueError for another shape.
    """
    fields = {name: _frozen(value) for name, value in data.items() if name not in ("type", "t")}
    if data["type"] == TestFinished.__name__:
        fields["outcome"] = Outcome(data["outcome"])
        fields["attempts"] = tuple(map(_attempt, data["attempts"]))
    return _KINDS[data["type"]](**fields)


def _attempt(data: Mapping[str, Any]) -> Attempt:
    fields = {name: _frozen(value) for name, value in data.items()}
    return Attempt(**{**fields, "outcome": Outcome(data["outcome"])})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
