"""Which of the collected tests run, and what comes first: from earlier runs or the quarantine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.runner.arguments import Arguments
from tools.runner.history import History
from tools.runner.quarantine import Quarantine
from tools.runner.recording import Record
from tools.runner.select import SelectionError


def _every(_: str) -> bool:
    return True


@dataclass(frozen=True)
class Choice:
    """What an option of this kind asks for; by default nothing special."""

    names: tuple[str, ...] = ()
    """Files to look into when no name is given."""

    wanted: Callable[[str], bool] = _every
    first: frozenset[str] = frozenset()
    sequences: tuple[tuple[str, ...], ...] = ()
    """Exactly these tests, in this order, each sequence in a process of its own."""


def choose(
    arguments: Arguments, root: Path, quarantine: Quarantine, record: Record | None
) -> Choice:
    """The choice of a run. Raises SelectionError when there is nothing to choose from."""
    if record is not None:
        ids = frozenset(record.ids)
        sequences = tuple(map(tuple, record.sequences))
        return Choice(_files(record.ids, root), ids.__contains__, sequences=sequences)
    if arguments.quarantined:
        names = tuple(dict.fromkeys(entry.file for entry in quarantine.entries))
        return Choice(names, lambda test: quarantine.entry(test) is not None)
    failed = frozenset(History(root).failed())
    if arguments.last_failed:
        if not failed:
            raise SelectionError("--last-failed: every test passed when it last ran")
        return Choice(_files(sorted(failed), root), failed.__contains__)
    return Choice(first=failed if arguments.failed_first else frozenset())


def _files(ids: Sequence[str], root: Path) -> tuple[str, ...]:
    """The files of ids that still exist, as names that select nothing else."""
    files = dict.fromkeys(test.split("::")[0] for test in ids)
    return tuple(str(root / file) for file in files if (root / file).is_file())
