"""The command line of `run_test.py` as typed values."""

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.runner.cells import LEVELS
from tools.runner.settings import Groups, Isolation
from tools.targets.share import SHARE

DEFAULT_IMPLEMENTATION = "cepheid"


@dataclass(frozen=True)
class Arguments:
    """Parsed arguments; None where a default of groups.toml holds."""

    names: tuple[str, ...]
    implementation: str | None
    keyword: str
    markers: str
    shard: str | None
    plan: Path | None
    jobs: int | None
    isolation: Isolation | None
    hosts: tuple[str, ...]
    timeout: float | None
    memory: int | None
    report_dir: Path | None
    list_only: bool
    seed: int | None
    draws: int | None
    level: str | None
    failed_first: bool
    last_failed: bool
    quarantined: bool
    repeat: int | None
    for_s: float
    replay: Path | None
    coverage: bool
    against: str | None
    changed: str | None
    changed_files: tuple[str, ...]
    share: float


def parse(argv: Sequence[str], groups: Groups) -> Arguments:
    """Parse; ends the process with exit_codes.USAGE (2) when the arguments are wrong."""
    parser = _parser(groups)
    found = parser.parse_args(argv)
    if found.share is not None and found.changed is None and not found.changed_files:
        parser.error("--share divides the tests of --changed or --changed-files; neither is given")
    return Arguments(
        names=tuple(found.names),
        implementation=found.impl,
        keyword=found.keyword,
        markers=found.markers,
        shard=found.shard,
        plan=found.plan,
        jobs=found.jobs,
        isolation=found.isolation and Isolation(found.isolation),
        hosts=tuple(found.host),
        timeout=found.timeout,
        memory=found.memory,
        report_dir=found.report_dir,
        list_only=found.list,
        seed=found.seed,
        draws=found.draws,
        level=found.level,
        failed_first=found.failed_first,
        last_failed=found.last_failed,
        quarantined=found.quarantined,
        repeat=found.repeat,
        for_s=found.for_s,
        replay=found.replay,
        coverage=found.coverage,
        against=found.against,
        changed=found.changed,
        changed_files=tuple(found.changed_files),
        share=SHARE if found.share is None else found.share,
    )


def default_names(arguments: Arguments) -> tuple[str, ...]:
    """Nothing named: the smoke group, or the conformance group when an implementation is."""
    return ("smoke",) if arguments.implementation is None else ("conformance",)


def _parser(groups: Groups) -> argparse.ArgumentParser:
    lines = [f"  {name:12} {text}" for name, text in groups.help.items()]
    parser = argparse.ArgumentParser(
        prog="run_test.py",
        description="Select, plan and run tests under a supervisor; write a report.",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="groups:\n" + "\n".join(lines) + "\n\nexit status: tools/runner/exit_codes.py",
    )
    add = parser.add_argument
    add(
        "names",
        nargs="*",
        help="groups, files, folders, file::test, globs or parts of a path; "
        "default: smoke, with --impl conformance; TESTS_TO_INCLUDE adds file names",
    )
    add("--impl", help="cepheid (default), torch, package[:factory], or NAME=PYTHON")
    add("--against", metavar="IMPL", help="compare with a second one and the oracle; no tests")
    add("-k", dest="keyword", default="", help="pytest's keyword expression")
    add("-m", dest="markers", default="", help="pytest's marker expression")
    add("--shard", metavar="I/N", help="run part I of N")
    add("--plan", type=Path, metavar="FILE", help="take the shards from a file made before")
    add("--jobs", type=_positive, help=f"files that run at once ({groups.limits.jobs})")
    add("--isolation", choices=[*Isolation], help="of files, of tests, or fresh interpreters")
    add("--host", action="append", default=[], metavar="SPEC", help="a further host (README.md)")
    add("--timeout", type=_seconds, help=f"seconds for one test ({groups.limits.timeout_s})")
    memory = f"for one file ({groups.limits.memory_mib})"
    add("--memory", type=_positive, metavar="MIB", help=memory)
    add("--report-dir", type=Path, help="folder of this run's reports (build/reports/<time>)")
    add("--coverage", action="store_true", help="of Python, and of C++ by a build for it")
    add("--list", action="store_true", help="print the planned ids, run nothing")
    _add_seeds(parser)
    _add_choices(parser)
    _add_targets(parser)
    add("--no-bootstrap", action="store_true", help="use this interpreter; make no environment")
    return parser


def _add_seeds(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--seed", type=int, help="of the drawn checks, in place of their own")
    add("--draws", type=_positive, help="how many inputs a drawn check draws")
    add("--level", choices=LEVELS, help="judge cells of what must be, and should, and may be (all)")


def _add_choices(parser: argparse.ArgumentParser) -> None:
    """Options that look at earlier runs, and those that run tests many times."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--failed-first", action="store_true", help="start with what failed last")
    which.add_argument("--last-failed", action="store_true", help="run only what failed last")
    which.add_argument(
        "--quarantined", action="store_true", help="only tests in ci/quarantine.toml, 50 times"
    )
    which.add_argument("--replay", type=Path, metavar="FOLDER", help="a report's tests, in order")
    stress = parser.add_mutually_exclusive_group()
    stress.add_argument("--repeat", type=_positive, metavar="N", help="run each test N times")
    stress.add_argument(
        "--for", dest="for_s", type=_seconds, default=0.0, metavar="T", help="repeat until T (90s)"
    )


def _add_targets(parser: argparse.ArgumentParser) -> None:
    """Options of target determination (tools/targets)."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--changed",
        nargs="?",
        const="HEAD",
        metavar="BASE",
        help="only tests that what changed since a commit (HEAD) may break",
    )
    which.add_argument(
        "--changed-files", nargs="+", default=(), metavar="F", help="as if these had changed"
    )
    parser.add_argument("--share", type=float, help=f"of the tests' time for --changed ({SHARE})")


def _seconds(text: str) -> float:
    """`90`, `90s`, `10m` or `2h`."""
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    number, factor = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1.0)
    try:
        value = float(number) * factor
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a time above 0, as 90, 10m or 2h; got {text}")
    return value


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1; got {text}")
    return int(text)
