"""`python -m tools.sharding.cli`: make and check plans, update durations."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.sharding.check import problems, read_report
from tools.sharding.durations import read, write
from tools.sharding.plan import make_plan, write_plan

DURATIONS = Path(__file__).resolve().parents[2] / "ci" / "durations.json"


def plan(arguments: argparse.Namespace) -> int:
    """Write a plan of the ids in a file, one a line, each of them free to go anywhere."""
    ids = arguments.ids.read_text().split("\n")
    made = make_plan(sorted(filter(None, ids)), read(arguments.durations), arguments.shards)
    write_plan(arguments.out, made)
    print(f"plan {made.hash}: {len(made.ids())} tests in {arguments.shards} shards")
    return 0


def check(arguments: argparse.Namespace) -> int:
    """Say whether the reports of all shards are one whole run."""
    found = problems([read_report(path) for path in arguments.reports])
    print("\n".join(found) or f"{len(arguments.reports)} shards: complete and disjoint")
    return 1 if found else 0


def durations(arguments: argparse.Namespace) -> int:
    """Merge the durations measured by runs into the committed table."""
    table = read(arguments.durations)
    for path in arguments.measured:
        table = table.merge(json.loads(path.read_text()))
    write(arguments.durations, table)
    print(f"{arguments.durations}: {len(table.families)} files, {len(table.tests)} single tests")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.sharding.cli", description=__doc__)
    parser.add_argument("--durations", type=Path, default=DURATIONS)
    commands = parser.add_subparsers(required=True)
    make = commands.add_parser("plan", help=plan.__doc__)
    make.add_argument("ids", type=Path, help="file with one test id a line")
    make.add_argument("shards", type=int)
    make.add_argument("out", type=Path)
    make.set_defaults(run=plan)
    verify = commands.add_parser("check", help=check.__doc__)
    verify.add_argument("reports", type=Path, nargs="+", help="events.jsonl of each shard")
    verify.set_defaults(run=check)
    update = commands.add_parser("durations", help=durations.__doc__)
    update.add_argument("measured", type=Path, nargs="+", help="durations.json of each run")
    update.set_defaults(run=durations)
    return parser


def main(argv: Sequence[str]) -> int:
    """Run one command; returns its exit status."""
    arguments = _parser().parse_args(argv)
    status: int = arguments.run(arguments)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
