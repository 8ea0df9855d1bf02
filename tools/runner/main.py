"""One run from its arguments to its exit status: the stages of flow 8 from top to bottom."""

import datetime
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

from tools.runner import against, exit_codes, measure, merge, quarantine, recording, trace
from tools.runner.arguments import DEFAULT_IMPLEMENTATION, Arguments, default_names, parse
from tools.runner.cells import STATIC_FOLDER, CellTable
from tools.runner.choice import Choice, choose
from tools.runner.collect import Collection, Filters, collect
from tools.runner.dispatcher import Dispatcher, Report
from tools.runner.events import PlanMade, RunStarted
from tools.runner.history import History
from tools.runner.ledger import LedgerError
from tools.runner.quarantine import Quarantine
from tools.runner.recording import Comparison, Record, Recorder
from tools.runner.report import diff
from tools.runner.report.html import Html
from tools.runner.report.json_lines import JsonLines
from tools.runner.report.junit import JUnit
from tools.runner.report.terminal import Terminal
from tools.runner.select import Selection, SelectionError, matches, merge_names, select
from tools.runner.settings import (
    GROUPS_FILE,
    REPOSITORY,
    Groups,
    Implementation,
    Settings,
    Stress,
    load_groups,
    with_limits,
)
from tools.runner.warm import WarmServerError
from tools.sharding.durations import family, read
from tools.sharding.plan import ShardPlan, make_plan, parse_shard, read_plan
from tools.targets import changes
from tools.targets.select import determine

DURATIONS = Path("ci", "durations.json")
WHOLE = frozenset({"conformance", "all"})


@dataclass(frozen=True)
class Run:
    """Everything one run needs; its parts are made once, here."""

    arguments: Arguments
    settings: Settings
    dispatcher: Dispatcher
    quarantine: Quarantine
    choice: Choice


def main(argv: Sequence[str], root: Path = REPOSITORY, groups_file: Path = GROUPS_FILE) -> int:
    """Run the tests below `root` that `argv` selects; returns an exit status."""
    if argv[:1] == ["merge"]:
        return merge.main(argv[1:])
    if argv[:1] == ["diff"]:
        return diff.main(argv[1:])
    try:
        groups = load_groups(groups_file)
        arguments = parse(argv, groups)
        if arguments.against is not None:
            return against.compare(arguments, root)
        run = _prepare(arguments, groups, root, argv)
        if arguments.quarantined and not run.quarantine.entries:
            return _empty_quarantine(run.quarantine)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _interrupt)
        with trace.listening(run.dispatcher.stage), run.dispatcher.open(arguments.hosts):
            return _stages(run)
    except WarmServerError as error:
        return _refuse(str(error), exit_codes.INTERNAL)
    except LedgerError as error:
        return _refuse(f"the books do not balance: {error}", exit_codes.INTERNAL)
    except KeyboardInterrupt:
        return _refuse("stopped before any test ran", exit_codes.INTERRUPTED)
    except SelectionError as error:
        return _refuse(str(error), exit_codes.EMPTY_SELECTION)
    except ValueError as error:
        return _refuse(str(error), exit_codes.USAGE)


def _stages(run: Run) -> int:
    """Flow 8."""
    settings, arguments = run.settings, run.arguments
    trace.stage(trace.ARGUMENTS)
    names = merge_names(arguments.names) or run.choice.names or default_names(arguments)
    trace.stage(trace.SELECTION)
    selection = select(settings.root, settings.groups, names)
    collection = _collect(run, selection)
    problems = _quarantine_problems(run, selection, collection)
    _narrow(run, selection, collection)
    _target(run, collection)
    trace.stage(trace.SHARDING)
    plan = _plan(arguments, settings, collection, bool(WHOLE & selection.whole))
    if arguments.list_only:
        sys.stdout.write("".join(f"{test}\n" for test in plan.ids))
        sys.stderr.write("".join(collection.errors.values()))
        return exit_codes.FAILED if collection.errors else exit_codes.PASSED
    run.dispatcher.run(plan, collection, selection.parts, run.choice)
    if arguments.coverage:
        _sum_coverage(run)
    return run.dispatcher.finish(plan.whole and plan.shards == 1, problems).exit_code


def _sum_coverage(run: Run) -> None:
    """Before the reports are written; the warm server says what it ran when it ends."""
    run.dispatcher.launcher.close()
    for language in measure.finish(run.settings.folder):
        sys.stderr.write(f"coverage of {measure.summary(language)}\n")


def _prepare(arguments: Arguments, groups: Groups, root: Path, argv: Sequence[str]) -> Run:
    """Folders, settings and reports of the run."""
    record = recording.read(arguments.replay) if arguments.replay is not None else None
    for line in recording.restore(record) if record is not None else []:
        sys.stdout.write(f"replay: {line}\n")
    recording.fix_judging(arguments.seed, arguments.draws, arguments.level)
    recorded = DEFAULT_IMPLEMENTATION if record is None else record.implementation
    implementation = Implementation.parse(arguments.implementation or recorded)
    entries = quarantine.load(root / quarantine.FILE, groups.judged, datetime.datetime.now().date())
    choice = choose(arguments, root, entries, record)
    folder = _report_folder(arguments, root)
    if arguments.coverage:
        measure.start(folder)
    limits = with_limits(groups.limits, arguments.jobs, arguments.timeout, arguments.memory)
    stress = Stress(arguments.repeat or _default_repeat(arguments), arguments.for_s)
    isolation = arguments.isolation
    settings = Settings(root, folder, implementation, groups, limits, stress, isolation=isolation)
    cells = CellTable()
    reports = _reports(arguments, settings, cells, record)
    dispatcher = Dispatcher(settings, reports, cells, entries, read(root / DURATIONS))
    command = shlex.join(["python3", "run_test.py", *argv])
    dispatcher.emit(RunStarted(folder.name, implementation.name, command, str(root)))
    return Run(arguments, settings, dispatcher, entries, choice)


def _default_repeat(arguments: Arguments) -> int:
    return quarantine.REPEATS if arguments.quarantined and not arguments.for_s else 1


def _reports(
    arguments: Arguments, settings: Settings, cells: CellTable, record: Record | None
) -> list[Report]:
    """The consumers of the run's events; the terminal is last, for its last line."""
    folder = settings.folder
    page = Html(folder, cells)
    stream = sys.stderr if arguments.list_only else sys.stdout
    reports: list[Report] = [JsonLines(folder), Recorder(folder, settings.root), JUnit(folder)]
    reports += [page, History(settings.root)]
    if record is not None:
        reports.append(Comparison(record))
    return [*reports, Terminal(stream, page.path)]


def _collect(run: Run, selection: Selection) -> Collection:
    """Collect the selected ids."""
    arguments = run.arguments
    filters = Filters(arguments.keyword, arguments.markers, selection.ids)
    return collect(run.settings, selection.parts, filters, run.dispatcher.launcher)


def _quarantine_problems(run: Run, selection: Selection, collection: Collection) -> tuple[str, ...]:
    """What is wrong with the quarantine, as far as this collection shows it."""
    whole: set[str] = set()
    if not (run.arguments.keyword or run.arguments.markers):
        by_id = {family(test) for test in selection.ids}
        parts = [part for part in selection.parts if not part.markers]
        whole = {file for part in parts for file in part.files if file not in by_id}
    return run.quarantine.problems(run.settings.root, whole, collection.all_ids())


def _narrow(run: Run, selection: Selection, collection: Collection) -> None:
    """Leave the tests that the run's choice wants. Raises SelectionError when there is none."""
    collection.keep(run.choice.wanted)
    for sequence in run.choice.sequences:
        collection.expect(sequence)
    if not collection.all_ids():
        raise SelectionError(
            f"no test selected: {sum(len(part.files) for part in selection.parts)} files, "
            f"{collection.deselected} tests left out by -k, -m or a group's markers"
        )


def _target(run: Run, collection: Collection) -> None:
    """Leave the tests that the changes asked for may break; raises SelectionError for none.

    What can't be collected stays: nobody knows what it would test.
    """
    arguments, root = run.arguments, run.settings.root
    if arguments.changed is None and not arguments.changed_files:
        trace.stage(trace.TARGETS, absent=trace.NO_TARGETS)
        return
    trace.stage(trace.TARGETS)
    named = changes.named(root, arguments.changed_files)
    changed = named or changes.since(root, arguments.changed or "HEAD")
    found = determine(root, changed, collection.all_ids(), arguments.share)
    sys.stderr.write("".join(f"target: {note}\n" for note in found.notes))
    collection.keep({*found.ids, *collection.pseudo()}.__contains__)
    if not collection.all_ids():
        raise SelectionError(f"no selected test is about the {len(changed)} changed files")


def _plan(
    arguments: Arguments, settings: Settings, collection: Collection, whole_group: bool
) -> PlanMade:
    """Fix and number the tests. Raises ValueError when a given plan is of other tests."""
    shard, shards = parse_shard(arguments.shard) if arguments.shard else (1, 1)
    everything = collection.all_ids()
    if arguments.plan is not None:
        plan = _given_plan(arguments.plan, everything, shards)
    else:
        durations = read(settings.root / DURATIONS)
        files = {family(test) for test in everything}
        whole = {file for file in files if matches(file, settings.groups.whole)}
        plan = make_plan(everything, durations, shards, whole)
    return PlanMade(
        plan_hash=plan.hash,
        shard=shard,
        shards=shards,
        ids=plan.shards[shard - 1],
        all_ids=tuple(everything) if shards > 1 else (),
        deselected=collection.deselected,
        whole=whole_group and not _filtered(arguments),
    )


def _filtered(arguments: Arguments) -> bool:
    """Whether it may leave tests of a group out."""
    by_text = (arguments.keyword, arguments.markers, arguments.changed, arguments.changed_files)
    by_history = (arguments.last_failed, arguments.quarantined, arguments.replay)
    return any((*by_text, *by_history))


def _given_plan(path: Path, everything: Sequence[str], shards: int) -> ShardPlan:
    plan = read_plan(path)
    different = set(plan.ids()) ^ set(everything)
    if different or len(plan.shards) != shards:
        raise ValueError(
            f"--plan: expected {len(everything)} selected tests in {shards} shards; {path} has "
            f"{len(plan.ids())} in {len(plan.shards)}, {len(different)} of them different"
        )
    return plan


def _report_folder(arguments: Arguments, root: Path) -> Path:
    """A new folder for this run, and the link `latest` beside it."""
    if arguments.report_dir is not None:
        folder = arguments.report_dir.resolve()
    else:
        now = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
        folder = root / "build" / "reports" / f"{now}-{os.getpid()}"
    (folder / STATIC_FOLDER).mkdir(parents=True)
    link = folder.parent / "latest"
    fresh = folder.parent / f".latest-{os.getpid()}"
    fresh.symlink_to(folder.name)
    fresh.replace(link)
    return folder


def _empty_quarantine(entries: Quarantine) -> int:
    """No test to repeat is no failure, but an entry that has expired is."""
    sys.stdout.write("".join(f"{line}\n" for line in entries.expired))
    sys.stdout.write("nothing is in quarantine\n0 passed, 0 failed, 0 skipped\n")
    return exit_codes.QUARANTINE if entries.expired else exit_codes.PASSED


def _interrupt(_: int, __: FrameType | None) -> NoReturn:
    """SIGTERM ends a run as Ctrl-C does, also where the caller had SIGINT ignored."""
    raise KeyboardInterrupt


def _refuse(text: str, status: int) -> int:
    sys.stderr.write(f"run_test.py: {text}\n")
    return status
