"""Times implementations of the torch API side by side. See README.md."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tools.bench import limits, workloads
from tools.bench.implementations import Failure, Impl
from tools.bench.machine import describe
from tools.bench.measure import IMPORT_UNITS, Plan, measure, measure_import
from tools.bench.table import Table

GROUPS = ["import", *workloads.GROUPS]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line; ends the process on a wrong one."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("--impl", action="append", required=True, metavar="NAME[=PYTHON[:MODULE]]",
                        help="the first is what the others are compared with")  # fmt: skip
    parser.add_argument("--group", action="append", choices=GROUPS, help="all, unless given")
    parser.add_argument("--filter", default="", help="only workloads that match this expression")
    parser.add_argument("--json", type=Path, help="where to write everything measured")
    parser.add_argument("--stat", choices=["median", "best", "cpu"], default="median",
                        help="of the samples; cpu is the least processor time")  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="fewer and shorter samples")
    parser.add_argument("--threads", type=int, help="per worker; its own default, unless given")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one worker reply")
    parser.add_argument("--scratch", help="folder for temporary files (2 GB)")
    options = parser.parse_args(arguments)
    for spec in options.impl:
        name, _, where = spec.partition("=")
        python = where.partition(":")[0] or sys.executable
        if not shutil.which(python):
            parser.error(f"{name}: no interpreter {python}")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Measure everything that was asked for, print the table, write the JSON; 0 in any case."""
    options = parse(arguments)
    started, load = time.time(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir=options.scratch, ignore_cleanup_errors=True) as scratch:
        impls = [Impl(spec, scratch, options.timeout) for spec in options.impl]
        for i, impl in enumerate(impls):  # names must differ
            if impl.name in [other.name for other in impls[:i]]:
                impl.name += f"#{i + 1}"
        try:
            found = run(impls, options, scratch)
        finally:
            for impl in impls:
                impl.stop(grace=1)
    found.update(seconds=time.time() - started, load=[load, os.getloadavg()[0]])
    print(
        f"\n{found['seconds']:.0f} s on {os.cpu_count()} processors; "
        f"load average {load:.1f} before, {found['load'][1]:.1f} after"
    )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


def run(impls: list[Impl], options: argparse.Namespace, scratch: str) -> dict[str, Any]:
    """Run the groups one after the other; everything measured."""
    probe, threads = limits.build(scratch), options.threads or os.cpu_count() or 1
    machine = limits.measure(probe, threads)
    table = Table([impl.name for impl in impls], machine, options.stat)
    versions: dict[str, Any] = {}
    table.header()
    for group in options.group or GROUPS:
        begin = time.time()
        run_group(group, impls, options, table, versions)
        table.seconds[group] = time.time() - begin
        machine.update(limits.better(machine, limits.measure(probe, threads)))
    print_limits(machine)
    for name, facts in versions.items():
        print(f"{name}: version {facts['version']}, {facts['threads']} threads")
    return {
        "impls": versions,
        "limits": machine,
        "rows": table.rows,
        "summary": table.summary(),
        "threads": threads,
        "machine": describe(),
        "quick": options.quick,
        "stat": options.stat,
    }


def run_group(
    group: str,
    impls: list[Impl],
    options: argparse.Namespace,
    table: Table,
    versions: dict[str, Any],
) -> None:
    """Measure one group in new processes."""
    plan = Plan(options.quick)
    if group == "import" and re.search(options.filter, "import/"):
        for row, results in measure_import(impls, plan).items():
            table.add(f"import/{row}", results, IMPORT_UNITS[row])
    for impl in impls:
        world = 2 if group == "distributed" else 1
        impl.restart(world, options.threads or (1 if world > 1 else None))
    for impl in impls:
        try:
            impl.ready()
            versions[impl.name] = impl.facts
        except Failure:
            pass  # every workload will say so
    for key in workloads.WORKLOADS:
        if key.startswith(group + "/") and re.search(options.filter, key):
            table.add(key, measure(key, impls, plan))


def print_limits(machine: dict[str, float]) -> None:
    """One line with what the machine can do at best."""
    shown = [
        f"{k} {v * 1e9:.0f} ns"
        if k == "call"
        else f"{k} {v / 1e9:.1f} {'GB/s' if k in ('copy', 'read') else 'GF/s'}"
        for k, v in machine.items()
    ]
    print("\nlimits: " + ", ".join(shown))
